/// The configuration of ser2net: any bytes are read or refused with a place, and the profiles that come out are
/// a configuration.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzSer2net(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: bytes, count: count))
  // The rest of a file is often what is interesting: the byte selects a beginning that is valid.
  let start = beginnings[Int(input.first ?? 0) % beginnings.count]
  let file = Array(start.utf8) + input.dropFirst()
  do {
    var (depth, count) = (0, 0)
    for document in try YAMLReader.documents(in: file) { measure(document, &depth, &count, level: 1) }
    precondition(depth <= 64, "the nesting is limited")
    // A colon in a list is a pair, which is a mapping.
    precondition(count <= 2 * file.count + 64, "a node has bytes of its own")
  } catch { check(error, file) }
  do {
    let imported = try Ser2netImport(file, logFormat: { _ in "raw" }) { _, _ in nil }
    do {
      let read = try ConfigurationFile(parsing: Array(imported.text.utf8)) { _, _ in }
      precondition(read.profiles.count == imported.profileCount, imported.text)
    } catch { preconditionFailure("\(error)\n\(imported.text)") }
    let again = try Ser2netImport(file, logFormat: { _ in "text" }) { _, _ in "no" }
    precondition(
      again.text.split(separator: "\n").allSatisfy { $0.hasPrefix("#") || $0.hasPrefix("[") },
      again.text)
  } catch let error { check(error, file) }
  return 0
}

private let beginnings = [
  "", "define: &a b\n", "connection: &c\n  accepter: tcp,1\n  connector: echo\n  options:\n    ",
  "connection: &c\n  accepter: tcp,1\n  connector: ", "connection: &c\n  connector: echo\n  accepter: ",
  "connections:\n  c: {accepter: 'tcp,1', connector: \"", "default:\n  name: ", "a: [", "- - ",
]

private func check(_ error: YAMLError, _ file: [UInt8]) {
  precondition(!error.what.isEmpty)
  // libyaml ends the last line.
  let lineCount = file.count { $0 == UInt8(ascii: "\n") } + 2
  precondition((1...lineCount).contains(error.place.line) && error.place.column > 0, "\(error)")
}

private func measure(_ node: YAMLNode, _ depth: inout Int, _ count: inout Int, level: Int) {
  depth = max(depth, level)
  count += 1
  switch node.content {
  case .scalar, .alias: break
  case .sequence(let items): for item in items { measure(item, &depth, &count, level: level + 1) }
  case .mapping(let pairs):
    for pair in pairs { measure(pair.value, &depth, &count, level: level + 1) }
  }
}
