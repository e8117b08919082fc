public import SystemPackage

extension NetworkLink {
  /// The address of the other end.
  public enum Address: Hashable, Sendable {
    case host(HostAddress)
    /// A Unix socket. See unix(7).
    case path(FilePath)
    /// A port that `serialterm serve` shares on another computer.
    case ssh(SSHAddress)
    /// The console of a place of labgrid.
    case labgrid(LabgridPlace)
    /// A session of another process: the path of its socket, and the request to join it.
    case session(FilePath, request: String)
  }
}

extension NetworkLink.Address {
  /// Whether it leads to a session, which the user joins.
  var isSession: Bool { if case .session = self { true } else { false } }

  /// The bytes to send first.
  var greeting: [UInt8] {
    if case .session(_, let request) = self { Array("\(request)\n".utf8) } else { [] }
  }
}
