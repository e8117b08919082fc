extension RawSpan {
  /// The first bytes, at most a number of them, so that a search looks at no more.
  func window(of limit: Int) -> ArraySlice<UInt8> {
    extracting(first: limit).withUnsafeBytes { ArraySlice($0) }
  }
}
