import EventLoop
import Loopback
import SystemPackage

/// The device of `loopback:` targets: a pseudo-terminal in this process with a simulation.
final class SimulatedPort {
  private let port: LoopbackPort

  /// Creates the port and starts the simulation.
  ///
  /// - Throws: the errors of creating a pseudo-terminal.
  init(_ kind: Target.Simulation, on loop: IOLoop) throws(Errno) {
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
