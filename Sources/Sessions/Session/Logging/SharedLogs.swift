package import EventLoop
import Logs
import Observing
import SerialCore
import SystemPackage
import TextStages
import Time

/// The logs that several sessions write to, each entry with the name of its port.
///
/// ## Principles of operation
///
/// - Records are in the order in which the program reads and writes, because all sessions run
///   on one thread.
/// - A session joins when its device is known. The files are created when every device that was
///   named at the start is open or awaited: a failed start leaves no file behind.
/// - The files are switched on and off for all members, together with the members' own logs.
package final class SharedLogs {
  /// The names of the files, as the user gave them.
  package let names: [String]

  private let namedFiles: [NamedLog]
  private lazy var logs = LogSet(on: loop) { [unowned self] news in
    // News about the logs is reported once, by the first session.
    members.lazy.compactMap(\.logger).first?.report(news)
  } onStart: { [unowned self] log in
    for member in members { _ = log.add(member.port) }
    for (number, member) in members.enumerated() {
      for event in member.logger?.firstEvents ?? [] { log.append(event, from: number) }
    }
  }
  private let loop: IOLoop
  private var members: [Member] = []
  private var mayBegin = false
  private var hasBegun = false

  private struct Member {
    let port: LogPort
    weak var logger: SessionLogger?
  }

  /// Creates the logs that sessions with these configurations share; nil if there are none.
  package init?(among configurations: [LogConfiguration], on loop: IOLoop) {
    namedFiles = LogConfiguration.shared(among: configurations)
    guard !namedFiles.isEmpty else { return nil }
    names = namedFiles.map(\.name)
    self.loop = loop
  }

  /// The number of sessions.
  package var memberCount: Int { members.count }

  /// The files that are being written.
  var files: Observed<[FilePath]>.Projection { logs.$files }

  /// The number of bytes that are missing from all logs.
  var missingCount: Int { logs.missingCount }

  // MARK: Members

  /// Adds a session.
  ///
  /// - Parameters:
  ///   - name: the name of its port. If another member has the same name, it gets a different one.
  ///   - endpoint: what the port is connected to.
  /// - Returns: the number of the port, for its records.
  func join(_ logger: SessionLogger, as name: String, at endpoint: String) throws(LogError) -> Int {
    let port = LogPort(unused(name), at: endpoint)
    members.append(Member(port: port, logger: logger))
    let number = members.count - 1
    if hasBegun {
      logs.add(port)
      for event in logger.firstEvents { logs.append(event, from: number, at: .now) }
    } else {
      try beginIfNeeded()
    }
    return number
  }

  private func unused(_ name: String) -> String {
    var (unused, count) = (name, 1)
    while members.contains(where: { $0.port.name == unused }) {
      count += 1
      unused = "\(name)#\(count)"
    }
    return unused
  }

  /// Creates the files if any session has joined; otherwise when the first one joins.
  package func begin() throws(LogError) {
    mayBegin = true
    try beginIfNeeded()
  }

  private func beginIfNeeded() throws(LogError) {
    guard mayBegin, !hasBegun, !members.isEmpty else { return }
    hasBegun = true
    for file in namedFiles { try logs.start(file, port: Endpoint.unknownFileName) }
  }

  // MARK: Records

  func append(
    _ bytes: UnsafeRawBufferPointer, _ direction: Direction, from port: Int, by client: String?,
    at moment: Moment
  ) {
    logs.append(bytes, direction, from: port, by: client, at: moment)
  }

  func append(_ event: LogEvent, from port: Int, at moment: Moment) {
    logs.append(event, from: port, at: moment)
  }

  func append(mark: LogEvent, from port: Int, at moment: Moment) -> [UnmarkedLog] {
    logs.append(mark: mark, from: port, at: moment)
  }

  // MARK: On and off

  func switchOn() throws(LogError) {
    try logs.switchOn()
    for member in members { try member.logger?.switchOwnOnAgain() }
  }

  func switchOff() {
    // Last, so that the first file of each session changes once.
    for member in members { member.logger?.switchOwnOff() }
    logs.switchOff()
  }

  func close() { logs.close() }

  func finish(by deadline: MonotonicTime) { logs.finish(by: deadline) }
}
