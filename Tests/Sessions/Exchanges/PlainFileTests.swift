import SerialCore
import Sessions
import SystemPackage
import Testing
import Time

/// The exchange of a file: events go in, actions come out.
@Suite struct PlainFileTests {
  private typealias Action = ExchangeAction<Int, PlainFile.End>
  private static let again = Action.read(atMost: 32_768)

  /// Runs events through an exchange, and checks the actions after each.
  private func check(_ rows: [(ExchangeEvent, [Action])], size: Int = 4) -> PlainFile {
    var file = PlainFile("image.bin", size: size)
    for (index, (event, expected)) in rows.enumerated() {
      let actions = file.handle(event, at: MonotonicTime(nanoseconds: 0))
      #expect(actions == expected, "event \(index), \(event)")
    }
    return file
  }

  @Test func aFile_isReadAsItIsSent_andDoneWhenTheDriverHasAllOfIt() {
    let file = check([
      (.begun, [.report(0), Self.again]),
      (.read([1, 2]), [.send([1, 2]), Self.again]),
      (.sent(1), [.report(1)]),
      (.read([3, 4]), [.send([3, 4]), Self.again]),
      (.sent(2), [.report(3)]),
      (.endOfSource, []),
      (.sent(1), [.report(4), .finish(.done)]),
    ])
    #expect(file.sentCount == 4)
    #expect(file.author == .file("image.bin"))
  }

  @Test func anEmptyFile_isDoneAtOnce() {
    _ = check([(.begun, [.report(0), Self.again]), (.endOfSource, [.finish(.done)])], size: 0)
  }

  @Test func aFileThatShrinksOrGrows_isSentAsItIs() {
    for bytes in [[1], [1, 2, 3, 4, 5, 6]] as [[UInt8]] {
      let file = check([
        (.begun, [.report(0), Self.again]),
        (.read(bytes), [.send(bytes), Self.again]),
        (.sent(bytes.count), [.report(bytes.count)]),
        (.endOfSource, [.finish(.done)]),
      ])
      #expect(file.sentCount == bytes.count)
    }
  }

  @Test func aFileThatCannotBeRead_takesBackItsQueuedBytes() {
    let file = check([
      (.begun, [.report(0), Self.again]),
      (.read([1, 2]), [.send([1, 2]), Self.again]),
      (.sent(1), [.report(1)]),
      (.sourceFailed(.ioError), [.withdraw, .finish(.unreadable(.ioError))]),
    ])
    #expect(file.sentCount == 1)
  }

  private static let begun: (ExchangeEvent, [Action]) = (.begun, [.report(0), again])
  private static let reading: (ExchangeEvent, [Action]) = (.read([1, 2]), [.send([1, 2]), again])
  private static let sending: (ExchangeEvent, [Action]) = (.sent(1), [.report(1)])
  private static let atEnd: (ExchangeEvent, [Action]) = (.endOfSource, [])
  /// Every state of a file before its end.
  private static var states: [[(ExchangeEvent, [Action])]] {
    [
      [], [begun], [begun, reading], [begun, reading, sending], [begun, reading, atEnd],
      [begun, reading, sending, atEnd],
    ]
  }

  @Test func stopped_inEveryState_itTakesBackTheQueuedBytes() {
    for state in Self.states {
      _ = check(state + [(.stopped, [.withdraw, .finish(.stopped)])])
    }
  }

  @Test func cutOff_inEveryState_itKnowsHowMuchWasSent() {
    for state in Self.states {
      let file = check(state + [(.cutOff(sent: 1), [.finish(.cutOff)])])
      #expect(file.sentCount == 1)
    }
  }

  @Test func leaving_inEveryState_itSendsNoMore_andIsNotDone() {
    for state in Self.states {
      let rest: [(ExchangeEvent, [Action])] = [
        (.leaving, [.withdraw]), (.endOfSource, []), (.cutOff(sent: 0), [.finish(.cutOff)]),
      ]
      _ = check(state + rest)
    }
    // Bytes that the driver has already taken count as sent.
    _ = check([
      Self.begun, Self.reading, (.leaving, [.withdraw]), Self.sending,
      (.cutOff(sent: 1), [.finish(.cutOff)]),
    ])
  }

  @Test func aRefusedWrite_cutsItOff() {
    let error = SerialError(.notOpen, in: "write", at: .tty("/dev/ttyTEST"))
    _ = check([Self.begun, Self.reading, (.sendFailed(error), [.finish(.cutOff)])])
  }

  @Test func otherEvents_changeNothing() {
    _ = check([
      Self.begun, (.received([1]), []), (.drained, []), (.standstill, []), (.performed(.done), []),
      (.woken, []), Self.reading,
    ])
  }
}
