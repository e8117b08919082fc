import SerialCore
import SystemPackage

extension Endpoint {
  /// The replacement of `%t` in the name of a log: `ttyUSB0`, `lab-4001` for `tcp://lab:4001`,
  /// `board.sock` for `unix:/run/board.sock`, `board` for `loopback:board`. It contains no
  /// character that is special in a path or on a terminal.
  package var fileName: String {
    if kind == .tty, let path, let name = path.lastComponent?.string {
      // The number of a pseudo-terminal says nothing by itself.
      return path.removingLastComponent() == "/dev/pts" ? "pts-\(name)" : name
    }
    guard kind != .unresolved else { return Self.unknownFileName }
    var name = "\(self)"[...]
    if let colon = name.firstIndex(of: ":"), name[colon...] != ":" {
      name = name[colon...].dropFirst()
    }
    // This is the path of a socket, possibly of a server of RFC 2217.
    if kind == .unix || name.hasPrefix("///") { name = name.split(separator: "/").last ?? "" }
    let pieces = name.split { !$0.isLetter && !$0.isNumber && $0 != "." && $0 != "_" && $0 != "-" }
    // A name that begins with a dot is hidden, or leads to another folder.
    let text = pieces.joined(separator: "-").drop { $0 == "." || $0 == "-" }
    return text.isEmpty ? Self.unknownFileName : String(text)
  }

  /// The replacement of `%t` for a session whose port is not known.
  static let unknownFileName = "session"
}
