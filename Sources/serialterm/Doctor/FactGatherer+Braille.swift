import Posix
import SystemPackage

extension FactGatherer {
  /// The folders that udev reads rules from, in order of precedence: see udev(7).
  private static let ruleFolders: [FilePath] = [
    "/etc/udev/rules.d", "/run/udev/rules.d", "/usr/local/lib/udev/rules.d",
    "/usr/lib/udev/rules.d", "/lib/udev/rules.d",
  ]

  /// The USB devices that brltty's rules claim by their numbers alone: lines like
  /// `ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", …`, without a further condition.
  /// None if serialterm's rules are installed, which keep brltty away.
  var brailleClaims: Set<USBID> {
    var seen: Set<String> = []
    var claims: Set<USBID> = []
    for folder in Self.ruleFolders {
      for name in at(folder).entryNames() where seen.insert(name).inserted {
        if name == "60-serialterm.rules" { return [] }
        guard name.contains("brltty"), let rules = text(folder.appending(name)) else { continue }
        claims.formUnion(rules.split(separator: "\n").compactMap(Self.brailleClaim))
      }
    }
    return claims
  }

  private static func brailleClaim(_ line: Substring) -> USBID? {
    let condition = /^\s*ENV\{PRODUCT\}=="(?<vendor>[0-9a-f]+)\/(?<product>[0-9a-f]+)\/\*",/
    guard !line.contains("ATTR"), line.contains("BRLTTY_BRAILLE_DRIVER"),
      let match = line.firstMatch(of: condition), let vendor = UInt16(match.vendor, radix: 16),
      let product = UInt16(match.product, radix: 16)
    else { return nil }
    return USBID(vendor: vendor, product: product)
  }
}
