/// Something that can be chosen from a list: a command, a device.
public struct Choice<ID: Hashable> {
  /// What the choice is known by, also after its texts have changed. Unique in a list.
  public let id: ID
  /// The short column in front: a key, a node.
  public var label: String
  public var title: String
  /// What else is to be said; empty for nothing.
  public var detail: String
  /// Why it cannot be chosen now; nil when it can.
  public var refusal: String?

  public var isEnabled: Bool { refusal == nil }

  /// Creates a choice that can be chosen unless there is a reason against it.
  public init(
    id: ID, label: String = "", title: String, detail: String = "", refusal: String? = nil
  ) {
    self.id = id
    self.label = label
    self.title = title
    self.detail = detail
    self.refusal = refusal
  }
}

extension Choice: Equatable {}
extension Choice: Sendable where ID: Sendable {}
