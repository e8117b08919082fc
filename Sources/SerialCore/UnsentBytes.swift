/// How many bytes of each author were written and not sent.
public struct UnsentBytes: Hashable, Sendable {
  private var counts: [Author: Int] = [:]
  /// The number of bytes of all authors.
  public private(set) var total = 0

  /// No bytes.
  public init() {}

  /// The number of bytes of an author.
  public subscript(author: Author) -> Int { counts[author, default: 0] }

  /// The authors with at least one byte, in no order.
  public var authors: some Collection<Author> { counts.keys }

  mutating func add(_ count: Int, by author: Author) {
    guard count > 0 else { return }
    counts[author, default: 0] += count
    total += count
  }

  /// Removes bytes of an author, at most as many as there are.
  public mutating func remove(_ count: Int, by author: Author) {
    let left = self[author] - count
    precondition(count >= 0 && left >= 0, "more bytes than there are")
    counts[author] = left == 0 ? nil : left
    total -= count
  }

  /// Adds the counts of both.
  public static func + (one: UnsentBytes, other: UnsentBytes) -> UnsentBytes {
    var sum = one
    for (author, count) in other.counts { sum.add(count, by: author) }
    return sum
  }
}

extension UnsentBytes: ExpressibleByDictionaryLiteral {
  /// Creates counts: `[.keyboard: 3, .file("image.bin"): 70]`. An author may appear once.
  public init(dictionaryLiteral elements: (Author, Int)...) {
    for (author, count) in elements { add(count, by: author) }
  }
}
