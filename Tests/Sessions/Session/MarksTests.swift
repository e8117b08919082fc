import EventLoop
import Logs
import Observing
import Posix
import Reconnecting
import SerialCore
import SystemPackage
import TestSupport
import Testing
import Time

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct MarksTests {
  private let folder: TemporaryFolder
  private let loop: IOLoop
  private let link: FakeLink
  private let controller: SessionController

  private func file(_ name: String) -> FilePath { folder.path.appending(name) }

  init() throws {
    folder = try TemporaryFolder()
    loop = try IOLoop()
    let link = FakeLink(to: Endpoint(Endpoint.Kind("fake"), "fake:1"))
    self.link = link
    let files = ["log.txt", "log.jsonl", "log.log"].map { [folder] in
      folder.path.appending($0).string
    }
    controller = SessionController(
      SessionConfiguration(
        target: .endpoint(link.endpoint), settings: LineSettings(), linkOptions: LinkOptions(),
        onOpen: nil, reconnects: true, waitsForAbsentDevice: false, pacing: Pacing(),
        log: LogConfiguration(files: files), isQuiet: true),
      among: DeviceCatalog(), on: loop, from: LinkProviders([FakeProvider { _ in link }]),
      writeCapacity: 4_096)
  }

  private func receive(_ text: String) {
    link.incoming.append(FakeLink.Input(Array(text.utf8)))
    controller.session.handle(.readable)
  }

  private func text(_ name: String) throws -> String {
    String(decoding: try file(name).contents(), as: UTF8.self)
  }

  @Test func `A mark is at its place in every log that has events`() throws {
    _ = try controller.device.bind(mayAsk: false)
    receive("before")
    let first = controller.marks.add(nil, at: .now)
    #expect(first.unmarked == [.withoutMarks(file("log.log"), .raw)])
    receive("between\n")
    let second = controller.marks.add("reset", at: .now)
    #expect([first.mark.number, second.mark.number] == [1, 2])
    receive("after\n")
    controller.log.finish()
    let lines = try text("log.txt").split(separator: "\n").map {
      String($0.drop { $0 != "]" }.dropFirst(2))
    }
    #expect(
      lines == [
        "[opened fake:1 at 115200 8N1]", "before", "[mark 1]", "between", "[mark 2: reset]",
        "after",
      ])
    #expect(try text("log.log") == "beforebetween\nafter\n")
    let marks = try text("log.jsonl").split(separator: "\n").filter { $0.contains("mark") }
    #expect(marks.count == 2)
    #expect(
      marks.last?.hasSuffix(
        #""event":"mark","path":"fake:1","number":2,"text":"reset"}"#) == true)
  }

  @Test func `A mark is news for every observer, with its time`() throws {
    var heard: [Mark] = []
    let token = controller.news.observe { if case .mark(let mark) = $0 { heard.append(mark) } }
    let moment = Moment(wallClock: 1_795_242_660_123_456_789, monotonic: 5)
    _ = controller.marks.add("no device", at: moment)
    #expect(heard == [Mark(number: 1, moment: moment, text: "no device")])
    #expect(controller.marks.count == 1)
    token.cancel()
  }
}
