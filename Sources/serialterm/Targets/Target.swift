import DeviceWatch
import SystemPackage

/// The device that the user names.
enum Target: Hashable {
  /// A node, or a link to one.
  case node(FilePath)
  /// A device by its identity, or by its physical port.
  case device(DeviceSelector)
  /// The device that was plugged in last.
  case latest
  /// The next device to be plugged in.
  case new
  /// A simulation within this process.
  case loopback(Simulation)

  /// The simulated device of a loopback.
  enum Simulation: String, CaseIterable {
    /// Sends back what it receives.
    case echo = ""
    /// A small board with a prompt.
    case board
  }
}

extension Target {
  /// Parses a TARGET of the command line.
  ///
  /// - Throws: ``Failure`` if it is malformed.
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

  /// `ttyUSB0` is a node in /dev, unless the current directory has such a file.
  private static func path(_ text: String) -> FilePath {
    let path = FilePath(text)
    let isBareName = !text.contains("/")
    guard isBareName, (try? path.stat()) == nil else { return path }
    return FilePath("/dev").appending(path.components)
  }
}
