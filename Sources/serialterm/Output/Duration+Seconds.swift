import Time

extension Duration {
  /// The duration in seconds, as a person writes it: `5`, `0.25`.
  var inSeconds: String {
    let milliseconds = nanoseconds / 1_000_000
    let fraction = String(String(1_000 + milliseconds % 1_000).dropFirst())
    let digits = fraction.reversed().drop { $0 == "0" }.reversed()
    let whole = "\(milliseconds / 1_000)"
    return digits.isEmpty ? whole : "\(whole).\(String(digits))"
  }

  /// The measured duration in seconds, with one digit after the decimal point.
  var inTenths: String {
    let tenths = nanoseconds / 100_000_000
    return "\(tenths / 10).\(tenths % 10)"
  }
}
