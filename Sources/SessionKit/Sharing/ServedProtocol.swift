/// The protocol that a client of a shared port uses.
package enum ServedProtocol: String, CaseIterable, Hashable, Sendable {
  /// A plain byte stream.
  case raw
  /// Telnet without line settings.
  case telnet
  /// Telnet with line settings.
  case rfc2217
}
