/// Command lines: any words are read or refused, and the long form of what was understood is understood as the
/// same.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzOptions(_ bytes: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let text = UnsafeBufferPointer(start: bytes, count: count)
  let words = text.split(separator: 0x20, omittingEmptySubsequences: false)
    .map { String(decoding: $0, as: UTF8.self) }
  guard let given = try? WordReader.read(words, declarations, canSwitchOff: true) else { return 0 }
  let again = try? WordReader.read(longForm(of: given), declarations, canSwitchOff: true)
  precondition(again?.switchedOff == given.switchedOff)
  for entry in given.entries { precondition(again?[entry.name] == entry.texts) }
  _ = try? Values(given, of: declarations)
  return 0
}

private enum Size: Int, CaseIterable {
  case small = 5
  case large = 8
}

/// One parameter of each shape.
private let declarations: [Declaration] = {
  let parameters: [any Declared] = [
    Parameter<String>.argument("target", "", standard: "", parse: { $0 }),
    Parameter<[String]>.arguments("file", "", parse: { $0 }),
    Parameter<[String]>.wordsAfterDashes("command", ""),
    Parameter.flag("hex", letter: "x", ""),
    Parameter<Bool>.pair("reconnect", off: "no-reconnect", offLetter: "n", ""),
    Parameter<Bool?>.pair("hangup", off: "no-hangup", ""),
    Parameter<Size>.choice("size", letter: "s", "BITS", "", standard: .large),
    Parameter<Double>.time("wait", "", 0...10, standard: 1),
    Parameter<[String]>.list("log", letter: "L", "FILE", "", parse: { $0 }),
    Parameter<Size?>.option(
      "timestamps", letter: "t", "FORMAT", implied: "5", "",
      parse: { text in
        guard let size = Int(text).flatMap(Size.init) else { throw ValueError("wrong") }
        return size
      }),
  ]
  return parameters.map(\.declaration)
}()

/// The words that say the same with the long name of each option.
private func longForm(of given: Given) -> [String] {
  var (options, arguments, command): ([String], [String], [String]) = ([], [], [])
  for declaration in declarations {
    for (index, text) in (given[declaration.name] ?? []).enumerated() {
      switch declaration.shape {
      case .flag: options.append("--\(declaration.name)")
      case .pair(let off, _):
        options.append(text == "true" ? "--\(declaration.name)" : "--\(off)")
      case .value, .list, .optionalValue: options.append("--\(declaration.name)=\(text)")
      case .pairs: options += index % 2 == 0 ? ["--\(declaration.name)", text] : [text]
      case .argument, .arguments: arguments.append(text)
      case .wordsAfterDashes: command.append(text)
      }
    }
  }
  options += given.switchedOff.map { "--no-\($0)" }
  return options + arguments + ["--"] + command
}
