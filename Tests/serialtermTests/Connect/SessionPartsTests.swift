import EventLoop
import Logs
import Loopback
import Posix
import SerialCore
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite struct SessionPartsTests {
  /// A view that ends the log as soon as it is shown something: what the log has then, it heard before.
  private final class View: SessionObserver {
    var onReceived: () -> Void = {}

    func session(_ session: Session, didReceive bytes: RawSpan) { onReceived() }
    func session(_ session: Session, didChangeStateFrom old: SessionState, to new: SessionState) {}
  }

  @Test func theLogHearsOfBytes_beforeTheViewDoes() throws {
    let folder = try TemporaryFolder()
    let file = folder.path.appending("log")
    let loop = try IOLoop()
    let terminal = try PseudoTerminal()
    let parts = SessionParts(
      SessionConfiguration(
        target: .node(terminal.path), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: false, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(files: [file.string]), isQuiet: true),
      on: try Console(on: loop, isQuiet: true, isRaw: false), loop: loop, writeCapacity: 4_096)
    _ = try parts.bind(to: .node(terminal.path), mayAsk: false)
    let view = View()
    var logged: [UInt8]?
    view.onReceived = {
      parts.log.finish()
      logged = try? file.contents()
    }
    parts.session.addObserver(view)
    let words = Array("first words".utf8)
    _ = try words.withUnsafeBytes { try terminal.write($0) }
    let deadline = MonotonicTime.now + .seconds(10)
    while logged == nil, .now < deadline { try loop.turn(waitingAtMost: .milliseconds(20)) }
    #expect(logged == words)
  }
}
