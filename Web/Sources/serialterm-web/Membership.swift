/// What one page does in sessions: it joins one at a time, sends commands and files, and leaves.
///
/// It belongs to the task that reads the page's messages.
final class Membership {
  private let server: Server
  private let page: Page
  /// The user's name for the other members of the next session.
  private var name: String
  private var viewer: Viewer?
  private var viewing: Task<Void, Never>?
  private let upload: PendingUpload

  init(_ name: String, for page: Page, of server: Server) {
    (self.name, self.page, self.server) = (name, page, server)
    upload = PendingUpload(in: server.uploads)
  }

  /// Performs a command of the page.
  ///
  /// - Throws: `BrowserCommand.Refusal`, and errors of the connection.
  func perform(_ command: BrowserCommand) async throws {
    switch command {
    case .hello: throw BrowserCommand.Refusal(id: nil, reason: "hello is the first message")
    case .join(let session): try await join(session)
    case .upload(let request):
      guard viewer != nil else {
        throw BrowserCommand.Refusal(id: request.id, reason: "no session is joined")
      }
      try sendFile(upload.begin(request))
    case .forward(let line): try send(line, for: nil)
    case .rename(let name, let line):
      self.name = name
      try send(line, for: nil)
    }
  }

  /// Adds a piece to the file that the page sends. One that belongs to no file is dropped.
  ///
  /// - Throws: `BrowserCommand.Refusal`.
  func add(_ piece: UnsafeRawBufferPointer) throws { try sendFile(upload.add(piece)) }

  /// Joins a session, after the one before was left.
  private func join(_ session: String) async throws {
    viewing?.cancel()
    await viewing?.value
    (viewer, viewing) = (nil, nil)
    guard await server.sessions.contains(session) else {
      return try await page.left(session, Viewer.End.missing.words)
    }
    let joined = Viewer(program: server.program, session: session, name: name)
    try await page.joined(session)
    viewer = joined
    viewing = Task { [page, upload] in
      let end = await joined.run(noting: { upload.note($0) }) { try await page.send($0) }
      // Its process has ended.
      upload.clear()
      if !Task.isCancelled { try? await page.left(session, end.words) }
    }
  }

  /// Leaves the session.
  func leave() {
    viewing?.cancel()
    upload.leave()
  }

  /// Passes a command on.
  ///
  /// - Throws: `BrowserCommand.Refusal` with the id of the command that fails with it.
  private func send(_ line: String, for id: BrowserCommand.Scalar?) throws {
    guard let viewer else { throw BrowserCommand.Refusal(id: id, reason: "no session is joined") }
    guard viewer.send(line) else {
      throw BrowserCommand.Refusal(id: id, reason: "the session does not answer: wait")
    }
  }

  /// Passes the command for a file on. A file that cannot be sent is removed.
  private func sendFile(_ line: String?) throws {
    guard let line else { return }
    do {
      try send(line, for: upload.id)
    } catch {
      upload.clear()
      throw error
    }
  }
}
