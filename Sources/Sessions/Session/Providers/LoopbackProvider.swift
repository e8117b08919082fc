package import DeviceWatch
package import EventLoop
import Loopback
package import Reconnecting
package import SerialCore
package import SystemPackage

/// Simulations within this process, behind pseudo-terminals: `loopback:` and `loopback:board`.
package struct LoopbackProvider: LinkProvider {
  /// A simulated device.
  private enum Simulation: String, CaseIterable {
    /// Sends back what it receives.
    case echo = ""
    /// A small board with a prompt.
    case board

    var endpoint: Endpoint { Endpoint(.loopback, LoopbackProvider.prefix + rawValue) }

    var device: any SimulatedDevice {
      switch self {
      case .echo: EchoDevice()
      case .board: Board()
      }
    }
  }

  /// The simulated board.
  package static let board = Simulation.board.endpoint
  /// The device that sends back what it receives.
  package static let echo = Simulation.echo.endpoint

  private static let prefix = "loopback:"

  package init() {}

  package var kind: Endpoint.Kind { .loopback }

  package func parse(_ text: String) -> Result<Target, TargetError>? {
    guard text.hasPrefix(Self.prefix) else { return nil }
    guard let simulation = Self.simulation(named: text) else {
      return .failure(.malformed(text, expected: Simulation.allCases.map { "\($0.endpoint)" }))
    }
    return .success(.endpoint(simulation.endpoint))
  }

  private static func simulation(named text: String) -> Simulation? {
    Simulation(rawValue: String(text.dropFirst(prefix.count)))
  }

  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    Simulation.allCases.map { TargetCompletion("\($0.endpoint)") }
  }

  /// Starts a separate simulation for each session. It exists as long as the session is bound to
  /// it: another program can use it while the session has released it.
  package func prepare(_ endpoint: Endpoint, on loop: IOLoop) throws(Errno) -> PreparedEndpoint {
    let name = "\(endpoint)"
    guard let simulation = Self.simulation(named: name) else { throw .invalidArgument }
    let port = try LoopbackPort(simulation.device, on: loop)
    return PreparedEndpoint(Endpoint(.loopback, name, at: port.path), keeping: port)
  }

  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    TermiosLink(to: endpoint, options: options)
  }

  /// Detects when another program uses the port after a release. A simulation itself is never lost.
  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? {
    endpoint.path.map { path in
      DevicePresence(of: .path(PathBinding(path)), among: nil, on: loop) {
        Endpoint(endpoint.kind, "\(endpoint)", at: $0)
      }
    }
  }
}

extension Endpoint.Kind {
  /// A simulation within this process, behind a pseudo-terminal.
  package static let loopback = Endpoint.Kind("loopback")
}
