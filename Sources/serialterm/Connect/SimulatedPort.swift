import EventLoop
import Loopback
import SystemPackage

/// The far end of `loopback:` targets: a pseudo-terminal of this process, with a simulation on it.
final class SimulatedPort {
  private let port: LoopbackPort

  /// Creates the port and switches the simulation on.
  ///
  /// - Throws: what creating a pseudo-terminal says.
  init(_ kind: Target.Simulation, on loop: EventLoop) throws(Errno) {
    let device: any SimulatedDevice =
      switch kind {
      case .echo: EchoDevice()
      case .board: Board()
      }
    port = try LoopbackPort(device, on: loop)
  }

  /// The node to open.
  var path: FilePath { port.path }
}
