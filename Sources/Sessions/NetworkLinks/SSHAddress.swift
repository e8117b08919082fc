import SerialCore
import TextTools

/// A port of another computer that is reached through ssh(1): `pi/ttyUSB0`, `user@pi:2222/ttyUSB0`.
public struct SSHAddress: Hashable, Sendable {
  /// The user on the other computer; nil for ssh's default.
  public let user: String?
  /// A host name, an address, or an alias from the configuration of ssh.
  public let host: String
  /// The port, 1 to 65535; nil for ssh's default.
  public let port: UInt16?
  /// The TARGET on the other computer.
  public let target: String

  /// Parses an address.
  ///
  /// - Returns: nil if the text is not an address.
  public init?(parsing text: String) {
    guard let slash = text.firstIndex(of: "/") else { return nil }
    var place = text[..<slash]
    target = String(text[text.index(after: slash)...])
    if let at = place.lastIndex(of: "@") {
      user = String(place[..<at])
      place = place[place.index(after: at)...]
    } else {
      user = nil
    }
    if place.hasPrefix("[") {
      guard let end = place.firstIndex(of: "]") else { return nil }
      host = String(place[place.index(after: place.startIndex)..<end])
      place = place[place.index(after: end)...]
    } else {
      let colon = place.firstIndex(of: ":") ?? place.endIndex
      host = String(place[..<colon])
      place = place[colon...]
    }
    if place.isEmpty {
      port = nil
    } else {
      guard place.hasPrefix(":"), let number = UInt16(place.dropFirst()), number > 0 else {
        return nil
      }
      port = number
    }
    guard Self.isName(host), user.map(Self.isName) ?? true, !target.isEmpty else { return nil }
    guard target.utf8.allSatisfy({ $0 >= 0x20 && $0 != 0x7F }) else { return nil }
  }

  /// Whether a text is safe: ssh does not take it for an option, and no shell expands it.
  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("-")
      && text.utf8.allSatisfy {
        (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) || (0x61...0x7A).contains($0)
          || "._-:%+".utf8.contains($0)
      }
  }

  /// The command that connects standard input and output to the port. See ssh(1) and ssh_config(5).
  ///
  /// ssh asks no questions, because there is no terminal for them. It detects a lost connection
  /// within 15 seconds.
  public var command: [String] {
    let options = [
      "BatchMode=yes", "ConnectTimeout=10", "ServerAliveInterval=5", "ServerAliveCountMax=2",
      "ClearAllForwardings=yes", "EscapeChar=none", "RequestTTY=no", "RemoteCommand=none",
    ]
    // The shell on the other computer parses the words again.
    let quoted =
      "'"
      + target.split(separator: "'", omittingEmptySubsequences: false)
      .joined(separator: "'\\''") + "'"
    return ["ssh"] + options.flatMap { ["-o", $0] } + (port.map { ["-p", "\($0)"] } ?? [])
      + [user.map { "\($0)@\(host)" } ?? host, "serialterm serve --stdio -- \(quoted)"]
  }
}

extension SSHAddress {
  /// Why ssh, or the program on the other computer, has ended. See ssh(1) for the exit status.
  ///
  /// - Parameters:
  ///   - status: the exit status of ssh; nil if it is unknown.
  ///   - lastLine: the last line of its standard error; nil if there is none.
  static func error(
    status: CInt?, _ lastLine: String?, at endpoint: Endpoint
  ) -> SerialError {
    let prefix = "serialterm: "
    let words = lastLine.map { $0.hasPrefix(prefix) ? String($0.dropFirst(prefix.count)) : $0 }
    let (code, reason): (SerialError.Code, String?) =
      switch status {
      case 255: (.unreachable, words)
      case 127: (.refusedByServer, "serialterm is not installed there, or ssh does not find it")
      case 2 where words?.contains(text: "'serve'") ?? false:
        (.refusedByServer, "the serialterm there has no 'serve' yet; update it")
      case 3: (.notFound, words)
      case 4: (.permissionDenied, words)
      case 5: (.busy, words)
      default: (.refusedByServer, words.map { "on the other computer: \($0)" })
      }
    let subject = reason ?? "the program there has ended"
    return SerialError(code, in: "ssh", at: endpoint, subject: subject)
  }
}
