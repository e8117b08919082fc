import Glibc
import Logs
import Options
import Posix
import SystemPackage
import Terminal
import TextStages
import TextTools

/// `serialterm symbolize`: explains the addresses in text that is already there.
struct SymbolizeCommand: Subcommand {
  private static let file = Parameter<String?>.argument(
    "log", "A text file or a log; without it, or with -, standard input.", completion: .files,
    parse: { $0 })
  private static let port = Parameter<String?>.option(
    "port", "NAME", "The port, of a log of several.", parse: { $0 })

  static let description = CommandDescription(
    "symbolize", "Show functions and source lines of addresses in a text.",
    """
    Prints the text unchanged, and below each line with addresses of code their functions, files and lines. \
    The text is a file, a log in any format, or standard input. The program that reads the ELF file is \
    the addr2line of its toolchain.
    """,
    example: """
      serialterm symbolize --elf build/app.elf crash.txt
      journalctl -u board-log | serialterm symbolize --elf build
      """,
    sections: [
      ParameterSection("ARGUMENTS", [file]),
      ParameterSection("OPTIONS", [SymbolParameters.elf, SymbolParameters.addr2line, port]),
    ])

  private let values: Values

  init(_ values: Values) throws(UsageError) {
    self.values = values
    guard !values[SymbolParameters.elf].isEmpty else {
      throw UsageError(about: ["elf"], "name the ELF file of the firmware with --elf FILE")
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let listing = try SymbolListing(values.symbolFiles)
    let name = values[Self.file] ?? "-"
    if name != "-", Self.hasRecords(FilePath(name)) {
      try Self.print(logOf: FilePath(name), port: values[Self.port], with: listing)
    } else {
      guard values[Self.port] == nil else {
        let formats = LogFormat.withRecords.alternatives(\.title)
        throw Failure(.usage, "--port is for a log in \(formats).")
      }
      try print(textOf: name, with: listing)
    }
    return .done
  }

  /// Whether a file is a log with records. A text log is printed as it is.
  private static func hasRecords(_ path: FilePath) -> Bool {
    guard (try? path.stat().type) == .regular,
      let bytes = try? InputFile.beginning(of: path, count: LogFormat.probeByteCount)
    else { return false }
    return LogFormat(ofRecordsIn: bytes[...]) != nil
  }

  /// Prints what a device has sent, by a log.
  ///
  /// - Parameter port: the name of the port; nil for all.
  /// - Throws: ``Failure``, and the errors of epoll_wait(2).
  static func print(
    logOf path: FilePath, port: String?, with listing: SymbolListing
  ) throws {
    do {
      let reader = try LogReader(path)
      reading: while true {
        switch try reader.next() {
        case .entry(let entry):
          if entry.direction == .fromDevice, port == nil || entry.port == port {
            try listing.add(entry.bytes)
          }
        case .waiting:
          try listing.write()
          var poll = pollfd(fd: reader.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
          _ = Glibc.poll(&poll, 1, -1)
        case .end:
          if let port, !reader.ports.contains(port) {
            throw Failure(.usage, "\(path.string.harmless): no port '\(port.harmless)'.")
          }
          break reading
        }
      }
    } catch let error as LogReadingError {
      // The entries before the error are valid.
      try listing.finish()
      throw Failure(.usage, "\(path.string.harmless)\(error).")
    }
    try listing.finish()
  }

  private func print(textOf name: String, with listing: SymbolListing) throws {
    var file: Input?
    do throws(Errno) {
      file = name == "-" ? nil : try Input(FilePath(name))
    } catch {
      throw Failure(.usage, "\(name.harmless): \(error).")
    }
    let descriptor = file?.owned.borrowed ?? .standardInput
    var piece = [UInt8](repeating: 0, count: 65_536)
    while true {
      var poll = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      _ = Glibc.poll(&poll, 1, -1)
      let count: Int
      do throws(Errno) {
        count = try systemCall {
          piece.withUnsafeMutableBytes { read(descriptor.rawValue, $0.baseAddress, $0.count) }
        }
      } catch .wouldBlock {
        continue
      } catch {
        try listing.finish()
        throw Failure(.usage, "\(name == "-" ? "standard input" : name.harmless): \(error).")
      }
      guard count > 0 else { break }
      try listing.add(piece[..<count])
      try listing.write()
    }
    try listing.finish()
  }

  private final class Input {
    let owned: OwnedDescriptor
    init(_ path: FilePath) throws(Errno) {
      owned = try OwnedDescriptor.open(path, O_RDONLY | O_NOCTTY)
    }
  }
}
