import TextTools

/// The entries of an answer that fit into it, from one of them on. An answer has one list, or
/// several, one after another.
struct AgentPage {
  private let entries: ArraySlice<Entry>
  /// Which entries these are; nil if they are all.
  private let place: String?
  /// Whether the rest can be got.
  private let hasMore: Bool

  /// An entry of a list.
  struct Entry {
    /// The member of the answer that has the list.
    let list: String
    let json: JSON
    let text: String

    init(of list: String, _ json: JSON, _ text: String) {
      (self.list, self.json, self.text) = (list, json, text)
    }

    /// The size in an answer, in bytes of JSON, with what separates entries.
    fileprivate var size: Int { "\(json)".utf8.count + "\(JSON.string(text))".utf8.count + 3 }
  }

  /// One entry is there if there is any from the first on, however long it is.
  ///
  /// - Parameter first: the number of the first entry, at least 0; nil for 0.
  init(of all: [Entry], from first: Int?) {
    let start = min(first ?? 0, all.count)
    var (room, end) = (AgentCall.dataLimit, start)
    for entry in all[start...] {
      room -= entry.size
      if room < 0, end > start { break }
      end += 1
    }
    entries = all[start..<end]
    if entries.isEmpty, !all.isEmpty {
      place =
        "first \(first ?? 0) is after the end of this list of \(all.count). Begin again with first 0."
      hasMore = true
    } else if entries.count < all.count {
      hasMore = end < all.count
      place =
        (entries.count == 1 ? "Entry \(end)" : "Entries \(start + 1) to \(end)")
        + " of \(all.count)." + (hasMore ? " Go on with first \(end)." : "")
    } else {
      (place, hasMore) = (nil, false)
    }
  }

  /// The members of the result.
  func members(_ lists: String...) -> [(String, JSON)] {
    lists.map { list in (list, .array(entries.filter { $0.list == list }.map(\.json))) }
      + (hasMore ? [("how_to_go_on", JSON(place))] : [])
  }

  /// The entries as texts, then which ones they are.
  var texts: [String] { entries.map(\.text) + (place.map { [$0] } ?? []) }
}
