import DeviceWatch
import SerialCore
import Sessions
import SystemPackage

extension ResolvedTarget {
  /// The path of the port, for a command that needs a present port.
  ///
  /// - Parameter devices: the present devices, for the message if none matches.
  /// - Throws: ``Failure`` if there is no such port, or if the command cannot use the
  ///   form of TARGET.
  func presentPath(among devices: @autoclosure () -> [Device]) throws(Failure) -> FilePath {
    switch self {
    case .endpoint(let endpoint):
      guard let path = endpoint.path else {
        throw Failure(
          .usage,
          endpoint.kind == .loopback
            ? "'\(endpoint)' exists only inside a session. Name a device."
            : "'\(endpoint)' is not a device of this computer. Name one that is.")
      }
      guard (try? path.stat()) != nil else {
        let name = path.lastComponent?.string ?? ""
        let advice = UsageAdvice.networkForms(of: name).map { "Did you mean \($0)?" }
        throw Failure(
          .deviceNotFound, "\(path): \(PortProblem.noSuchDevice). \(advice ?? Self.listAdvice)")
      }
      return path
    case .device(let device, _): return device.node
    case .none(.next): throw Failure(.usage, "'new': not plugged in yet. Name a device that is.")
    case .none(let query): throw Failure(noneFor: query, among: devices(), mayWait: false)
    case .several(let devices, let query): throw Failure(several: devices, for: query)
    }
  }

  private static let listAdvice = "'serialterm list' shows the devices."
}
