import EventLoop
import TerminalWidgets
import TestSupport
import Testing
import TextStages
import Time

@testable import Terminal

/// The view of a device's bytes, with a clock that the test moves.
@Suite(.timeLimit(.minutes(30))) struct DeviceViewTests {
  private final class Bench {
    private final class Clock {
      var now = MonotonicTime.now
    }

    private let clock: Clock
    private let loop: IOLoop
    private let terminal: FakeTerminal
    private let console: Console
    let view: DeviceView

    init(_ settings: ViewSettings = ViewSettings()) throws {
      let clock = Clock()
      self.clock = clock
      loop = try IOLoop(clock: { clock.now })
      terminal = try FakeTerminal(.drawing)
      console = try Console(terminal.streams, on: loop, isQuiet: false, isRaw: true)
      view = DeviceView(settings, on: console, loop: loop)
    }

    func show(_ bytes: [UInt8], at moment: Moment) {
      bytes.withUnsafeBytes { view.show($0, at: moment) }
    }

    func wait(_ time: Duration) throws {
      clock.now = clock.now + time
      for _ in 0..<5 { try loop.turn(waitingAtMost: .zero) }
      terminal.look()
    }

    /// What the screen knows of the device.
    var switched: DeviceModes { console.screen.deviceModes }

    var text: String {
      terminal.look()
      return String(decoding: terminal.written, as: UTF8.self)
    }
  }

  /// The times that another process may send, in nanoseconds since 1970.
  private static let hostileTimes: [UInt64] = [
    0, 1, Moment.now.wallClock &- 1, Moment.now.wallClock + 3_600_000_000_000, 1 << 62, 1 << 63,
    .max - 1, .max,
  ]

  @Test(arguments: hostileTimes)
  func `A character or a sequence that is cut off is shown after a pause, whatever its time`(
    time: UInt64
  ) throws {
    for cut in [Array("\u{1B}[3".utf8), Array("\u{20AC}".utf8.dropLast())] {
      let bench = try Bench(ViewSettings(timestamps: TimestampFormat(.iso)))
      bench.show(Array("text ".utf8) + cut, at: Moment.now.moved(to: time))
      try bench.wait(.milliseconds(400))
      let before = bench.text.count
      try bench.wait(.milliseconds(200))
      #expect(bench.text.count > before)
      bench.view.finish()
    }
  }

  @Test(arguments: hostileTimes)
  func `Every form of the view takes every time`(time: UInt64) throws {
    for format in TimestampFormat.Kind.allCases {
      for isHex in [false, true] {
        let bench = try Bench(
          ViewSettings(isHex: isHex, timestamps: TimestampFormat(format, .microseconds)))
        for moment in [Moment.now.moved(to: time), .now, Moment(wallClock: time, monotonic: time)] {
          bench.show(Array("line\r\nand a part".utf8), at: moment)
          try bench.wait(.milliseconds(60))
        }
        bench.view.finish()
        try bench.wait(.seconds(1))
        #expect(bench.text.contains(isHex ? "6c 69 6e 65" : "line"))
      }
    }
  }

  @Test func `Pieces of one character join, although the device sent them long ago`() throws {
    let bench = try Bench()
    let (first, second) = ([0xE2, 0x82] as [UInt8], [0xAC] as [UInt8])
    bench.show(first, at: Moment.now.moved(to: 0))
    try bench.wait(.milliseconds(100))
    bench.show(second, at: Moment.now.moved(to: 1))
    #expect(bench.text.contains("\u{20AC}"))
  }

  @Test func `Raw continues on the screen that the device has drawn, and its end undoes all`()
    throws
  {
    let bench = try Bench()
    bench.show(Array("\u{1B}[?1049h\u{1B}[?1h\u{1B}[?2004hx\u{1B}[6n".utf8), at: .now)
    let before = bench.text
    #expect(before.hasSuffix("\u{1B}[?1049h\u{1B}[?1hx\u{1B}[?2004h"))
    #expect(bench.switched == [.alternateScreen, .markedPastes])
    bench.view.settings.isRaw = true
    #expect(bench.switched == [.alternateScreen, .markedPastes])
    bench.show(Array("\u{1B}]0;t\u{7}y".utf8), at: .now)
    let raw = bench.text
    #expect(raw == before + "\u{1B}]0;t\u{7}y")
    bench.show(Array("\u{1B}[?2004l".utf8), at: .now)
    #expect(bench.switched == [.alternateScreen])
    bench.show(Array("\u{1B}[?2004h".utf8), at: .now)
    #expect(bench.switched == [.alternateScreen, .markedPastes])
    bench.view.settings.isRaw = false
    #expect(bench.switched == [])
    let undone = bench.text.dropFirst(raw.count)
    for mode in [1, 1049, 2004] { #expect(undone.contains("\u{1B}[?\(mode)l"), "\(mode)") }
    let last = bench.text
    bench.show(Array("\u{1B}]0;t\u{7}z".utf8), at: .now)
    #expect(bench.text == last + "z")
    #expect(bench.view.droppedSequenceCount == 2)
  }
}
