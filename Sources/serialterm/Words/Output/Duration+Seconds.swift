import Time

extension Duration {
  /// A number of seconds as a person writes it, in whole nanoseconds: 0.3 is 300,000,000 of them,
  /// although no `Double` is exactly 0.3.
  ///
  /// - Parameter seconds: up to a day.
  init(rounding seconds: Double) { self = .nanoseconds(Int64((seconds * 1e9).rounded())) }

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
