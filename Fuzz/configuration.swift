/// The configuration: what is accepted is written as a text that says the same; and whatever a
/// configuration of tio says, a configuration comes of it.
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
  let imported = TioImport.text(of: document)
  do {
    _ = try ConfigurationFile(parsing: Array(imported.utf8)) { _, _ in nil }
  } catch {
    // Two sections of one name, and a setting that is there twice under two names, are tio's.
    precondition(error.what.contains("twice"), "\(error)\n\(imported)")
  }
  return 0
}
