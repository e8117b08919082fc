/// Checks of a serial number by its text.
enum SerialNumber {
  /// Whether it may be unique.
  ///
  /// Many manufacturers leave the example of the chip's data sheet in every adapter: `0001`
  /// (CP210x), `00000000`, `123456`, `0123456789ABCDEF`, `FFFFFFFF`, `None`. A serial number that
  /// passes may still be shared, because no list is complete.
  static func isDistinctive(_ serialNumber: String) -> Bool {
    let text = serialNumber.uppercased()
    let isOneLetter = Set(text).count < 2 && text.count > 1
    let isCount = ["0123456789ABCDEF", "123456789ABCDEF0", "1234567890"].contains {
      text.count >= 4 && $0.hasPrefix(text)
    }
    let isZeroOrOne = ["", "1"].contains(text.drop { $0 == "0" })
    return !isOneLetter && !isCount && !isZeroOrOne && !words.contains(text)
  }

  private static let words: Set<String> = [
    "NONE", "N/A", "NA", "NULL", "UNKNOWN", "DEFAULT", "SERIAL", "SERIALNUMBER", "SERIAL NUMBER",
  ]
}
