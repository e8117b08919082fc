import Testing
import TextStages
import Time

/// Collects what a pipeline shows.
private struct Shower {
  var pipeline: Pipeline

  mutating func feed(_ bytes: [UInt8]) -> String {
    let shown = bytes.withUnsafeBytes { pipeline.transform($0, at: .any) }
    return String(decoding: shown ?? bytes, as: UTF8.self)
  }

  mutating func feed(_ text: String) -> String { feed(Array(text.utf8)) }

  mutating func flush() -> String {
    String(decoding: pipeline.flush(at: .any), as: UTF8.self)
  }
}

@Suite(.timeLimit(.minutes(30))) struct PipelineTests {
  private static func stages() throws -> [any ByteStage] {
    [
      ByteMap(try MapList(parsing: "INLCRNL,from-device:crlf=lf"), .fromDevice), EscapeFilter(),
      LineStamper(TimestampFormat(.epoch), start: .any) { _ in
        fatalError("seconds since 1970 need no calendar")
      },
    ]
  }

  @Test func stages_followEachOther() throws {
    var shower = Shower(pipeline: Pipeline(try Self.stages()))
    #expect(shower.feed("a\n\u{1B}[6n") == "[0.000] a\r\n")
    #expect(shower.feed("more") == "[0.000] more")
    #expect(shower.feed("") == "")
  }

  @Test func flush_sendsTheHeldBytes_throughTheLaterStages() throws {
    var shower = Shower(pipeline: Pipeline(try Self.stages()))
    #expect(shower.feed("a\n\u{1B}[3") == "[0.000] a\r\n")
    #expect(shower.flush() == "[0.000] ^[[3")
    #expect(shower.feed("m\r") == "m")
    #expect(shower.flush() == "\r")
    #expect(shower.flush() == "")
  }

  @Test func stages_areSwitched_duringTheStream() throws {
    var shower = Shower(pipeline: Pipeline([EscapeFilter()]))
    #expect(shower.feed("\u{1B}[31mred\u{1B}[3") == "\u{1B}[31mred")
    #expect(shower.flush() == "^[[3")
    shower.pipeline.stages = [WholeSequences()]
    #expect(shower.feed("A\u{1B}[3") == "A")
    #expect(shower.flush() == "\u{1B}[3")
    shower.pipeline.stages = []
    #expect(shower.feed("\u{1B}[6n") == "\u{1B}[6n")
    #expect(shower.flush() == "")
  }

  @Test func nothing_isNotShown() {
    for stages in [[], [EscapeFilter()]] as [[any ByteStage]] {
      var pipeline = Pipeline(stages)
      let shown = pipeline.transform(UnsafeRawBufferPointer(start: nil, count: 0), at: .any)
      #expect(shown ?? [] == [])
    }
  }

  @Test func restoration_isThatOfTheStages() throws {
    var shower = Shower(pipeline: Pipeline(try Self.stages()))
    #expect(shower.pipeline.restoration.isEmpty)
    _ = shower.feed("\u{1B}[?25l")
    #expect(shower.pipeline.restoration == Array("\u{1B}[?25h".utf8))
  }

  @Test func pieceThatNoStageChanges_isNotCopied() throws {
    var pipeline = Pipeline([EscapeFilter(), ByteMap(MapList(), .fromDevice)])
    let text = Array("plain".utf8)
    #expect(text.withUnsafeBytes { pipeline.transform($0, at: .any) } == nil)
  }

  @Test func anyCut_showsTheSame() throws {
    let stages = try Self.stages()
    var stream = HostileStream(seed: 11)
    for _ in 0..<3_000 {
      let bytes = stream.next()
      var whole = Shower(pipeline: Pipeline(stages))
      var pieces = Shower(pipeline: Pipeline(stages))
      var shown: [UInt8] = []
      for piece in stream.cut(bytes) {
        shown += piece.withUnsafeBytes { pieces.pipeline.transform($0, at: .any) } ?? Array(piece)
      }
      shown += pieces.pipeline.flush(at: .any)
      #expect(String(decoding: shown, as: UTF8.self) == whole.feed(bytes) + whole.flush())
    }
  }

  @Test(arguments: [
    ("", false), ("text", false), ("\u{1B}[", true), ("\r", true), ("\u{1B}[1mtext", false),
  ])
  func isWaiting_whereAFlushWouldShowSomething(_ text: String, _ isWaiting: Bool) throws {
    var shower = Shower(pipeline: Pipeline(try Self.stages()))
    _ = shower.feed(text)
    #expect(shower.pipeline.isWaiting == isWaiting)
    _ = shower.flush()
    #expect(!shower.pipeline.isWaiting)
  }
}
