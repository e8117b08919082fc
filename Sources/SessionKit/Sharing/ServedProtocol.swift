/// What a client of a shared port speaks.
package enum ServedProtocol: String, CaseIterable, Hashable, Sendable {
  /// Bytes alone.
  case raw
  /// Telnet, without the line's settings.
  case telnet
  /// Telnet with the line's settings.
  case rfc2217
}
