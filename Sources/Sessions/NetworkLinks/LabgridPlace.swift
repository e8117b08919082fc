import SerialCore
import TextTools

/// The console of a place of labgrid: `board`, or `board/main` if the place has several
/// serial ports.
///
/// labgrid-client knows the coordinator (`LG_COORDINATOR`, `-x`), and says where the port is.
public struct LabgridPlace: Hashable, Sendable {
  /// The name or an alias of the place.
  public let name: String
  /// The name of the resource; nil for the only serial port.
  public let resource: String?

  /// Parses a place.
  ///
  /// - Returns: nil if the text is not a place.
  public init?(parsing text: String) {
    let parts = text.split(separator: "/", maxSplits: 1, omittingEmptySubsequences: false)
    name = String(parts[0])
    resource = parts.count == 2 ? String(parts[1]) : nil
    // labgrid-client must not take it for an option or for a pattern.
    guard Self.isName(name), resource.map(Self.isName) ?? true else { return nil }
  }

  private static func isName(_ text: String) -> Bool {
    !text.isEmpty && !text.hasPrefix("-")
      && text.utf8.allSatisfy { $0 > 0x20 && $0 != 0x7F && !"*?[]'\"\\/".utf8.contains($0) }
  }

  /// The arguments of labgrid-client, which then prints where the port is.
  var arguments: [String] { ["-p", name, "show"] }

  /// The operation of errors about a place: the program that is asked.
  public static let operation = "labgrid-client"

  /// Where the port of a place is.
  struct Port: Hashable, Sendable {
    let address: HostAddress
    /// Whether the server passes bytes alone; otherwise it has RFC 2217.
    let isRaw: Bool
    /// The baud rate of the exporter's configuration; nil if it has none.
    let speed: UInt32?
  }

  /// Why the port of a place cannot be used.
  struct Problem: Error, Hashable, Sendable {
    let code: SerialError.Code
    /// The reason, in words, and what to do.
    let words: String

    init(_ code: SerialError.Code, _ words: String) { (self.code, self.words) = (code, words) }
  }

  /// Finds the port in the answer of labgrid-client.
  func port(in answer: LabgridQuery.Answer) throws(Problem) -> Port {
    switch answer {
    case .success(let text): return try port(in: text, for: LabgridQuery.user)
    case .failure(.failed(let lastLine)): throw Self.problem(lastLine, of: name)
    case .failure(let failing):
      throw Problem(failing.isUnreachable ? .unreachable : .refusedByServer, failing.words)
    }
  }

  /// Finds the port in what the command printed.
  ///
  /// - Parameters:
  ///   - output: its standard output; it may have any content.
  ///   - user: the host and the user as labgrid names them: `HOST/USER`.
  func port(in output: String, for user: String) throws(Problem) -> Port {
    let lines = output.split(whereSeparator: \.isNewline)
    func value(of key: String) -> String? {
      lines.first { $0.hasPrefix("  \(key): ") }.map { String($0.dropFirst(key.utf8.count + 4)) }
    }
    guard let holder = value(of: "acquired") else {
      throw Problem(.refusedByServer, "labgrid-client printed nothing about the place")
    }
    guard holder != "None" else {
      throw Problem(
        .permissionDenied,
        "the place is not acquired. Acquire it: 'labgrid-client -p \(name) acquire'")
    }
    let allowed = (value(of: "allowed") ?? "").split(separator: ",").map { $0.trimmed }
    guard holder == user || allowed.contains(user) else {
      throw Problem(
        .busy,
        "the place is acquired by \(holder). They can let you in: "
          + "'labgrid-client -p \(name) allow \(user)'")
    }
    return try port(among: Self.resources(in: lines))
  }

  private func port(among resources: [Resource]) throws(Problem) -> Port {
    let found = resources.filter { resource == nil || $0.name == resource }
    guard let first = found.first else {
      throw Problem(
        .notFound,
        resource.map { "the place has no serial port with the name \($0)" }
          ?? "the place has no serial port")
    }
    guard found.count == 1 else {
      let names = found.map { "labgrid:\(name)/\($0.name)" }
      throw Problem(
        .refusedByServer, "the place has several serial ports: \(names.joined(separator: ", "))")
    }
    guard let host = first.values["host"], let number = first.values["port"].flatMap(UInt16.init),
      let address = try? HostAddress(
        parsing: host.contains(":") ? "[\(host)]:\(number)" : "\(host):\(number)")
    else {
      throw Problem(.unreachable, "its exporter does not offer the port now")
    }
    guard first.values["proxy_required"] != "True" else {
      throw Problem(
        .refusedByServer,
        "the port is only reachable through labgrid's proxy: "
          + "'labgrid-client -p \(name) console' uses it")
    }
    return Port(
      address: address, isRaw: first.values["protocol"] == "raw",
      speed: first.values["speed"].flatMap { UInt32($0) })
  }

  /// A serial port of a place.
  private struct Resource {
    let name: String
    /// The values of its description, without quotation marks.
    var values: [String: String] = [:]
  }

  /// The serial ports in the output, which is Python's form of dictionaries, with a name in a line
  /// before each.
  private static func resources(in lines: [Substring]) -> [Resource] {
    var resources: [Resource] = []
    var isSerial = false
    for line in lines.prefix(lineLimit) {
      guard line.hasPrefix(" ") else {
        // Acquired resource 'NAME' (EXPORTER/GROUP/CLASS/NAME):
        let parts = line.split(separator: "'", maxSplits: 2)
        isSerial =
          parts.count == 3 && line.contains(text: "resource")
          && line.contains(text: "/NetworkSerialPort/")
        if isSerial { resources.append(Resource(name: String(parts[1]))) }
        continue
      }
      guard isSerial, !resources.isEmpty else { continue }
      for part in line.split(whereSeparator: { "{},".contains($0) }) {
        let pair = part.split(separator: ":", maxSplits: 1)
        guard pair.count == 2 else {
          // 'params': {'extra': {'path': …: the last key counts.
          continue
        }
        resources[resources.count - 1].values[pair[0].unquoted] = pair[1].unquoted
      }
    }
    return resources
  }

  private static let lineLimit = 4_096
}

extension LabgridPlace {
  /// Why labgrid-client has failed.
  ///
  /// - Parameters:
  ///   - lastLine: the last line of its standard error; nil if there is none.
  static func problem(_ lastLine: String?, of place: String) -> Problem {
    let words = lastLine ?? ""
    if words.contains(text: "matches nothing") {
      return Problem(
        .notFound, "there is no such place. 'labgrid-client places' lists the places")
    }
    if words.contains(text: "coordinator") {
      return Problem(
        .unreachable,
        "labgrid's coordinator cannot be reached. $LG_COORDINATOR has its address, HOST:PORT")
    }
    return Problem(
      .refusedByServer,
      words.isEmpty ? "labgrid-client has failed" : "labgrid-client says: \(words)")
  }
}

extension Substring {
  /// The text without blanks at its ends.
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }

  /// The text without blanks and quotation marks at its ends.
  fileprivate var unquoted: String {
    let marks: Set<Character> = [" ", "'", "\""]
    return String(drop(while: marks.contains).reversed().drop(while: marks.contains).reversed())
  }
}
