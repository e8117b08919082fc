import DeviceWatch
import SystemPackage

/// What a session is asked to talk to.
enum Target: Hashable {
  /// A node, or a link to one.
  case node(FilePath)
  /// A device by what it is, or where it is plugged in.
  case device(DeviceSelector)
  /// The device that was plugged in last.
  case latest
  /// The next device to be plugged in.
  case new
  /// A simulation within this process.
  case loopback(Simulation)

  /// What the far end of a loopback is.
  enum Simulation: String, CaseIterable {
    /// Sends back what it gets.
    case echo = ""
    /// A small board with a prompt.
    case board
  }
}

extension Target {
  /// How a simulation is called on the command line; nil for real devices.
  var simulationName: String? {
    if case .loopback(let simulation) = self { "loopback:\(simulation.rawValue)" } else { nil }
  }
}

extension Target {
  /// Reads a TARGET as it stands on the command line.
  ///
  /// - Throws: ``Failure`` saying what is wrong with it.
  init(parsing text: String) throws(Failure) {
    if text.hasPrefix("loopback:") {
      guard let simulation = Simulation(rawValue: String(text.dropFirst(9))) else {
        throw Failure(.usage, "'\(text)': expected loopback: or loopback:board")
      }
      self = .loopback(simulation)
      return
    }
    guard !["tcp://", "rfc2217://", "unix:", "ssh://"].contains(where: text.hasPrefix) else {
      throw Failure(.usage, "'\(text)': devices over the network are not supported yet")
    }
    if text == "latest" || text == "new" {
      self = text == "new" ? .new : .latest
      return
    }
    do {
      if let selector = try DeviceSelector(parsing: text) {
        self = .device(selector)
        return
      }
    } catch {
      throw Failure(.usage, "\(error)")
    }
    guard !text.isEmpty else { throw Failure(.usage, "the target is empty") }
    self = .node(Self.path(text))
  }

  /// `ttyUSB0` is a node in /dev, unless there is such a file here.
  private static func path(_ text: String) -> FilePath {
    let path = FilePath(text)
    let isBareName = !text.contains("/")
    guard isBareName, (try? path.stat()) == nil else { return path }
    return FilePath("/dev").appending(path.components)
  }
}
