import FoundationEssentials
import Subprocess
import SystemPackage

/// The sessions that pages can join: it asks `serialterm` every two seconds while a page is there.
actor SessionList {
  private let program: String
  /// The process whose sessions are shown; nil for all.
  private let pid: Int32?
  /// The present sessions; nil before the first answer.
  private var sessions: [Session]?
  private var pages: [Int: AsyncStream<[Session]>.Continuation] = [:]
  private var pageCount = 0
  private var polling: Task<Void, Never>?

  init(program: String, pid: Int32?) { (self.program, self.pid) = (program, pid) }

  /// A session, as pages get it.
  struct Session: Encodable, Hashable, Sendable {
    /// What `serialterm attach` calls it.
    let session: String
    let port: String
    let state: String
    /// The names of those who are there.
    let people: [String]
    /// The name of the member with the pen.
    let pen: String?
  }

  /// A session, as `serialterm attach --list --json` reports it.
  private struct Listed: Decodable {
    let session: String
    let pid: Int32
    let port: String
    let state: String
    let pen: String?
    /// The names of those who do not have the pen.
    let others: [String]
  }

  /// The sessions now, and at each change.
  func changes() -> AsyncStream<[Session]> {
    let number = pageCount
    pageCount += 1
    // A page that is slow gets the newest list.
    let (stream, page) = AsyncStream.makeStream(
      of: [Session].self, bufferingPolicy: .bufferingNewest(1))
    page.onTermination = { [weak self] _ in Task { await self?.remove(number) } }
    pages[number] = page
    if let sessions { page.yield(sessions) }
    if polling == nil { polling = Task { await poll() } }
    return stream
  }

  private func remove(_ number: Int) {
    pages[number] = nil
    guard pages.isEmpty else { return }
    polling?.cancel()
    (polling, sessions) = (nil, nil)
  }

  private func poll() async {
    while !Task.isCancelled {
      let found = await ask()
      if let found, found != sessions, !Task.isCancelled {
        sessions = found
        for page in pages.values { page.yield(found) }
      }
      try? await Task.sleep(for: .seconds(2))
    }
  }

  /// Whether pages may join a session.
  func contains(_ session: String) -> Bool { sessions?.contains { $0.session == session } ?? false }

  /// The sessions; nil if that cannot be found out at present.
  private func ask() async -> [Session]? {
    let result = try? await Subprocess.run(
      .path(FilePath(program)), arguments: ["attach", "--list", "--json"],
      output: .string(limit: 1 << 20))
    guard let text = result?.standardOutput,
      let all = try? JSONDecoder().decode([Listed].self, from: Data(text.utf8))
    else { return nil }
    return all.filter { pid == nil || $0.pid == pid }.map {
      Session(
        session: $0.session, port: $0.port, state: $0.state,
        people: [$0.pen].compactMap(\.self) + $0.others, pen: $0.pen)
    }
  }
}
