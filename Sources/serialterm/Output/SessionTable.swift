import PlainText
import Posix
import SessionKit
import SystemPackage

/// The running sessions as a table.
struct SessionTable {
  private let sessions: [RunningSession]

  init(_ sessions: [RunningSession]) { self.sessions = sessions }

  /// A header, then one line for each session.
  var lines: [String] {
    Table(
      header: ["SESSION", "DEVICE", "COMMAND", "SINCE", "PEN", "OTHERS"],
      rows: sessions.map { session in
        let summary = session.summary
        return [
          "\(session.pid)", summary.port, summary.command,
          Timestamp(seconds: summary.since, microseconds: 0).minute, summary.holder ?? "-",
          summary.others.isEmpty ? "-" : summary.others.joined(separator: ", "),
        ]
      }
    ).lines
  }
}

extension RunningSession {
  /// Whether a user's text names the session: by its process, by its device, or by a link to that.
  func fits(_ name: String) -> Bool {
    if name == "\(pid)" || name == summary.port { return true }
    let path = FilePath(summary.port)
    if path.lastComponent?.string == name { return true }
    let real = path.realPath
    return real != nil
      && (FilePath(name).realPath == real || FilePath("/dev").appending(name).realPath == real)
  }

  var json: JSON {
    .object([
      ("pid", .integer(Int(pid))), ("port", .string(summary.port)),
      ("command", .string(summary.command)),
      ("since", .string(Timestamp(seconds: summary.since, microseconds: 0).rfc3339)),
      ("pen", JSON(summary.holder)),
      ("others", .array(summary.others.map { .string($0) })),
      ("addresses", .array(summary.addresses.map { .string($0) })),
    ])
  }
}
