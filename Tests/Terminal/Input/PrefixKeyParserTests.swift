import TerminalWidgets
import Testing

@testable import Terminal

/// The parsed input, with neighbouring data joined.
private func parse(
  _ pieces: [[UInt8]], prefix: PrefixKey = .standard,
  before following: PrefixKeyParser.Following = .nothing
) -> [String] {
  var parser = PrefixKeyParser(prefix: prefix)
  var items: [String] = []
  var data: [UInt8] = []
  var left: [UInt8] = []
  func flush() {
    if !data.isEmpty { items.append("data \(data)") }
    data = []
  }
  for piece in pieces {
    piece.withUnsafeBytes { bytes in
      var rest = bytes
      while let item = parser.next(in: &rest, before: following) {
        switch item {
        case .data(let bytes): data += bytes
        case .key(_, let bytes):
          flush()
          items.append("key \(String(decoding: bytes, as: UTF8.self).dropFirst(2))")
        case .command(let key):
          flush()
          items.append("command \(key)")
        case .otherKey(let key):
          flush()
          items.append("other \(key)")
        }
      }
      left = Array(rest)
    }
  }
  flush()
  if !left.isEmpty { items.append("left \(left.count)") }
  return items
}

@Suite(.timeLimit(.minutes(30))) struct PrefixKeyParserTests {
  @Test(
    arguments: [
      (0x00, "ctrl-space"), (0x09, "tab"), (0x0D, "enter"), (0x19, "ctrl-y"), (0x1B, "escape"),
      (0x1D, "ctrl-]"), (0x20, "space"), (0x7A, "z"), (0x7F, "backspace"),
    ] as [(UInt8, String)])
  func `Each key has a name that can be seen`(_ byte: UInt8, _ name: String) {
    #expect(PrefixKeyParser.name(ofKey: byte) == name)
  }

  private let inputs: [(bytes: [UInt8], items: [String])] = [
    ([], []),
    ([1, 2, 3], ["data [1, 2, 3]"]),
    ([0x14, 113], ["command 113"]),
    ([1, 0x14, 113, 2], ["data [1]", "command 113", "data [2]"]),
    ([0x14, 0x14], ["data [20]"]),
    ([0x14, 0x14, 0x14, 63], ["data [20]", "command 63"]),
    ([1, 0x14, 0x14, 2], ["data [1, 20, 2]"]),
    ([0x14], []),
    ([0, 255, 0x1B, 0x14, 0], ["data [0, 255, 27]", "command 0"]),
  ]

  @Test func inputIsDistinguished_wholeAndByteByByte() {
    for (bytes, items) in inputs {
      #expect(parse([bytes]) == items)
      #expect(parse(bytes.map { [$0] }) == items)
    }
  }

  @Test(arguments: [
    ("\u{14}\u{1B}[Ax", ["other \(Key.named(.up))", "data [120]"]),
    ("\u{14}éx", ["other \(Key.character("é"))", "data [120]"]),
    ("\u{14}\u{1B}", ["command 27"]), ("\u{14}\u{1B}\u{14}q", ["command 27", "command 113"]),
    ("\u{14}\u{1B}[\u{14}q", ["command 27", "data [91]", "command 113"]),
  ])
  func keyOfSeveralBytes_isTakenWhole(text: String, items: [String]) {
    #expect(parse([Array(text.utf8)]) == items)
  }

  /// What a device may have switched on: xterm's modifyOtherKeys, its formatOtherKeys, and the
  /// forms of kitty's protocol.
  @Test(arguments: [
    "\u{1B}[27;5;116~", "\u{1B}[116;5u", "\u{1B}[116;5:1u", "\u{1B}[116;5:2u", "\u{1B}[116::116;5u",
    "\u{1B}[1077::116;5u", "\u{1B}[116;69u", "\u{1B}[116;133u", "\u{1B}[116;5;116u",
    "\u{1B}[116:84;6u", "\u{1B}[27;6;84~", "\u{1B}[57442;5u\u{1B}[116;5u\u{1B}[116;5:3u",
  ])
  func `The prefix and the key after it are known in every form`(_ prefix: String) {
    let ends = [
      ("q", "command 113"), ("\u{1B}[113u", "command 113"), ("\u{1B}[113;1:1u", "command 113"),
      ("\u{1B}[1081::113u", "command 113"), ("\u{1B}[113;5u", "command 17"),
      ("\u{1B}[27;5;113~", "command 17"), ("\u{1B}[27;2;76~", "command 76"),
      ("\u{1B}[108;2u", "command 76"), ("\u{1B}[108:76;2u", "command 76"),
      ("\u{1B}[108;65u", "command 76"), ("\u{1B}[47:63;2u", "command 63"),
      ("\u{1B}[57441;2u\u{1B}[59;2;58u", "command 58"), ("\u{1B}[27u", "command 27"),
      ("\u{14}", "data [20]"), ("\u{1B}[116;5u", "key 116;5u"),
      ("\u{1B}[1081u", "other \(Key.character("й"))"), ("\u{1B}[91;3u", "other \(Key.alt("["))"),
      ("\u{1B}[1081::113;3u", "other \(Key.character("й"))"),
    ]
    for (end, item) in ends {
      let start = prefix.hasPrefix("\u{1B}[57442") ? ["key 57442;5u"] : []
      #expect(parse([Array((prefix + end).utf8)]) == start + [item])
      #expect(parse([Array(prefix.utf8), Array(end.utf8)]) == start + [item])
    }
  }

  @Test(arguments: [
    ("\u{1B}[116;5u", ["key 116;5u"]),
    ("a\u{1B}[27;5;116~b", ["data [97]", "key 27;5;116~", "data [98]"]),
    ("\u{1B}[A\u{1B}[?1u\u{1B}[3~", ["data \(Array("\u{1B}[A\u{1B}[?1u\u{1B}[3~".utf8))"]),
    ("\u{1B}[1;5", ["left 5"]), ("ab\u{1B}[", ["data [97, 98]", "left 2"]),
    ("\u{1B}", ["data [27]"]),
  ])
  func `Other keys are data, and wait for their end`(_ text: String, _ items: [String]) {
    #expect(parse([Array(text.utf8)], prefix: .control(1), before: .unknown) == items)
  }

  @Test func `A key may be divided anywhere`() {
    let input = Array("\u{1B}[27;5;116~\u{1B}[113;1:1u\u{1B}[A".utf8)
    let items = ["command 113", "data [27, 91, 65]"]
    for cut in 0...input.count {
      var parser = PrefixKeyParser(prefix: .standard)
      var (found, rest): ([String], [UInt8]) = ([], [])
      for (piece, following) in [
        (input[..<cut], .bytes), (input[cut...], .nothing),
      ] as [(ArraySlice<UInt8>, PrefixKeyParser.Following)] {
        (rest + piece).withUnsafeBytes { bytes in
          var bytes = bytes
          while let item = parser.next(in: &bytes, before: following) {
            switch item {
            case .data(let data): found.append("data \(Array(data))")
            case .command(let key): found.append("command \(key)")
            case .key, .otherKey: found.append("\(item)")
            }
          }
          rest = Array(bytes)
        }
      }
      #expect(found == items, "cut at \(cut)")
    }
  }

  @Test func withoutPrefix_everythingIsData() {
    #expect(parse([[0x14, 113]], prefix: .none) == ["data [20, 113]"])
  }

  @Test(arguments: [
    ("ctrl-t", PrefixKey.control(0x14)), ("Ctrl-A", .control(1)), ("^]", .control(0x1D)),
    ("ctrl-\\", .control(0x1C)), ("none", .none),
  ])
  func prefixKey_isRead_andPrintsAsItself(text: String, key: PrefixKey) {
    #expect(PrefixKey(parsing: text) == key)
    #expect(PrefixKey(parsing: key.description) == key)
  }

  @Test(arguments: ["", "t", "ctrl-", "ctrl-tt", "ctrl-1", "ctrl-é", "alt-t"])
  func wrongPrefixKey_isRefused(text: String) {
    #expect(PrefixKey(parsing: text) == nil)
  }
}
