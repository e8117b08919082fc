/// The configuration: an accepted document is written back to a text that reads the same, and the
/// conversion of any tio configuration can be read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let document = Array(UnsafeBufferPointer(start: bytes, count: count))
  do {
    let entries = try TOMLReader.entries(in: document)
    let text = ConfigurationFile.text(profile: "x", entries.map { (key: $0.key, value: $0.value) })
    // A profile is two levels deeper than the document, which may be as deep as it can.
    if let again = try? ConfigurationFile(parsing: Array(text.utf8), check: { _, _ in }) {
      precondition(isSame(.table(again.profiles[0].entries), .table(entries)), text)
    } else {
      precondition(count > 60, text)
    }
  } catch { precondition(error.line > 0 && !error.what.isEmpty) }
  let imported = TioImport(document) { _, _ in nil }.text
  do {
    _ = try ConfigurationFile(parsing: Array(imported.utf8)) { _, _ in }
  } catch { preconditionFailure("\(error)\n\(imported)") }
  return 0
}

/// Whether values are the same, in whatever lines.
private func isSame(_ one: Value, _ other: Value) -> Bool {
  switch (one, other) {
  case (.table(let one), .table(let other)):
    one.count == other.count
      && zip(one, other).allSatisfy {
        $0.key.utf8.elementsEqual($1.key.utf8) && isSame($0.value, $1.value)
      }
  case (.array(let one), .array(let other)):
    one.count == other.count && zip(one, other).allSatisfy { isSame($0, $1) }
  case (.number(let one), .number(let other)): one == other || one.isNaN && other.isNaN
  case (.string(let one), .string(let other)): one.utf8.elementsEqual(other.utf8)
  default: one == other
  }
}
