import TextTools

/// The entries of a list that fit into an answer, from one of them on.
struct AgentPage<Entry> {
  /// The entries of the page. One is there if there is any, however long it is.
  let entries: [Entry]
  private let values: [JSON]
  /// How to get the entries after these; nil if there are none.
  private let advice: String?

  /// - Parameters:
  ///   - call: its argument `first` is the number of the first entry.
  ///   - size: the size of the other members of the answer, in bytes of JSON.
  ///   - json: an entry as a member. As text, it is not longer.
  init(of all: [Entry], for call: AgentCall, besides size: Int = 0, _ json: (Entry) -> JSON) {
    let start = min(call.arguments.number("first") ?? 0, all.count)
    var room = AgentCall.dataLimit - size
    var values: [JSON] = []
    for entry in all[start...] {
      let value = json(entry)
      room -= 2 * "\(value)".utf8.count
      if room < 0, !values.isEmpty { break }
      values.append(value)
    }
    let next = start + values.count
    (entries, self.values) = (Array(all[start..<next]), values)
    advice =
      next < all.count || start > 0
      ? "These are \(start) to \(next) of \(all.count)."
        + (next < all.count ? " Go on with first \(next)." : "")
      : nil
  }

  /// The members of the result.
  func members(_ name: String) -> [(String, JSON)] {
    [(name, .array(values))] + (advice.map { [("how_to_go_on", .string($0))] } ?? [])
  }

  /// The result as text.
  func text(_ lines: String) -> String { advice.map { "\(lines)\n\($0)" } ?? lines }
}
