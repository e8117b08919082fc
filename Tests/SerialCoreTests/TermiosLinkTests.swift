import Glibc
import Posix
import SystemPackage
import Testing

@testable import SerialCore

private func isReadable(_ link: TermiosLink) -> Bool {
  var poll = pollfd(fd: link.descriptor?.rawValue ?? -1, events: Int16(POLLIN), revents: 0)
  return Glibc.poll(&poll, 1, 60_000) == 1
}

@Suite(.timeLimit(.minutes(30))) struct TermiosLinkTests {
  private let pty: Pty

  init() throws { pty = try Pty() }

  private func open(
    settings: LineSettings = LineSettings(), isExclusive: Bool = true
  ) throws(SerialError) -> TermiosLink {
    var options = LinkOptions()
    options.isExclusive = isExclusive
    return try TermiosLink.opened(pty.path, settings: settings, options: options)
  }

  @Test func anyBaudRate_isTaken_andReadBack() throws {
    for rate: UInt32 in [50, 9_600, 31_250, 123_456, 12_000_000] {
      let link = try open(settings: LineSettings(baudRate: rate))
      #expect(link.settings.baudRate == rate)
      link.close()
    }
  }

  @Test func baudRateOutOfRange_isRefused_beforeThePortIsTouched() throws {
    let before = pty.attributes()
    for rate: UInt32 in [0, UInt32(Int32.max) + 1, .max] {
      let settings = LineSettings(baudRate: rate)
      let opening = #expect(throws: SerialError.self) { try open(settings: settings) }
      #expect(opening?.code == .settingRefused && opening?.subject == "baud rate \(rate)")
      // The rate is refused even without a node.
      let missing = #expect(throws: SerialError.self) {
        try TermiosLink.opened("/nonexistent", settings: settings)
      }
      #expect(missing?.code == .settingRefused)
      let link = try open()
      let applying = #expect(throws: SerialError.self) { try link.apply(settings) }
      #expect(applying?.code == .settingRefused)
      #expect(link.settings == LineSettings())
      link.close()
      let session = Session(settings: LineSettings())
      let later = #expect(throws: SerialError.self) { try session.apply(settings) }
      #expect(later?.code == .settingRefused)
    }
    let after = pty.attributes()
    #expect(before.c_cflag == after.c_cflag && before.c_iflag == after.c_iflag)
  }

  @Test func driversChanges_areReadBack() throws {
    // Pseudo-terminals have neither parity nor fewer than 8 bits: the kernel resets them.
    let asked = LineSettings(dataBits: .seven, parity: .even)
    let link = try open(settings: asked)
    #expect(asked.differences(from: link.settings).map(\.setting) == ["data bits", "parity"])
  }

  @Test func nothingIsFlushed_whenItOpens() throws {
    #expect(Glibc.write(pty.master, "boot\n", 5) == 5)
    let link = try open()
    #expect(isReadable(link))
    #expect(try link.read(16) == Array("boot\n".utf8))
  }

  @Test func nothingIsFlushed_whenSettingsChange() throws {
    let link = try open()
    #expect(Glibc.write(pty.master, "boot\n", 5) == 5)
    #expect(isReadable(link))
    try link.apply(LineSettings(baudRate: 9_600))
    #expect(try link.read(16) == Array("boot\n".utf8))
  }

  @Test func bytesPassUnchanged_bothWays() throws {
    let link = try open()
    let all = (0...255).map(UInt8.init)
    #expect(try all.withUnsafeBytes { try link.write($0) } == .bytes(256))
    var far = [UInt8](repeating: 0, count: 512)
    #expect(Glibc.read(pty.master, &far, far.count) == 256)
    #expect(Array(far[..<256]) == all)
    #expect(Glibc.write(pty.master, all, 256) == 256)
    var near: [UInt8] = []
    while near.count < 256 {
      try #require(isReadable(link))
      near += try link.read(512)
    }
    #expect(near == all)
  }

  @Test func close_restoresTheFormerSettings() throws {
    let before = pty.attributes()
    let link = try open(settings: LineSettings(baudRate: 9_600, flowControl: .hard))
    #expect(pty.speed() == speed_t(B9600))
    link.close()
    link.close()
    let after = pty.attributes()
    #expect(before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag)
    #expect(before.c_cflag == after.c_cflag && before.c_lflag == after.c_lflag)
  }

  @Test func lentPort_keepsItsSettings_withoutLocksAndMarks() throws {
    var options = LinkOptions()
    options.marksErrors = true
    let settings = LineSettings(baudRate: 57_600, flowControl: .hard)
    let link = try TermiosLink.opened(pty.path, settings: settings, options: options)
    #expect(pty.attributes().c_iflag & tcflag_t(PARMRK) != 0)
    _ = link.lend()
    #expect(pty.speed() == speed_t(B57600))
    #expect(pty.attributes().c_lflag & tcflag_t(ECHO | ICANON) == 0, "raw, as the session had it")
    #expect(pty.attributes().c_iflag & tcflag_t(PARMRK | INPCK) == 0)
    let other = try open()
    #expect(other.settings.baudRate == 115_200, "unlocked: it could be opened")
  }

  @Test func linkAfterALoan_restoresTheSettingsFoundBeforeIt() throws {
    let before = pty.attributes()
    let lent = try #require(try open(settings: LineSettings(baudRate: 57_600)).lend())
    try open(settings: LineSettings(baudRate: 1_200)).lend().map { _ in }
    #expect(pty.speed() == speed_t(B1200), "what the other program left behind")
    let link = try open(settings: LineSettings(baudRate: 57_600))
    link.inherit(lent)
    link.close()
    let after = pty.attributes()
    #expect(before.c_cflag == after.c_cflag && before.c_lflag == after.c_lflag)
    #expect(before.c_iflag == after.c_iflag && before.c_oflag == after.c_oflag)
  }

  @Test func apply_changesAnOpenLine() throws {
    let link = try open()
    try link.apply(LineSettings(baudRate: 57_600, stopBits: .two, flowControl: .soft))
    #expect(link.settings.description == "57600 8N2 XON/XOFF")
  }

  @Test func softFlowControl_usesXONAndXOFF_whateverWasFound() throws {
    var found = pty.attributes()
    withUnsafeMutableBytes(of: &found.c_cc) { characters in
      characters[Int(VSTART)] = 0x41
      characters[Int(VSTOP)] = 0
    }
    try #require(tcsetattr(pty.master, TCSANOW, &found) == 0)
    let link = try open(settings: LineSettings(flowControl: .soft))
    #expect(characters(of: pty.attributes()) == [0x11, 0x13])
    link.close()
    #expect(characters(of: pty.attributes()) == [0x41, 0])
  }

  private func characters(of attributes: termios) -> [UInt8] {
    withUnsafeBytes(of: attributes.c_cc) { [$0[Int(VSTART)], $0[Int(VSTOP)]] }
  }

  // MARK: Ownership

  @Test func secondLink_isRefused_asBusy_untilTheFirstIsClosed() throws {
    let first = try open()
    let error = #expect(throws: SerialError.self) { try open() }
    #expect(error?.code == .busy)
    #expect(error?.endpoint == .tty(pty.path))
    if try Pty.opensExclusive() { try open(isExclusive: false).close() }
    first.close()
    try open().close()
  }

  @Test func closedLink_isFree_whileAChildHasACopyOfItsDescriptor() throws {
    let first = try open()
    let copies = try openFiles(of: pty.path).map { try $0.duplicate() }
    defer { copies.forEach { try? $0.close() } }
    try #require(!copies.isEmpty)
    first.close()
    try open().close()
  }

  /// The descriptors of this process for a file.
  private func openFiles(of path: FilePath) -> [FileDescriptor] {
    (0..<1_024).map(FileDescriptor.init(rawValue:)).filter {
      FilePath("/proc/self/fd/\($0.rawValue)").linkTarget == path
    }
  }

  @Test func refusedLink_leavesTheOthersSettingsAlone() throws {
    let first = try open(settings: LineSettings(baudRate: 9_600))
    #expect(throws: SerialError.self) { try open(settings: LineSettings(baudRate: 300)) }
    #expect(pty.speed() == speed_t(B9600))
    first.close()
  }

  @Test func holder_isTheProcessThatLockedIt() throws {
    let link = try open()
    let holder = PortHolders()[pty.path]
    #expect(holder?.pid == getpid())
    #expect(holder?.command.isEmpty == false)
    link.close()
  }

  @Test func holder_isWhoHasItOpen_whenTheProcessThatLockedItIsNoMore() throws {
    let file = try FileDescriptor.open(pty.path, .readWrite)
    defer { try? file.close() }
    var pid = pid_t()
    let program = strdup("flock")
    let number = strdup("\(file.rawValue)")
    defer { free(program); free(number) }
    try #require(posix_spawnp(&pid, "flock", nil, nil, [program, number, nil], environ) == 0)
    var status: CInt = 0
    try #require(waitpid(pid, &status, 0) == pid && status == 0)
    let error = #expect(throws: SerialError.self) { try open() }
    #expect(error?.code == .busy)
    let holder = PortHolders()[pty.path]
    #expect(holder != nil && holder?.pid != pid)
  }

  // MARK: Other files

  @Test(arguments: [
    ("/nowhere/ttyS0", SerialError.Code.notFound), ("/dev/null", .notASerialPort),
    ("/", .notASerialPort), ("/etc/passwd", .notASerialPort),
    ("/etc/passwd/ttyS0", .notFound),
  ])
  func wrongPath_isRefused(path: String, code: SerialError.Code) {
    let error = #expect(throws: SerialError.self) {
      try TermiosLink.opened(FilePath(path), settings: LineSettings())
    }
    #expect(error?.code == code)
    #expect(error?.endpoint == .tty(FilePath(path)))
  }

  @Test func hungUpTerminal_isLost() throws {
    var pty: Pty? = try Pty()
    let link = try TermiosLink.opened(try #require(pty).path, settings: LineSettings())
    pty = nil
    var byte: UInt8 = 1
    let error = #expect(throws: SerialError.self) {
      try withUnsafeBytes(of: &byte) { try link.write($0) }
    }
    #expect(error?.code == .lost)
  }
}
