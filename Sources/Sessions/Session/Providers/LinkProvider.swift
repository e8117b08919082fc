package import DeviceWatch
package import EventLoop
package import Reconnecting
package import SerialCore
package import SystemPackage

/// Everything about one kind of endpoint: the forms of its targets, how to make a
/// link to it, and how to detect its return. To add a kind, write a provider and add
/// it to ``LinkProviders/standard``.
package protocol LinkProvider: Sendable {
  /// The kind of the endpoints.
  var kind: Endpoint.Kind { get }

  /// The groups of options that its links support.
  var options: LinkOptionGroups { get }

  /// The time between two attempts to open a far end without a ``Presence``.
  var attemptInterval: Duration { get }

  /// Parses a TARGET.
  ///
  /// - Returns: nil if the text has another form.
  func parse(_ text: String) -> Result<Target, TargetError>?

  /// The targets that complete a command line. Only those that begin with the typed
  /// text are included.
  ///
  /// - Parameters:
  ///   - text: the typed text. Rarely used forms are listed only if it is not empty.
  ///   - devices: lists the present devices; none if udev is not available.
  func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion]

  /// Prepares the far end for a session: for example, starts a simulation.
  ///
  /// - Throws: the error of the system.
  func prepare(_ endpoint: Endpoint, on loop: IOLoop) throws(Errno) -> PreparedEndpoint

  /// Makes a link that is not open yet.
  ///
  /// - Parameter loop: runs the timers of the link, and its watches before it is open.
  func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link

  /// Watches for the far end while a session waits for it.
  ///
  /// - Returns: nil if only an attempt to open it shows whether it is there.
  func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)?
}

extension LinkProvider {
  /// All of them: the port belongs to this computer.
  package var options: LinkOptionGroups { .all }

  /// ``ReturnPatience/blindInterval``.
  package var attemptInterval: Duration { ReturnPatience.blindInterval }

  /// Prepares nothing.
  package func prepare(_ endpoint: Endpoint, on loop: IOLoop) throws(Errno) -> PreparedEndpoint {
    PreparedEndpoint(endpoint)
  }
}

/// A target that completes a command line.
package struct TargetCompletion: Hashable, Sendable {
  package let text: String
  /// The device that the text names at the moment; nil if it names none.
  package let device: Device?

  package init(_ text: String, _ device: Device? = nil) {
    self.text = text
    self.device = device
  }
}

/// An endpoint that a session can open, with an object that must live as long as the session is
/// bound to it.
package struct PreparedEndpoint {
  package let endpoint: Endpoint
  private let owner: AnyObject?

  /// - Parameter owner: the object that makes the endpoint exist, such as a simulation.
  package init(_ endpoint: Endpoint, keeping owner: AnyObject? = nil) {
    self.endpoint = endpoint
    self.owner = owner
  }
}

/// Groups of options for opening a port, by the part of the far end that has to support them.
package struct LinkOptionGroups: OptionSet, Hashable, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }

  /// The settings of the line: baud rate, framing, flow control.
  package static let settings = LinkOptionGroups(rawValue: 1)
  /// DTR and RTS.
  package static let outputLines = LinkOptionGroups(rawValue: 2)
  /// Options that only the kernel of this computer supports, for its own ports: locks, HUPCL, error
  /// marks, RS-485, low latency.
  package static let kernel = LinkOptionGroups(rawValue: 4)

  package static let all: LinkOptionGroups = [.settings, .outputLines, .kernel]
}
