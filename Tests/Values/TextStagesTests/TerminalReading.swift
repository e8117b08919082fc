/// Interprets bytes like a terminal, and finds what a device must not be able to send.
///
/// It shares no code with the filter that it checks: it examines the whole text, and compares the
/// forms of sequences with a list.
enum TerminalReading {
  /// The first harmful part; nil if there is none.
  static func harm(in bytes: [UInt8]) -> String? {
    guard let text = String(validating: bytes, as: UTF8.self) else { return "not UTF-8" }
    var rest = Array(text.unicodeScalars)[...]
    while let scalar = rest.popFirst() {
      switch scalar.value {
      case 0x1B:
        guard let harm = harmfulSequence(from: &rest) else { continue }
        return "ESC " + harm
      case 0x07, 0x08, 0x09, 0x0A, 0x0D: continue
      case 0x00..<0x20, 0x7F..<0xA0, 0x202A...0x202E, 0x2066...0x206F:
        return "U+" + String(scalar.value, radix: 16)
      default: continue
      }
    }
    return nil
  }

  /// Parses a sequence after its ESC, and returns it if it is not on the list.
  private static func harmfulSequence(from rest: inout ArraySlice<Unicode.Scalar>) -> String? {
    guard let first = rest.popFirst() else { return "at the end" }
    if "78DEMH=>".unicodeScalars.contains(first) { return nil }
    if first == "#" { return rest.popFirst() == "8" ? nil : "#" }
    guard first == "[" else { return "\(first)" }
    var inner = ""
    while let scalar = rest.popFirst() {
      guard (0x20...0x3F).contains(scalar.value) else {
        return isHarmless(inner, scalar) ? nil : "[\(inner)\(scalar)"
      }
      inner.unicodeScalars.append(scalar)
    }
    return "[\(inner) unfinished"
  }

  private static func isHarmless(_ inner: String, _ final: Unicode.Scalar) -> Bool {
    let groups = inner.split(separator: ";", omittingEmptySubsequences: false)
    let numbers = inner.split { ";:?".contains($0) }
    guard inner.utf8.count < 64, numbers.allSatisfy({ $0.utf8.count <= 4 }) else { return false }
    if final == "m" { return isHarmlessColor(groups, inner) }
    let shape = inner.filter { !("0"..."9").contains($0) } + String(final)
    switch shape {
    case "J": return Int(inner) != 3
    case "?J": return Int(inner.dropFirst()) != 3
    case "s", "u": return inner.isEmpty
    case "g", "?K", " @", " A": return true
    case "h", "l": return Int(inner) == 4
    case ";H", ";f", ";r", "H", "f", "r": return true
    case "@", "A", "B", "C", "D", "E", "F", "G", "I", "K", "L", "M", "P", "S", "T", "X", "Z", "`",
      "a", "b", "d", "e":
      return true
    default: break
    }
    // Private modes: each from a list.
    return inner.first == "?" && !inner.dropFirst().contains("?") && "hl".contains(Character(final))
      && groups.allSatisfy { group in
        Int(group.trimmingPrefix("?")).map {
          [1, 5, 6, 7, 25, 47, 1047, 1048, 1049].contains($0)
        } ?? false
      }
  }

  /// Whether the parameters only set colours and styles. The number of a font is allowed only as
  /// part of a colour.
  private static func isHarmlessColor(_ groups: [Substring], _ inner: String) -> Bool {
    guard inner.allSatisfy({ "0123456789;:".contains($0) }) else { return false }
    var skipped = 0
    for (index, group) in groups.enumerated() {
      if skipped > 0 {
        skipped -= 1
        continue
      }
      if Int(group) == 38 || Int(group) == 48 {
        let kind = index + 1 < groups.count ? Int(groups[index + 1]) : nil
        guard let kind, kind == 2 || kind == 5 else { return false }
        skipped = kind == 2 ? 4 : 2
      } else if let number = Int(group.prefix { $0 != ":" }),
        (10...20).contains(number) || number == 58 && !group.contains(":")
      {
        return false
      }
    }
    return true
  }
}
