import TestSupport
import Testing
import Time

@testable import Sessions

/// Output of devices, for tests of rates.
enum Corpus {
  /// Texts by their names, as lines.
  static let texts: [(name: String, lines: [String])] = [
    (
      "boot log",
      (0..<40).map {
        "[    \($0 / 9).\(100_000 + $0 * 7_919)] usb 1-1.\($0 % 4): new full-speed USB device number \($0) using xhci_hcd"
      }
    ),
    (
      "shell",
      (0..<40).map {
        [
          "root@board:~# ls -l /etc",
          "drwxr-xr-x 2 root root  4096 Jan 0\($0 % 9 + 1) 12:3\($0 % 10) init.d",
          "-rw-r--r-- 1 root root   \($0 * 37) Mar 11 08:15 passwd", "root@board:~# ",
        ][$0 % 4]
      }
    ),
    (
      "numbers",
      (0..<40).map {
        "\($0 * 50),\(2_000 + $0 * 7 % 31).\($0 % 10),\(-3 * $0),1013.\($0 * 3 % 100)"
      }
    ),
    (
      "JSON",
      (0..<40).map {
        "{\"id\":\($0),\"temperature\":21.\($0 % 10),\"ok\":true,\"name\":\"sensor-\($0 % 5)\"}"
      }
    ),
    (
      "capitals",
      (0..<40).map {
        "ERROR CODE \($0) AT 0X\(String(0x8000_0000 + $0 * 4_099, radix: 16, uppercase: true)) ABORT"
      }
    ),
    (
      "NMEA",
      (0..<40).map {
        "$GPGGA,1235\(10 + $0),4807.038,N,01131.\(100 + $0),E,1,08,0.9,545.4,M,46.9,M,,*\(10 + $0)"
      }
    ),
    (
      "German",
      (0..<40).map {
        "Messung \($0): Größe \($0 * 3) µm, Übertemperatur überschritten, Prüfung läuft für Kanal \($0 % 4)"
      }
    ),
    (
      "Russian",
      (0..<40).map { "Измерение \($0): температура \(20 + $0 % 9) градусов, давление в норме" }
    ),
    ("prompts", (0..<40).map { ["login: ", "=> ", "OK", "> ", "ready"][$0 % 5] }),
  ]

  static let rates = [
    1_200, 2_400, 4_800, 9_600, 19_200, 38_400, 57_600, 74_880, 115_200, 230_400, 460_800, 921_600,
    1_500_000,
  ]

  /// Binary streams by their names: pieces as they are read.
  static var binaries: [(name: String, pieces: [[UInt8]])] {
    var random = SplitMix64(seed: 7)
    func bytes(_ count: Int) -> [UInt8] {
      (0..<count).map { _ in UInt8.random(in: 0...255, using: &random) }
    }
    func slip(_ payload: [UInt8]) -> [UInt8] {
      let escaped = payload.flatMap { byte -> [UInt8] in
        byte == 0xC0 ? [0xDB, 0xDC] : byte == 0xDB ? [0xDB, 0xDD] : [byte]
      }
      return [0xC0] + escaped + [0xC0]
    }
    func cobs(_ payload: [UInt8]) -> [UInt8] {
      var (output, block) = ([UInt8](), [UInt8]())
      for byte in payload {
        if byte == 0 {
          output += [UInt8(block.count + 1)] + block
          block = []
        } else {
          block.append(byte)
        }
      }
      return output + [UInt8(block.count + 1)] + block + [0]
    }
    func little(_ number: Int, _ count: Int) -> [UInt8] {
      (0..<count).map { UInt8(truncatingIfNeeded: number >> ($0 * 8)) }
    }
    /// A MAVLink-like attitude message.
    func mavlink(_ number: Int) -> [UInt8] {
      var frame: [UInt8] = [0xFD, 28, 0, 0, UInt8(truncatingIfNeeded: number), 1, 1, 30, 0, 0]
      frame += little(number * 20, 4)
      frame += little(0x3C23_D70A + number * 977, 4)
      frame += little(0xBD4C_CCCD + number * 131, 4)
      return frame + bytes(18)
    }
    func ubx(_ number: Int) -> [UInt8] {
      var frame: [UInt8] = [0xB5, 0x62, 0x01, 0x07, 92, 0]
      frame += little(number * 250, 4)
      frame += [0xEA, 0x07, 11, 22, 19, 30, 5, 0x37, 25, 0, 0, 0]
      frame += bytes(8)
      frame += [3, 1, 0x0A, 11]
      frame += little(114_516_789 + number * 3, 4)
      frame += little(481_173_333 + number, 4)
      return frame + [UInt8](repeating: 0, count: 52) + bytes(2)
    }
    func modbus(_ number: Int) -> [UInt8] {
      [1, 3, 8, 0, UInt8(number % 200), 0, 0x10, 0, 0, 0x2A, 0xF8] + bytes(2)
    }
    func protobuf(_ number: Int) -> [UInt8] {
      [0x12, 0x08, UInt8(number % 128), 0x10, 0x96, 0x01, 0x1A, 0x05] + Array("hello".utf8) + [0x25]
        + bytes(4)
    }
    var streams: [(name: String, pieces: [[UInt8]])] = []
    func add(_ name: String, _ make: (Int) -> [UInt8]) {
      streams.append((name, (0..<200).map(make)))
    }
    let gpgga = texts[5].lines
    add("random") { _ in bytes(32) }
    add("gzip") { $0 == 0 ? [0x1F, 0x8B, 8, 0, 0, 0, 0, 0, 0, 3] : bytes(48) }
    add("SLIP") { slip(bytes(4 + $0 % 20)) }
    add("SLIP of zeros") { _ in slip([UInt8](repeating: 0, count: 12)) }
    add("SLIP of small numbers") { slip([0, UInt8($0 % 16), 0, 0, 2, 0, 0x80, 0]) }
    add("COBS") { cobs([0, UInt8($0), 0, 0] + bytes(8)) }
    add("COBS of zeros") { _ in cobs([UInt8](repeating: 0, count: 10)) }
    add("HDLC flags") { _ in [UInt8](repeating: 0x7E, count: 20) }
    add("zeros") { _ in [UInt8](repeating: 0, count: 20) }
    add("ones") { _ in [UInt8](repeating: 0xFF, count: 20) }
    add("counter") { [UInt8](repeating: UInt8($0), count: 3) }
    add("MAVLink", mavlink)
    add("NMEA and UBX") { $0 % 2 == 0 ? ubx($0) : Array((gpgga[$0 % 40] + "\r\n").utf8) }
    add("UBX", ubx)
    add("Modbus RTU", modbus)
    add("protobuf", protobuf)
    add("16-bit samples") { number in
      (0..<10).flatMap { little(2_048 + (number * 37 + $0 * 211) % 400, 2) }
    }
    add("12-bit samples, shifted") { number in
      (0..<10).flatMap { little((2_048 + (number * 37 + $0 * 211) % 400) << 4, 2) }
    }
    add("floats") { number in
      (0..<4).flatMap { little(Int(Float(number * 4 + $0).squareRoot().bitPattern), 4) }
    }
    add("ZMODEM") { number in
      let data = bytes(64).map { $0 == 0x18 ? 0x58 : $0 }
      return [0x2A, 0x18, 0x43, 0x0A] + data + [0x18, UInt8(0x68 + number % 4)] + bytes(4)
    }
    let shades: [UInt8] = [0xB0, 0xB1, 0xDB, 0xDF, 0x20, 0xCD, 0xBA]
    add("CP437 art") { _ in (0..<40).map { shades[$0 * 7 % 11 % 7] } + [0x0D, 0x0A] }
    add("KOI8-R") { number in
      (0..<40).map { $0 % 7 == 6 ? 0x20 : UInt8(0xC0 + ($0 * 11 + number) % 32) }
    }
    let umlauts: [UInt8] = [0xE4, 0xF6, 0xFC, 0xDF]
    add("Latin-1") { number in
      (0..<40).map { $0 % 9 == 5 ? umlauts[$0 % 4] : UInt8(0x61 + ($0 + number) % 26) }
    }
    let pixels: [UInt8] = [0x88, 0x8E, 0xE8, 0xEE]
    add("WS2812 frames") { number in (0..<16).map { pixels[(number + $0 * 3) % 4] } }
    return streams
  }
}

@Suite(.timeLimit(.minutes(30))) struct WrongRateDetectorTests {
  /// Sends lines repeatedly for some seconds.
  ///
  /// - Parameter countsErrors: whether the driver counts line errors.
  /// - Returns: the verdict, and the numbers of received bytes and of seconds until it.
  private func verdict(
    on lines: [String], from sender: Int, to receiver: Int, countsErrors: Bool
  ) -> (verdict: WrongRateDetector.Verdict, byteCount: Int, seconds: Double) {
    var line = UARTSimulator(from: sender, to: receiver)
    var detector = WrongRateDetector()
    var (count, framing, breaks) = (0, 0, 0)
    var counted: Int64 = 0
    for number in 0..<60 {
      line.send("\(lines[number % lines.count])\r\n".utf8)
      line.pause(nanoseconds: 30_000_000)
      for received in line.receive() {
        let now = MonotonicTime(nanoseconds: received.time)
        withUnsafeBytes(of: received.byte) { detector.add($0, at: now) }
        count += 1
        if received.hasFramingError { framing += 1 }
        if received.isBreak { breaks += 1 }
        // The driver's counters are read at most ten times a second.
        if countsErrors, received.time - counted >= 100_000_000 {
          detector.add(framingErrors: framing, breaks: breaks, at: now)
          (framing, breaks, counted) = (0, 0, received.time)
        }
        if detector.verdict != .undecided {
          return (detector.verdict, count, Double(received.time) / 1e9)
        }
      }
    }
    return (detector.verdict, count, 0)
  }

  /// Whether text at a wrong rate is detected.
  private struct Finding {
    let isReceiverFaster: Bool
    /// The faster rate divided by the slower one.
    let ratio: Double
    let countsErrors: Bool
    let isFound: Bool
    let seconds: Double
  }

  private func findings(countsErrors: Bool) -> [Finding] {
    var findings: [Finding] = []
    var texts: [String] = []
    // A part of the cases has all rates and all texts: ten and nine have no common factor.
    let step = isThorough ? 1 : 10
    var number = 0
    for sender in Corpus.rates {
      for receiver in Corpus.rates where receiver != sender {
        let ratio = Double(max(sender, receiver)) / Double(min(sender, receiver))
        // At a greater ratio, the receiver gets only one or two bytes of a line.
        guard ratio <= 16 else { continue }
        for (name, lines) in Corpus.texts {
          number += 1
          guard number % step == 0 else { continue }
          let found = verdict(on: lines, from: sender, to: receiver, countsErrors: countsErrors)
          if found.verdict == .text { texts.append("\(name) from \(sender) to \(receiver)") }
          findings.append(
            Finding(
              isReceiverFaster: sender < receiver, ratio: ratio, countsErrors: countsErrors,
              isFound: found.verdict == .wrongRate, seconds: found.seconds))
        }
      }
    }
    // Repeated bytes can look like text.
    #expect(texts.count * 200 <= max(findings.count, 200), "\(texts)")
    return findings
  }

  /// Prints and returns the share of the cases that are detected.
  private func rate(_ what: String, _ findings: [Finding]) -> Double {
    let seconds = findings.filter(\.isFound).map(\.seconds).sorted()
    let part = Double(seconds.count) / Double(max(1, findings.count))
    let median = seconds.isEmpty ? 0 : seconds[seconds.count / 2]
    print(
      "wrong rate, \(what): \(seconds.count) of \(findings.count) found",
      "(\(Int(part * 100)) %), half of them within \(Int(median * 1_000)) ms")
    return part
  }

  @Test func `Text at a wrong rate is found where errors are counted`() {
    let findings = findings(countsErrors: true)
    #expect(rate("errors counted, receiver too fast", findings.filter(\.isReceiverFaster)) >= 0.99)
    #expect(
      rate("errors counted, receiver too slow", findings.filter { !$0.isReceiverFaster }) >= 0.85)
  }

  @Test func `Where errors are not counted, text that is received too fast is found`() {
    let findings = findings(countsErrors: false)
    let fast = findings.filter(\.isReceiverFaster)
    let some = fast.filter { $0.ratio >= 3 && $0.ratio <= 8 }
    #expect(rate("errors not counted, receiver 3 to 8 times too fast", some) >= 0.9)
    _ = rate("errors not counted, other ratios", findings.filter { !$0.isReceiverFaster })
  }

  @Test(arguments: Corpus.rates)
  func `Text at the right rate is text`(rate: Int) {
    for (name, lines) in Corpus.texts {
      for countsErrors in [true, false] {
        let found = verdict(on: lines, from: rate, to: rate, countsErrors: countsErrors)
        #expect(found.verdict == .text, "\(name) at \(rate)")
        #expect(found.byteCount <= 192, "\(name) at \(rate)")
      }
    }
  }

  @Test func `Nothing else is taken for a wrong rate`() {
    var (count, wrongCount) = (0, 0)
    for (name, pieces) in Corpus.binaries {
      for interval in [1_000_000, 15_000_000, 200_000_000] as [Int64] {
        for size in [1, 7, Int.max] {
          var detector = WrongRateDetector()
          var now: Int64 = 0
          for piece in pieces {
            now += interval
            piece.withUnsafeBytes { bytes in
              for start in stride(from: 0, to: bytes.count, by: min(size, bytes.count)) {
                let end = min(bytes.count - start, size) + start
                detector.add(
                  UnsafeRawBufferPointer(rebasing: bytes[start..<end]),
                  at: MonotonicTime(nanoseconds: now))
              }
            }
          }
          count += 1
          if detector.verdict == .wrongRate {
            wrongCount += 1
            Issue.record("\(name)")
          }
        }
      }
    }
    print("wrong rate: \(wrongCount) of \(count) streams of other kinds taken for one")
  }

  @Test func `A few errors, and the garbage of a bootloader, are no evidence`() {
    var detector = WrongRateDetector()
    func feed(_ bytes: [UInt8], at milliseconds: Int64, errors: Int = 0) {
      let now = MonotonicTime(nanoseconds: milliseconds * 1_000_000)
      bytes.withUnsafeBytes { detector.add($0, at: now) }
      detector.add(framingErrors: errors, breaks: 0, at: now)
    }
    // The ROM of an ESP8266 at 74880 baud: 300 bytes in 40 ms, then half a line at the right rate.
    feed((0..<300).map { [0xE0, 0x1C, 0xFC, 0x00, 0x9C][$0 * 7 % 5] }, at: 0, errors: 150)
    feed(Array("ready".utf8), at: 40)
    #expect(detector.verdict == .undecided)
    feed(Array((0..<10).flatMap { "line \($0) of the program\r\n".utf8 }), at: 700)
    #expect(detector.verdict == .text)

    detector = WrongRateDetector()
    for second in 0..<20 as Range<Int64> {
      feed(
        (0..<50).map { UInt8(truncatingIfNeeded: $0 &* 89 &+ Int(second) &* 31) },
        at: second * 1_000, errors: 2)
    }
    #expect(detector.verdict == .undecided)
  }

  @Test func `34 bytes are stretched`() {
    let stretched = (0...255 as ClosedRange<UInt8>).filter(WrongRateDetector.isStretched)
    #expect(stretched.count == 34)
    #expect(
      [0x00, 0xE0, 0x1C, 0xFC, 0x80, 0x06, 0x66, 0xFE].allSatisfy(WrongRateDetector.isStretched))
    #expect(![0xFF, 0x01, 0x10, 0x14, 0x55, 0x50].contains(where: WrongRateDetector.isStretched))
  }
}
