public import Framing
public import SerialCore

/// Why an operation of a port failed.
public enum PortError: Error, Hashable, Sendable {
  /// The port failed: it cannot be opened, the device is lost, the driver refuses a request.
  case serial(SerialError)
  /// The time limit has passed. Bytes that have arrived can still be read.
  case timedOut
  /// The task was cancelled. Bytes that have arrived can still be read.
  case cancelled
  /// The received bytes are no frame; they were removed.
  case damagedFrame(FrameDamage)
  /// The port was closed by its own program.
  case closed
}

extension PortError: CustomStringConvertible {
  /// For logs and tests.
  public var description: String {
    switch self {
    case .serial(let error): "\(error)"
    case .timedOut: "timed out"
    case .cancelled: "cancelled"
    case .damagedFrame(let damage): "damaged frame: \(damage)"
    case .closed: "the port is closed"
    }
  }
}
