import Patterns

/// Values of options: an accepted text is written as a text with the same meaning.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNames(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = String(decoding: UnsafeBufferPointer(start: bytes, count: count), as: UTF8.self)
  do {
    let list = try MapList(parsing: text)
    let again = try MapList(parsing: list.description)
    precondition(again == list)
  } catch { precondition(!"\(error)".isEmpty) }
  do {
    var budget = 100_000
    let line = text.unicodeScalars.map(\.value)
    for match in try Pattern(parsing: text).matches(in: line, budget: &budget) {
      precondition(!match.isEmpty && match.upperBound <= line.count)
    }
    // What is entered last may go beyond it, by no more than the expression's size.
    precondition(budget > -10_000)
  } catch { precondition(!"\(error)".isEmpty) }
  do {
    let format = try TimestampFormat(parsing: text)
    precondition(format.description == text)
  } catch { precondition(!"\(error)".isEmpty) }
  return 0
}
