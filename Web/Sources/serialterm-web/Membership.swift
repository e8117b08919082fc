/// What one page does in sessions: it joins one at a time, sends commands and files, and leaves.
///
/// It belongs to the task that reads the page's messages.
final class Membership {
  private let server: Server
  private let page: Page
  /// The user's name for the other members.
  private let name: String
  private var viewer: Viewer?
  private var viewing: Task<Void, Never>?
  /// The file that the page sends, kept until the next one, because the session reads it.
  private var upload: Upload?

  init(_ name: String, for page: Page, of server: Server) {
    (self.name, self.page, self.server) = (name, page, server)
  }

  /// Performs a command of the page.
  ///
  /// - Throws: `BrowserCommand.Refusal`, and errors of the connection.
  func perform(_ command: BrowserCommand) async throws {
    switch command {
    case .hello: throw BrowserCommand.Refusal(id: nil, reason: "hello is the first message")
    case .join(let session): try await join(session)
    case .upload(let request): try begin(request)
    case .forward(let line): try send(line, for: nil)
    }
  }

  /// Joins a session, after the one before was left.
  private func join(_ session: String) async throws {
    viewing?.cancel()
    await viewing?.value
    (viewer, viewing, upload) = (nil, nil, nil)
    guard await server.sessions.contains(session) else {
      return try await page.left(session, "no such session is running")
    }
    let joined = Viewer(program: server.program, session: session, name: name)
    try await page.joined(session)
    viewer = joined
    viewing = Task { [page] in
      let reason = await joined.run { try await page.send($0) }
      if !Task.isCancelled { try? await page.left(session, reason) }
    }
  }

  /// Leaves the session.
  func leave() { viewing?.cancel() }

  /// Passes a command on.
  ///
  /// - Throws: `BrowserCommand.Refusal` with the id of the command that fails with it.
  private func send(_ line: String, for id: BrowserCommand.Scalar?) throws {
    guard let viewer else { throw BrowserCommand.Refusal(id: id, reason: "no session is joined") }
    guard viewer.send(line) else {
      throw BrowserCommand.Refusal(id: id, reason: "the session does not answer: wait")
    }
  }

  // MARK: Files

  private func begin(_ request: Upload.Request) throws {
    upload = nil
    guard viewer != nil else {
      throw BrowserCommand.Refusal(id: request.id, reason: "no session is joined")
    }
    do throws(Upload.Trouble) {
      upload = try Upload(request)
    } catch {
      throw BrowserCommand.Refusal(id: request.id, reason: error.reason)
    }
    try sendIfComplete()
  }

  /// Adds a piece to the file that the page sends. One that belongs to no file is dropped.
  ///
  /// - Throws: `BrowserCommand.Refusal`.
  func add(_ piece: UnsafeRawBufferPointer) throws {
    guard let file = upload, !file.isComplete else { return }
    do throws(Upload.Trouble) {
      try file.add(piece)
    } catch {
      upload = nil
      throw BrowserCommand.Refusal(id: file.request.id, reason: error.reason)
    }
    try sendIfComplete()
  }

  /// Lets the session send the file when all of it is here.
  private func sendIfComplete() throws {
    guard let file = upload, file.isComplete else { return }
    let request = file.request
    try send(
      BrowserCommand.line(of: [
        "command": .text("send-file"), "id": request.id, "path": .text(file.path),
        "protocol": .text(request.protocolName),
      ]), for: request.id)
  }
}
