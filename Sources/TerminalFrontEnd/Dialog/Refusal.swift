/// The answer to a user who asks for something that is not available now.
package enum Refusal {
  /// - Parameter reason: the reason, without a period.
  package static func sentence(because reason: String) -> String { "Not available: \(reason)." }
}
