import Options
import Posix
import Sessions
import SystemPackage
import TerminalWidgets
import TextTools

/// The running sessions as a table.
struct SessionTable {
  private let sessions: [RunningSession]
  private let width: Int?

  /// - Parameter width: the columns of the terminal; nil for no limit. In a narrow one, names have
  ///   their own lines.
  init(_ sessions: [RunningSession], width: Int? = nil) {
    (self.sessions, self.width) = (sessions, width)
  }

  /// A header, then one line for each session.
  var lines: [String] {
    let hasProfiles = sessions.contains { $0.profile != nil }
    let header =
      ["SESSION", "DEVICE"] + (hasProfiles ? ["PROFILE"] : []) + ["COMMAND", "SINCE"]
    let rows = sessions.map { session in
      ["\(session.pid)", session.summary.port] + (hasProfiles ? [session.profile ?? "-"] : [])
        + [
          session.summary.command,
          Timestamp(seconds: session.summary.since, microseconds: 0).minute,
        ]
    }
    let people = sessions.map { session in
      let others = session.summary.others
      return [
        session.summary.holder ?? "-", others.isEmpty ? "-" : others.joined(separator: ", "),
      ]
    }
    let wide = Table(header: header + ["PEN", "OTHERS"], rows: zip(rows, people).map { $0 + $1 })
      .lines
    guard let width, wide.contains(where: { $0.displayWidth > width }) else { return wide }
    let narrow = Table(header: header, rows: rows).lines
    let lines =
      narrow.prefix(1)
      + zip(narrow.dropFirst(), people).flatMap { line, people in
        [line, "  pen: \(people[0].harmless)"]
          + (people[1] == "-" ? [] : ["  others: \(people[1].harmless)"])
      }
    return lines.flatMap { StyledLine($0).wrapped(toWidth: width, indentation: 4).map(\.text) }
  }

  /// The sessions as choices of a list.
  static func choices(of sessions: [RunningSession]) -> [Choice<RunningSession>] {
    sessions.map { session in
      let summary = session.summary
      let others = summary.others.isEmpty ? "" : ", \(summary.others.count) more"
      return Choice(
        id: session, label: "\(session.pid)", title: summary.port,
        synonyms: ["\(session.pid)"] + [session.profile].compactMap(\.self),
        detail: "\(summary.command), pen: \(summary.holder ?? "nobody")\(others)")
    }
  }

  /// The words that name the sessions, for shells: the device, or the process if two have
  /// the same device; and the profiles.
  static func candidates(of sessions: [RunningSession]) -> [Completion.Candidate] {
    let profiles = Dictionary(grouping: sessions.filter { $0.profile != nil }, by: \.profile)
      .compactMap { name, sessions in
        name.map { name in
          Completion.Candidate(name, sessions.map(\.summary.port).joined(separator: ", "))
        }
      }.sorted { $0.word < $1.word }
    return sessions.map { session in
      let port = session.summary.port
      let isUnique = sessions.count { $0.summary.port == port } == 1
      return Completion.Candidate(
        isUnique ? port : "\(session.pid)",
        "\(session.summary.command), " + (isUnique ? "process \(session.pid)" : port))
    } + profiles
  }
}

extension [RunningSession] {
  /// The sessions that a user's text names: by process or device, else by profile.
  func named(_ name: String) -> [RunningSession] {
    let fitting = filter { $0.fits(name) }
    return fitting.isEmpty ? filter { $0.profile == name } : fitting
  }
}

extension RunningSession {
  /// The profile of its port; nil for none, and if the program does not report it.
  var profile: String? { summary.profile.flatMap { $0.isEmpty ? nil : $0 } }

  /// Whether a user's text names the session: by its process, by its device, by a link to that, or
  /// by its ``Sessions/RunningSession/id``.
  func fits(_ name: String) -> Bool {
    if name == "\(pid)" || name == summary.port || name == id { return true }
    let path = FilePath(summary.port)
    if path.lastComponent?.string == name { return true }
    let real = path.realPath
    return real != nil
      && (FilePath(name).realPath == real || FilePath("/dev").appending(name).realPath == real)
  }

  var json: JSON {
    .object([
      ("session", .string(id)), ("pid", .integer(Int(pid))), ("port", .string(summary.port)),
      ("profile", JSON(profile)),
      ("state", JSON(summary.state?.name)), ("reason", JSON(summary.reason)),
      ("command", .string(summary.command)),
      ("since", .string(Timestamp(seconds: summary.since, microseconds: 0).rfc3339)),
      ("pen", JSON(summary.holder)),
      ("others", .array(summary.others.map { .string($0) })),
      ("addresses", .array(summary.addresses.map { .string($0) })),
    ])
  }
}
