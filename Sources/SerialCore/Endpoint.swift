public import SystemPackage

/// The address of a device, or of whatever else is at the far end of a link: its kind and its name
/// within that kind.
///
/// Two endpoints are equal if their kinds and names are. A path and a symbolic link to it are
/// different endpoints: what they lead to is known only when a link is open.
public struct Endpoint: Hashable, Sendable {
  /// A kind of endpoint. Each kind has its own ``Link``; a program may add kinds.
  public struct Kind: Hashable, Sendable {
    /// The name of the kind: `tty`.
    public let name: String

    /// Creates a kind.
    public init(_ name: String) { self.name = name }

    /// A terminal device of this computer, named by its path.
    public static let tty = Kind("tty")
    /// A device that is not known yet, named by a description: `usb:0403:6001`.
    public static let unresolved = Kind("unresolved")
  }

  /// The kind.
  public let kind: Kind
  /// The path of the node, for terminal devices of this computer; nil for every other kind.
  public let path: FilePath?
  /// The address as a user writes it; nil if that is the path, which need not be valid Unicode.
  private let name: String?

  /// Creates an endpoint.
  ///
  /// - Parameters:
  ///   - kind: the kind of endpoint.
  ///   - name: the address as a user writes it, kind included: `loopback:board`.
  ///   - path: the node, for terminal devices of this computer.
  public init(_ kind: Kind, _ name: String, at path: FilePath? = nil) {
    (self.kind, self.name, self.path) = (kind, name, path)
  }

  private init(_ path: FilePath) { (kind, name, self.path) = (.tty, nil, path) }

  /// A terminal device of this computer.
  public static func tty(_ path: FilePath) -> Endpoint { Endpoint(path) }
}

extension Endpoint: CustomStringConvertible {
  /// The address as a user writes it: `/dev/ttyUSB0`, `loopback:board`.
  public var description: String { name ?? path?.string ?? "" }
}
