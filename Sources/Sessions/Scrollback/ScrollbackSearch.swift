public import Patterns
import TextStages

/// Finds the lines of a scrollback that match a pattern, in steps, the newest first, while
/// the scrollback grows.
///
/// A step takes a limited time, so that keys are handled between steps. The search needs one bit of
/// memory per line.
public final class ScrollbackSearch {
  public let scrollback: Scrollback
  private var matcher: LineMatcher?
  private lazy var text = scrollback.lineText()
  /// The results, by the consecutive numbers of the blocks.
  private var results: [Int: BlockResult] = [:]
  /// The open line, and whether it matched when it was last searched.
  private var open: (number: Int, isMatch: Bool)?

  /// The results of a block.
  private struct BlockResult {
    /// The number of lines that were searched, from the first line of the block on.
    var searchedCount = 0
    var matchCount = 0
    /// A bit for each line that matches.
    var bits: [UInt64] = []

    func isMatch(_ index: Int) -> Bool {
      index / 64 < bits.count && bits[index / 64] >> UInt64(index % 64) & 1 != 0
    }

    mutating func note(_ isMatch: Bool) {
      if searchedCount % 64 == 0 { bits.append(0) }
      if isMatch {
        bits[searchedCount / 64] |= 1 << UInt64(searchedCount % 64)
        matchCount += 1
      }
      searchedCount += 1
    }

    /// The number of matches before a line.
    func rank(of index: Int) -> Int {
      var rank = 0
      for word in 0..<min(bits.count, index / 64) { rank += bits[word].nonzeroBitCount }
      if index / 64 < bits.count {
        rank += (bits[index / 64] & (1 << UInt64(index % 64) - 1)).nonzeroBitCount
      }
      return rank
    }

    /// The last match before a line.
    func match(before index: Int) -> Int? {
      var word = min(index / 64, bits.count - 1)
      guard word >= 0 else { return nil }
      var left = bits[word]
      if word == index / 64 { left &= 1 << UInt64(index % 64) - 1 }
      while left == 0 {
        word -= 1
        guard word >= 0 else { return nil }
        left = bits[word]
      }
      return word * 64 + 63 - left.leadingZeroBitCount
    }

    /// The first match at or after a line.
    func match(from index: Int) -> Int? {
      var word = index / 64
      guard word < bits.count else { return nil }
      var left = bits[word] & (UInt64.max << UInt64(index % 64))
      while left == 0 {
        word += 1
        guard word < bits.count else { return nil }
        left = bits[word]
      }
      return word * 64 + left.trailingZeroBitCount
    }
  }

  /// Creates a search. Nothing is searched yet.
  ///
  /// - Parameter pattern: the pattern; nil matches every line.
  public init(of scrollback: Scrollback, for pattern: Pattern?) {
    self.scrollback = scrollback
    matcher = pattern.map(LineMatcher.init)
  }

  /// Whether it searches for an expression, rather than matching every line.
  public var hasPattern: Bool { matcher != nil }

  // MARK: Searching

  /// The number of bytes that are searched between two checks of the time, and the number of steps
  /// of an expression that take as long as one byte.
  private static let (stride, stepsPerByte) = (4_096, 8)

  /// Searches the remaining lines, the newest blocks first.
  ///
  /// - Parameter isOver: called after every few kilobytes. The step ends when it returns true.
  /// - Returns: whether all lines were searched.
  @discardableResult
  public func search(until isOver: () -> Bool = { false }) -> Bool {
    forgetDropped()
    searchOpenLine()
    for index in scrollback.blocks.indices.reversed() {
      guard searchBlock(at: index, until: isOver) else { return false }
    }
    return true
  }

  private func searchBlock(at index: Int, until isOver: () -> Bool) -> Bool {
    let block = scrollback.blocks[index]
    let isLast = index == scrollback.blocks.count - 1
    let end = block.lineCount - (isLast && scrollback.isLastLineOpen ? 1 : 0)
    let ordinal = scrollback.droppedBlockCount + index
    var result = results[ordinal] ?? BlockResult()
    guard result.searchedCount < end else { return true }
    results[ordinal] = nil
    defer { results[ordinal] = result }
    var unchecked = 0
    while result.searchedCount < end {
      let line = block.line(result.searchedCount)
      var steps = Int.max
      result.note(isMatch(line, &steps))
      unchecked += line.bytes.count + 16 + (Int.max - steps) / Self.stepsPerByte
      if unchecked >= Self.stride {
        if isOver() { return false }
        unchecked = 0
      }
    }
    return true
  }

  private func searchOpenLine() {
    open = nil
    guard scrollback.isLastLineOpen, let block = scrollback.blocks.last else { return }
    var steps = Int.max
    open = (block.endLine - 1, isMatch(block.line(block.lineCount - 1), &steps))
  }

  /// - Parameter steps: reduced by the number of steps of the expression.
  private func isMatch(_ line: ScrollbackLine, _ steps: inout Int) -> Bool {
    guard matcher != nil else { return true }
    return text.with(line.bytes, isUTF8: line.isMark) {
      matcher!.matches($0, budget: &steps) ?? false
    }
  }

  private func forgetDropped() {
    guard results.count > scrollback.blocks.count else { return }
    results = results.filter { $0.key >= scrollback.droppedBlockCount }
  }

  // MARK: Results

  /// The number of matches so far in lines that are still kept.
  public var matchCount: Int {
    scrollback.blocks.indices.reduce(open?.isMatch == true ? 1 : 0) {
      $0 + (result(at: $1)?.matchCount ?? 0)
    }
  }

  /// The last match before a line, of the matches so far.
  public func match(before number: Int) -> Int? {
    if let open, open.isMatch, open.number < number { return open.number }
    let lines = scrollback.lines
    guard number > lines.lowerBound else { return nil }
    let last = min(number, lines.upperBound) - 1
    for index in (0...scrollback.blockIndex(ofLine: last)).reversed() {
      let first = scrollback.blocks[index].firstLine
      if let match = result(at: index)?.match(before: number - first) { return first + match }
    }
    return nil
  }

  /// The first match at or after a line, of the matches so far.
  public func match(from number: Int) -> Int? {
    let lines = scrollback.lines
    guard number < lines.upperBound else { return nil }
    let start = max(number, lines.lowerBound)
    for index in scrollback.blockIndex(ofLine: start)..<scrollback.blocks.count {
      let first = scrollback.blocks[index].firstLine
      if let match = result(at: index)?.match(from: max(0, start - first)) {
        return first + match
      }
    }
    return open.flatMap { $0.isMatch && $0.number >= number ? $0.number : nil }
  }

  /// The number of matches before a line, of the matches so far.
  public func rank(of number: Int) -> Int {
    let lines = scrollback.lines
    guard lines.contains(number) else { return number < lines.lowerBound ? 0 : matchCount }
    let place = scrollback.blockIndex(ofLine: number)
    let before = (0..<place).reduce(0) { $0 + (result(at: $1)?.matchCount ?? 0) }
    return before + (result(at: place)?.rank(of: number - scrollback.blocks[place].firstLine) ?? 0)
  }

  /// Whether a line matches, as far as it was searched.
  public func isMatch(_ number: Int) -> Bool { match(from: number) == number }

  /// A bit for each match so far, for each kept block.
  var matchBits: [[UInt64]] {
    scrollback.blocks.indices.map { index in
      var bits = result(at: index)?.bits ?? []
      let block = scrollback.blocks[index]
      if let open, open.isMatch, open.number == block.endLine - 1 {
        let place = open.number - block.firstLine
        bits += Array(repeating: 0, count: max(0, place / 64 + 1 - bits.count))
        bits[place / 64] |= 1 << UInt64(place % 64)
      }
      return bits
    }
  }

  private func result(at index: Int) -> BlockResult? {
    results[scrollback.droppedBlockCount + index]
  }
}
