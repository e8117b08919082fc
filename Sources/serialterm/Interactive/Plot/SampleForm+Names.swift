import Plotting

extension SampleForm {
  /// The forms that have names for users.
  static let named: [(name: String, form: SampleForm)] = [
    ("values", .values), ("labels", .labels), ("pairs", .pairs), ("teleplot", .teleplot),
    ("json", .json),
  ]

  /// The name for users; that of the option for a regular expression.
  var name: String { Self.named.first { $0.form == self }?.name ?? "match" }
}
