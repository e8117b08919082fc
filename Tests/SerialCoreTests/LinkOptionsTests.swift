import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

/// The effects of the options that a pseudo-terminal shows. The others need a driver.
@Suite(.timeLimit(.minutes(30))) struct LinkOptionsTests {
  private let pty: Pty

  init() throws { pty = try Pty() }

  private static func options(_ change: (inout LinkOptions) -> Void) -> LinkOptions {
    var options = LinkOptions()
    change(&options)
    return options
  }

  private func open(
    _ change: (inout LinkOptions) -> Void = { _ in }
  ) throws(SerialError) -> TermiosLink {
    try TermiosLink.opened(pty.path, settings: LineSettings(), options: Self.options(change))
  }

  @Test func pseudoTerminal_hasNothingButBytesAndSettings() throws {
    let link = try open()
    let requests: [(String, () throws(SerialError) -> Void)] = [
      ("modem lines", { () throws(SerialError) in _ = try link.modemLines() }),
      (
        "modem lines",
        { () throws(SerialError) in try link.setModemLines(asserting: .dtr, deasserting: []) }
      ),
      ("counters", { () throws(SerialError) in _ = try link.counters() }),
      ("break", { () throws(SerialError) in try link.setBreak(true) }),
    ]
    for (subject, request) in requests {
      let error = #expect(throws: SerialError.self) { try request() }
      #expect(error?.code == .unsupported)
      #expect(error?.subject == subject)
    }
  }

  private static let impossible: [(String, LinkOptions)] = [
    ("modem lines", options { $0.deasserting = .dtr }),
    ("modem lines", options { $0.asserting = .rts }),
    ("RS-485 mode", options { $0.rs485 = RS485Settings() }),
    ("low latency mode", options { $0.hasLowLatency = true }),
  ]

  @Test(arguments: impossible)
  func unsupportedSettings_areRefused_andTheOldOnesStay(
    subject: String, options: LinkOptions
  ) throws {
    let before = pty.attributes()
    let error = #expect(throws: SerialError.self) { try open { $0 = options } }
    #expect(error?.code == .unsupported)
    #expect(error?.subject == subject)
    let after = pty.attributes()
    #expect(before.c_cflag == after.c_cflag && before.c_lflag == after.c_lflag)
    try open().close()
  }

  @Test func options_ofASession_areThoseOfItsPort() throws {
    for wanted in [true, false] {
      let session = Session(
        settings: LineSettings(), options: Self.options { $0.hangsUpOnClose = wanted })
      try session.open(.tty(pty.path))
      #expect(pty.hangsUp == wanted)
      session.close()
    }
  }

  @Test func hangUp_isSet_andOutlivesTheClosing_whichItIsAbout() throws {
    for wanted in [true, false] {
      let link = try open { $0.hangsUpOnClose = wanted }
      #expect(pty.hangsUp == wanted)
      link.close()
      #expect(pty.hangsUp == wanted)
    }
  }

  @Test func hangUp_isUnchanged_whenItWasNotRequested() throws {
    for present in [true, false] {
      try open { $0.hangsUpOnClose = present }.close()
      let link = try open()
      #expect(pty.hangsUp == present)
      link.close()
      #expect(pty.hangsUp == present)
    }
  }

  @Test func marks_areAskedFor_onlyWhenWanted() throws {
    let flags = tcflag_t(PARMRK | INPCK)
    let plain = try open()
    #expect(pty.attributes().c_iflag & flags == 0)
    plain.close()
    let marking = try open { $0.marksErrors = true }
    #expect(pty.attributes().c_iflag & flags == flags)
    #expect(pty.attributes().c_iflag & tcflag_t(IGNPAR) == 0)
    try marking.apply(LineSettings(baudRate: 9_600))
    #expect(pty.attributes().c_iflag & flags == flags, "new settings keep the marks")
  }

  @Test func lockFile_isMade_andRemoved() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let lock = UUCPLock(for: pty.path, in: folder)
    let link = try open { ($0.lockFolder, $0.makesLockFile) = (folder, true) }
    #expect(lock.status == .held(by: getpid()))
    let error = #expect(throws: SerialError.self) { try open { $0.lockFolder = folder } }
    #expect(error?.code == .busy)
    if try Pty.opensExclusive() {
      try open { ($0.lockFolder, $0.isExclusive) = (folder, false) }.close()
    }
    link.close()
    #expect(lock.status == .absent)
  }

  @Test func lockFile_isRemoved_whenThePortCannotBeOpened() throws {
    let temporary = try TemporaryFolder()
    let folder = temporary.path
    let holder = try open()
    #expect(throws: SerialError.self) {
      try open { ($0.lockFolder, $0.makesLockFile) = (folder, true) }
    }
    #expect(folder.entryNames().isEmpty)
    holder.close()
  }
}

extension Pty {
  fileprivate var hangsUp: Bool { attributes().c_cflag & tcflag_t(HUPCL) != 0 }
}
