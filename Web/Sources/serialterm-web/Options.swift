import Glibc

/// The arguments of the program.
struct Options: Equatable {
  /// The address to listen at.
  var host = "127.0.0.1"
  var port: Int
  /// Whether the page needs no token.
  var isOpen = false
  /// The process whose sessions are shown; nil for all of this user.
  var pid: pid_t?
  /// Additional names by which browsers may reach the server, such as that of a reverse proxy,
  /// each with its port there if that is not 80 or 443.
  var names: [RequestRules.Authority] = []
  /// The computers that may connect; empty for all.
  var allowed: [AddressRange] = []
  /// The path of `serialterm`; nil to search for it.
  var program: String?
  /// Whether the program ends at the end of its standard input.
  var endsWithInput = false

  static let usage = """
    usage: serialterm-web [HOST:]PORT [options]

    Serves a page on which browsers watch this user's serialterm sessions, and write with the pen.
    'serialterm serve TARGET --web PORT' starts it for one session.

      --open           let everyone in who reaches the address: the link has no token
      --allow ADDRESS[/BITS]
                       let only these computers connect; may be repeated
      --host NAME[:PORT]
                       a further name by which browsers reach this computer, as of a
                       reverse proxy, whose port is 80 or 443 without PORT; may be
                       repeated
      --pid PID        show the sessions of one process only
      --program PATH   the serialterm to use, in place of the one beside this program
                       or in PATH
      --until-eof      end at the end of standard input
      --version, --help

    """

  /// Parses the arguments.
  ///
  /// - Throws: ``Mistake``.
  init(_ words: [String]) throws(Mistake) {
    var address: String?
    self.port = 0
    var rest = words[...]
    while let word = rest.popFirst() {
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      let name = word.hasPrefix("--") ? String(parts[0]) : word
      func value() throws(Mistake) -> String {
        if word.hasPrefix("--"), parts.count == 2 { return String(parts[1]) }
        guard let value = rest.popFirst() else { throw Mistake("\(name) needs a value") }
        return value
      }
      switch name {
      case "--open": isOpen = true
      case "--until-eof": endsWithInput = true
      case "--host":
        let text = try value()
        guard let name = RequestRules.Authority(text) else {
          throw Mistake("--host: '\(text)' is no NAME or NAME:PORT")
        }
        names.append(name)
      case "--allow":
        let text = try value()
        guard let range = AddressRange(parsing: text) else {
          throw Mistake("--allow: '\(text)' is no address, and no range such as 192.168.1.0/24")
        }
        allowed.append(range)
      case "--program": program = try value()
      case "--pid":
        let text = try value()
        guard let number = pid_t(text), number > 0 else {
          throw Mistake("--pid: '\(text)' is not the number of a process")
        }
        pid = number
      case _ where word.hasPrefix("-"): throw Mistake("unknown option '\(word)'")
      default:
        guard address == nil else { throw Mistake("unexpected argument '\(word)'") }
        address = word
      }
    }
    guard let address else { throw Mistake("where? Name a PORT or HOST:PORT") }
    guard let (host, port) = Self.parse(address) else {
      throw Mistake("'\(address)' is no PORT from 1 to 65535, HOST:PORT or [ADDRESS]:PORT")
    }
    (self.host, self.port) = (host ?? "127.0.0.1", port)
  }

  /// Parses `PORT`, `HOST:PORT` or `[ADDRESS]:PORT`.
  private static func parse(_ text: String) -> (host: String?, port: Int)? {
    let colon = text.lastIndex(of: ":")
    let digits = colon.map { text[text.index(after: $0)...] } ?? text[...]
    guard digits.allSatisfy(\.isNumber), let port = Int(digits), (1...65_535).contains(port) else {
      return nil
    }
    guard let colon else { return (nil, port) }
    var host = text[..<colon]
    if host.hasPrefix("["), host.hasSuffix("]") {
      host = host.dropFirst().dropLast()
    } else if host.contains(":") {
      return nil
    }
    return host.isEmpty ? nil : (String(host), port)
  }

  /// The reason why arguments cannot be used.
  struct Mistake: Error, Equatable, CustomStringConvertible {
    let description: String

    init(_ description: String) { self.description = description }
  }
}
