import SessionKit

extension Target {
  /// Parses a TARGET of the command line.
  ///
  /// - Throws: ``Failure`` if it is malformed.
  init(parsing text: String) throws(Failure) {
    do throws(TargetError) {
      self = try LinkProviders.standard.parse(text)
    } catch {
      throw Failure(error)
    }
  }
}

extension Failure {
  /// Puts an error of a TARGET in words.
  init(_ error: TargetError) {
    switch error {
    case .empty: self.init(.usage, "the target is empty")
    case .malformed(let text, let forms):
      self.init(.usage, "'\(text)': expected \(forms.joined(separator: " or "))")
    case .selector(let error): self.init(.usage, "\(error)")
    case .unsupported(let text):
      self.init(.usage, "'\(text)': devices over the network are not supported yet")
    }
  }
}
