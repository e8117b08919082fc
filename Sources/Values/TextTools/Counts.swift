/// Numbers in messages.
extension Int {
  /// The number with commas between the thousands: 12,345.
  package var grouped: String {
    var result = ""
    for (index, digit) in "\(magnitude)".reversed().enumerated() {
      if index > 0 && index % 3 == 0 { result.append(",") }
      result.append(digit)
    }
    return (self < 0 ? "-" : "") + String(result.reversed())
  }

  /// The number with a noun: "1 byte", "30,000 bytes".
  package func counted(_ noun: String) -> String { "\(grouped) \(noun)\(self == 1 ? "" : "s")" }

  /// The number with a verb, for unsent bytes: "1 byte was", "30,000 bytes were".
  package var bytesWere: String { counted("byte") + (self == 1 ? " was" : " were") }

  /// The number, which is not negative, with zeros before it: "007".
  package func padded(to width: Int) -> String {
    let digits = "\(self)"
    return String(repeating: "0", count: Swift.max(0, width - digits.utf8.count)) + digits
  }
}
