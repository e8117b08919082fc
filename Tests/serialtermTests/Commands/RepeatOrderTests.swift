import Terminal
import Testing

@testable import serialterm

/// What is typed for the command `repeat`.
@Suite struct RepeatOrderTests {
  @Test(
    arguments: [
      ("1s status", 1_000, nil, "status\r"), ("  1s   a  b ", 1_000, nil, "a  b \r"),
      ("500ms 10x status", 500, 10, "status\r"), ("2 1x x", 2_000, 1, "x\r"),
      ("1ms x", 1, nil, "x\r"), ("1d x", 86_400_000, nil, "x\r"), ("0.3s x", 300, nil, "x\r"),
      (#"1s a\nb\x41\n"#, 1_000, nil, "a\nbA\n"), (#"1s \r"#, 1_000, nil, "\r"),
      (#"1s \x31x"#, 1_000, nil, "1x\r"), ("1s ax y", 1_000, nil, "ax y\r"),
    ] as [(String, Int, Int64?, String)])
  func `A time, a number of times if there is one, and a text`(
    _ typed: String, _ milliseconds: Int, _ count: Int64?, _ sent: String
  ) throws {
    let order = try RepeatOrder(parsing: typed, as: .char)
    #expect(order.interval == .milliseconds(milliseconds))
    #expect(order.count == count)
    guard case .snippet(let snippet) = order.content else {
      Issue.record("\(order.content)")
      return
    }
    #expect(snippet.bytes(enter: .cr) == Array(sent.utf8))
  }

  @Test(
    arguments: [
      ("1s 01 03 00 6b", 1_000, nil, [1, 3, 0, 0x6B]), ("500ms 3x 0x0a,0B", 500, 3, [10, 11]),
      ("1s 0103006b", 1_000, nil, [1, 3, 0, 0x6B]), ("1s  0d  ", 1_000, nil, [13]),
    ] as [(String, Int, Int64?, [UInt8])])
  func `With hexadecimal input, it is numbers, and nothing is added`(
    _ typed: String, _ milliseconds: Int, _ count: Int64?, _ sent: [UInt8]
  ) throws {
    let order = try RepeatOrder(parsing: typed, as: .hex)
    #expect(order.interval == .milliseconds(milliseconds))
    #expect(order.count == count)
    #expect(order.content == .numbers(sent))
  }

  @Test(arguments: [InputMode.char, .hex])
  func `The name of a snippet's command is the snippet`(_ mode: InputMode) throws {
    let snippets = [
      Snippet(name: "a", text: [1]),
      Snippet(name: "log in", text: [2, 3], ending: TextEnding.none),
    ]
    let order = try RepeatOrder(
      parsing: "500ms 3x snippet: log in", as: mode, snippets: snippets)
    #expect(order.content == .snippet(snippets[1]))
    #expect((order.count, order.text) == (3, "snippet: log in"))
    #expect(throws: RepeatOrder.Mistake(description: "there is no snippet 'b\u{FFFD}'")) {
      try RepeatOrder(parsing: "1s snippet: b\u{1B}", as: mode, snippets: snippets)
    }
  }

  @Test(arguments: [
    ("1s", "there are no hexadecimal numbers to send, as in '1s 01 03'"),
    ("1s ,", "there are no hexadecimal numbers to send, as in '1s 01 03'"),
    (#"1s \x01"#, #"'\x01': column 1: '\' is not a hexadecimal digit"#),
    ("1s 01 0", "'01 0': column 4: a byte has two hexadecimal digits, here is only one"),
  ])
  func `A wrong number is named`(_ typed: String, _ message: String) {
    #expect(throws: RepeatOrder.Mistake(description: message)) {
      try RepeatOrder(parsing: typed, as: .hex)
    }
  }

  @Test(arguments: [
    ("", "expected a time and a text, such as '1s status' or '500ms 10x status'"),
    ("status", "expected a time and a text, such as '1s status' or '500ms 10x status'"),
    ("-1s x", "expected a time and a text, such as '1s status' or '500ms 10x status'"),
    ("0 x", "'0': expected a time from 1 ms to 1 day"),
    ("0.5ms x", "'0.5ms': expected a time from 1 ms to 1 day"),
    ("2d x", "'2d': expected a time from 1 ms to 1 day"),
    ("1s", #"there is no text to send; for Enter alone: '1s \r'"#),
    ("1s 3x ", #"there is no text to send; for Enter alone: '1s \r'"#),
    ("1s 0x a", "'0x': expected 1x or more, as in '500ms 10x status'"),
    (
      "1s 99999999999999999999x a",
      "'99999999999999999999x': expected 1x or more, as in '500ms 10x status'"
    ),
    (#"1s \x4"#, #"expected two hexadecimal digits after '\x'"#),
  ])
  func `A mistake says what is expected`(_ typed: String, _ message: String) {
    #expect(throws: RepeatOrder.Mistake(description: message)) {
      try RepeatOrder(parsing: typed, as: .line)
    }
  }
}
