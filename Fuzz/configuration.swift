/// The configuration: an accepted document is written back to a text that reads the same, and the
/// conversion of any tio configuration can be read.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzConfiguration(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let document = Array(UnsafeBufferPointer(start: bytes, count: count))
  do {
    for table in try TOMLReader.tables(in: document) {
      let entries = table.entries.filter { $0.key.utf8.allSatisfy { $0 > 0x60 && $0 < 0x7B } }
      let text = ConfigurationFile.text(
        profile: "x", entries.map { (key: $0.key, value: $0.value) })
      let again = try TOMLReader.tables(in: Array(text.utf8))
      precondition(again[0].entries.map(\.value) == entries.map(\.value), text)
    }
  } catch { precondition(error.line > 0 && !error.what.isEmpty) }
  let imported = TioImport(document) { _, _ in nil }.text
  do {
    _ = try ConfigurationFile(parsing: Array(imported.utf8)) { _, _ in nil }
  } catch { preconditionFailure("\(error)\n\(imported)") }
  return 0
}
