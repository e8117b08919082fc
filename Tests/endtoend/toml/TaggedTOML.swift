import Glibc

/// Reads TOML files, and prints what toml-test compares: each value as JSON, with its type.
/// It is compiled together with the sources of the module Configuration, and is not a part
/// of any product.
///
/// The arguments are files. For each, one line of JSON is printed: the document, or the error's
/// line and text.
@main
enum TaggedTOML {
  static func main() {
    for path in CommandLine.arguments.dropFirst() {
      do throws(ConfigurationError) {
        print(json(.table(try TOMLReader.entries(in: contents(of: path)))))
      } catch {
        print(#"{"line":\#(error.line),"error":\#(json(error.what))}"#)
      }
    }
  }

  private static func contents(of path: String) -> [UInt8] {
    guard let file = fopen(path, "r") else { fatalError(path) }
    defer { fclose(file) }
    var bytes: [UInt8] = []
    while case let byte = getc(file), byte != EOF { bytes.append(UInt8(byte)) }
    return bytes
  }

  private static func json(_ value: Value) -> String {
    switch value {
    case .string(let text): tagged("string", text)
    case .integer(let number): tagged("integer", "\(number)")
    case .number(let number): tagged("float", "\(number)")
    case .boolean(let isTrue): tagged("bool", "\(isTrue)")
    case .date(let text): tagged("date-local", text)
    case .time(let text): tagged("time-local", text)
    case .localDateTime(let text): tagged("datetime-local", text)
    case .zonedDateTime(let text): tagged("datetime", text)
    case .array(let values): "[" + values.map(json).joined(separator: ",") + "]"
    case .table(let entries):
      "{" + entries.map { "\(json($0.key)):\(json($0.value))" }.joined(separator: ",") + "}"
    }
  }

  private static func tagged(_ type: String, _ text: String) -> String {
    #"{"type":"\#(type)","value":\#(json(text))}"#
  }

  /// A string in JSON, in ASCII.
  private static func json(_ text: String) -> String {
    let units = text.utf16.map { unit in
      let digits = String(unit, radix: 16)
      return "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
    }
    return "\"" + units.joined() + "\""
  }
}
