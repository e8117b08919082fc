import Posix
import SystemPackage
import TextTools

extension Inspector {
  /// The folders that udev reads rules from, in order of precedence: see udev(7).
  private static let ruleFolders: [FilePath] = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  /// The USB devices that brltty's rules claim by their numbers alone, in lines without a further
  /// condition such as `ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", …`. Empty if
  /// serialterm's rules are installed, which keep brltty away from such devices.
  var brailleClaims: Set<USBID> {
    var seen: Set<String> = []
    var claims: Set<USBID> = []
    for folder in Self.ruleFolders {
      for name in at(folder).entryNames() where seen.insert(name).inserted {
        if name == "60-serialterm.rules" { return [] }
        guard name.contains(text: "brltty"), let rules = text(folder.appending(name)) else {
          continue
        }
        claims.formUnion(rules.split(separator: "\n").compactMap(Self.brailleClaim))
      }
    }
    return claims
  }

  private static func brailleClaim(_ line: Substring) -> USBID? {
    let condition = #"ENV{PRODUCT}=="#
    let rule = line.drop(while: \.isWhitespace)
    guard !line.contains(text: "ATTR"), line.contains(text: "BRLTTY_BRAILLE_DRIVER"),
      rule.hasPrefix(condition)
    else { return nil }
    // The quoted value, and the text after it.
    let parts = rule.dropFirst(condition.count).split(
      separator: #"""#, maxSplits: 2, omittingEmptySubsequences: false)
    guard parts.count == 3, parts[0].isEmpty, parts[2].hasPrefix(",") else { return nil }
    let numbers = parts[1].split(separator: "/", omittingEmptySubsequences: false)
    guard numbers.count == 3, numbers[2] == "*", let vendor = number(numbers[0]),
      let product = number(numbers[1])
    else { return nil }
    return USBID(vendor: vendor, product: product)
  }

  /// Parses a number in lower case, the form that the kernel writes and so the only one
  /// that matches.
  private static func number(_ digits: Substring) -> UInt16? {
    digits.utf8.allSatisfy("0123456789abcdef".utf8.contains)
      ? UInt16(digits, radix: 16) : nil
  }
}
