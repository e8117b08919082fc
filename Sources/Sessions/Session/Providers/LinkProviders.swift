package import DeviceWatch
package import EventLoop
package import SerialCore
package import Telnet

/// The kinds of endpoints that a program knows.
package struct LinkProviders: Sendable {
  /// The kinds of this program. Terminal devices are last, because they accept any text as a path.
  package static let standard = LinkProviders([
    LoopbackProvider(), NetworkProvider.tcp, NetworkProvider.rfc2217, NetworkProvider.telnet,
    NetworkProvider.unix, NetworkProvider.labgrid,
    NetworkProvider.ssh, TerminalDeviceProvider(),
  ])

  let providers: [any LinkProvider]

  /// - Parameter providers: asked in this order to parse a target.
  package init(_ providers: [any LinkProvider]) { self.providers = providers }

  /// The kinds of this program, and the kind of a session to be joined.
  package static func joining(
    _ session: RunningSession, as introduction: SharingMessage.Introduction
  ) -> LinkProviders {
    let providers = introducing(introduction).providers
    return LinkProviders([SessionProvider(joining: session, as: introduction)] + providers)
  }

  /// The kinds of this program, for a user who introduces itself in this way.
  package static func introducing(_ introduction: SharingMessage.Introduction) -> LinkProviders {
    LinkProviders(
      standard.providers.map { provider in
        guard var network = provider as? NetworkProvider else { return provider }
        network.introduction = introduction
        return network
      })
  }

  /// Parses a TARGET.
  ///
  /// - Throws: ``TargetError`` if it is malformed.
  package func parse(_ text: String) throws(TargetError) -> Target {
    guard !text.isEmpty else { throw .empty }
    for provider in providers {
      if let target = provider.parse(text) { return try target.get() }
    }
    throw .unsupported(text)
  }

  /// The targets that complete a command line.
  ///
  /// - Parameters:
  ///   - text: the typed text.
  ///   - devices: lists the present devices; none if udev is not available.
  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    providers.reversed().flatMap { $0.completions(of: text, among: devices) }
      .filter { $0.text.hasPrefix(text) }
  }

  /// Makes a link that is not open yet.
  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    provider(of: endpoint).link(to: endpoint, options: options, on: loop)
  }

  /// Whether only an attempt to connect shows if a far end is there.
  package func isRemote(_ endpoint: Endpoint) -> Bool {
    provider(of: endpoint) is NetworkProvider
  }

  /// The groups of options that a link to an endpoint supports.
  package func options(of endpoint: Endpoint) -> LinkOptionGroups {
    // A device that is not known yet belongs to this computer.
    endpoint.kind == .unresolved ? .all : provider(of: endpoint).options
  }

  func provider(of endpoint: Endpoint) -> any LinkProvider {
    guard let provider = providers.first(where: { $0.kind == endpoint.kind }) else {
      preconditionFailure("\(endpoint) has a kind without a provider")
    }
    return provider
  }
}
