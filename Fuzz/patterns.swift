/// Regular expressions: each is refused with a message, or finds a match within the text. How the text is
/// cut does not matter for whether something matches before its end.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzPatterns(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = UnsafeRawBufferPointer(start: bytes, count: count)
  // The expression, a zero byte, the text.
  let regex = input.prefix { $0 != 0 }
  let text = UnsafeRawBufferPointer(rebasing: input.dropFirst(regex.count + 1))
  let pattern: Pattern
  do {
    pattern = try Pattern(parsing: String(decoding: regex, as: UTF8.self), capturing: true)
  } catch {
    precondition(!error.reason.isEmpty && error.place ?? 1 > 0)
    return 0
  }
  var search = PatternSearch(for: pattern)
  let whole = search.search(text)
  if let whole {
    for range in whole.ranges.compactMap({ $0 }) {
      precondition(range.lowerBound >= 0 && range.upperBound <= text.count)
    }
    precondition(whole.ranges.count == pattern.groupCount + 1)
  }
  let names = pattern.groupNames.compactMap { $0 }
  precondition(Set(names).count == names.count, "two groups with one name")
  var lines = LineCaptures(pattern)
  if let captures = lines.captures(in: text, budget: 100_000) {
    for range in captures.compactMap({ $0 }) {
      precondition(range.lowerBound >= 0 && range.upperBound <= text.count)
    }
    precondition(captures.count == pattern.groupCount + 1)
  }
  var cut = PatternSearch(for: pattern)
  var isFound = false
  for byte in text where !isFound {
    isFound = withUnsafeBytes(of: byte) { cut.search($0) } != nil
  }
  precondition(isFound || whole == nil || text.isEmpty, "found only in the whole text")
  var budget = 100_000
  for match in pattern.matches(in: text.map { UInt32($0) }, budget: &budget) {
    precondition(!match.isEmpty && match.upperBound <= text.count)
  }
  return 0
}
