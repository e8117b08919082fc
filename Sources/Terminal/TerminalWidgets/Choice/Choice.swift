/// One entry of a list to choose from, such as a command or a device.
public struct Choice<ID: Hashable> {
  /// The meaning of the choice. It identifies the choice when its texts change, so it is unique
  /// in a list.
  public let id: ID
  /// The short column at the left: a key or a node.
  public var label: String
  public var title: String
  /// The name that a query is compared with first. It is a part of the title, or the whole title.
  public var name: String
  /// Other words that users look for. They are searched, but not shown.
  public var synonyms: [String]
  /// More information, shown beside the title; empty for none.
  public var detail: String
  /// Whether this is the present value. A list without a query selects it first.
  public var isCurrent: Bool
  /// The reason why it cannot be chosen now; nil if it can.
  public var refusal: String?

  public var isEnabled: Bool { refusal == nil }

  /// Whether it is the text that the user has typed. It is the first match if it can be chosen,
  /// otherwise the last one, and its ``refusal`` is what is wrong with the text.
  public var isTyped: Bool

  /// The text beside the title: why it cannot be chosen, or else the ``detail``.
  var side: String { reason.map { "(\($0))" } ?? detail }

  /// Why it cannot be chosen, as lists show it.
  var reason: String? { refusal.map { isTyped ? $0 : "off: \($0)" } }

  /// Creates a choice.
  ///
  /// - Parameters:
  ///   - name: nil for the title.
  ///   - refusal: nil for a choice that can be chosen.
  public init(
    id: ID, label: String = "", title: String, name: String? = nil, synonyms: [String] = [],
    detail: String = "", isCurrent: Bool = false, refusal: String? = nil,
    isTyped: Bool = false
  ) {
    self.id = id
    self.label = label
    self.title = title
    self.name = name ?? title
    self.synonyms = synonyms
    self.detail = detail
    self.isCurrent = isCurrent
    self.refusal = refusal
    self.isTyped = isTyped
  }
}

extension Choice: Equatable {}
extension Choice: Sendable where ID: Sendable {}
