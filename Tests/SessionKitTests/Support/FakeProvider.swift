import DeviceWatch
import EventLoop
import SerialCore
import SessionKit
import SystemPackage
import TestSupport

/// A kind of endpoint that a test controls: `fake:NAME`.
final class FakeProvider: LinkProvider, @unchecked Sendable {
  let kind: Endpoint.Kind
  /// Why the far end cannot be prepared.
  var preparationError: Errno?
  /// Nil if only an attempt tells whether the far end is there.
  var presence: FakePresence?
  private(set) var preparedCount = 0

  init(_ kind: Endpoint.Kind = Endpoint.Kind("fake")) { self.kind = kind }

  func parse(_ text: String) -> Result<Target, TargetError>? {
    guard text.hasPrefix("fake:") else { return nil }
    guard text != "fake:" else { return .failure(.malformed(text, expected: ["fake:NAME"])) }
    return .success(.endpoint(Endpoint(kind, text)))
  }

  func completions(among devices: () -> [Device]) -> [String] { ["fake:"] }

  func prepare(_ endpoint: Endpoint, on loop: IOLoop) throws(Errno) -> PreparedEndpoint {
    if let preparationError { throw preparationError }
    preparedCount += 1
    return PreparedEndpoint(endpoint)
  }

  func link(to endpoint: Endpoint, options: LinkOptions) -> any Link { FakeLink(to: endpoint) }

  func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? { presence }
}
