package import DeviceWatch
package import EventLoop
package import Reconnecting
package import SerialCore
package import Sessions
package import SystemPackage

/// A kind of endpoint that a test controls: `fake:NAME`, unless it replaces another kind.
package final class FakeProvider: LinkProvider, @unchecked Sendable {
  package let kind: Endpoint.Kind
  /// The error of preparing the far end; nil for success.
  package var preparationError: Errno?
  /// The presence; nil if only an attempt shows whether the far end is there.
  package var presence: FakePresence?
  package private(set) var preparedCount = 0

  private let makeLink: (Endpoint) -> any Link

  /// - Parameter makeLink: makes a link to an endpoint.
  package init(
    _ kind: Endpoint.Kind = Endpoint.Kind("fake"),
    makeLink: @escaping (Endpoint) -> any Link = { FakeLink(to: $0) }
  ) {
    self.kind = kind
    self.makeLink = makeLink
  }

  package func parse(_ text: String) -> Result<Target, TargetError>? {
    guard text.hasPrefix("fake:") else { return nil }
    guard text != "fake:" else { return .failure(.malformed(text, expected: ["fake:NAME"])) }
    return .success(.endpoint(Endpoint(kind, text)))
  }

  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    [TargetCompletion("fake:")]
  }

  package func prepare(_ endpoint: Endpoint, on loop: IOLoop) throws(Errno) -> PreparedEndpoint {
    if let preparationError { throw preparationError }
    preparedCount += 1
    return PreparedEndpoint(endpoint)
  }

  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    makeLink(endpoint)
  }

  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? { presence }
}
