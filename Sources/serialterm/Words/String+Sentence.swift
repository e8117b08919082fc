extension String {
  /// The text with a full stop, unless it ends with one or with a question: an advice is often one,
  /// `did you mean UTF-8?`.
  var sentence: String { hasSuffix(".") || hasSuffix("?") ? self : self + "." }
}
