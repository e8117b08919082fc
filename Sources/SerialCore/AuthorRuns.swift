/// The authors of the bytes in a queue, as run lengths, the oldest first.
///
/// Adding bytes of the newest author and removing bytes at the front allocate nothing. There are
/// never more runs than bytes.
struct AuthorRuns {
  /// Consecutive bytes of one author.
  struct Run: Hashable {
    let author: Author
    var count: Int
  }

  private var storage: [Run] = []
  /// The index of the oldest run.
  private var head = 0
  /// The number of bytes.
  private(set) var count = 0

  /// The runs, the oldest first.
  var runs: ArraySlice<Run> { count == 0 ? [] : storage[head...] }

  /// The number of runs, one of which may be empty.
  var runCount: Int { storage.count - head }

  /// The number of bytes of an author.
  func count(by author: Author) -> Int {
    runs.reduce(0) { $1.author == author ? $0 + $1.count : $0 }
  }

  /// Adds bytes at the end.
  mutating func append(_ number: Int, by author: Author) {
    guard number > 0 else { return }
    count += number
    let last = storage.count - 1
    if last >= head, storage[last].author == author {
      storage[last].count += number
    } else if count == number, last >= head {
      storage[last] = Run(author: author, count: number)
    } else {
      storage.append(Run(author: author, count: number))
    }
  }

  /// Removes bytes at the front: those of one author, and not more than a number.
  ///
  /// - Returns: the bytes that were removed, at least one.
  mutating func removeFirst(atMost limit: Int) -> Run {
    let number = min(limit, storage[head].count)
    let removed = Run(author: storage[head].author, count: number)
    count -= number
    storage[head].count -= number
    // An empty run stays if it is the only one: the next bytes are as a rule of the same author.
    if storage[head].count == 0, head < storage.count - 1 {
      head += 1
      compact()
    }
    return removed
  }

  /// Removes bytes at the end.
  ///
  /// - Returns: how many of each author were removed.
  mutating func removeLast(_ number: Int) -> UnsentBytes {
    precondition(number <= count)
    var removed = UnsentBytes()
    while removed.total < number {
      let last = storage.count - 1
      let part = min(number - removed.total, storage[last].count)
      removed.add(part, by: storage[last].author)
      storage[last].count -= part
      if storage[last].count == 0 { storage.removeLast() }
    }
    count -= number
    compact()
    return removed
  }

  /// Removes all bytes of an author.
  ///
  /// - Returns: where they were, as offsets from the front before the call.
  mutating func removeAll(by author: Author) -> [Range<Int>] {
    var ranges: [Range<Int>] = []
    var rest = AuthorRuns()
    var offset = 0
    for run in runs {
      if run.author == author {
        ranges.append(offset..<(offset + run.count))
      } else {
        rest.append(run.count, by: run.author)
      }
      offset += run.count
    }
    if !ranges.isEmpty { self = rest }
    return ranges
  }

  /// Forgets the oldest bytes, so that at most a number is left.
  mutating func keepLast(_ number: Int) {
    while count > max(0, number) { _ = removeFirst(atMost: count - max(0, number)) }
  }

  /// Frees the places of removed runs, now and then, so that removing takes constant
  /// time on average.
  private mutating func compact() {
    if head == storage.count {
      storage.removeAll(keepingCapacity: true)
      head = 0
    } else if head > 16, head > storage.count / 2 {
      storage.removeFirst(head)
      head = 0
    }
  }
}
