import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import SerialCore

/// A folder of lock files, for the port `/dev/ttyTEST`.
private final class LockFolder {
  private let folder: TemporaryFolder
  var path: FilePath { folder.path }
  var lock: UUCPLock { UUCPLock(for: "/dev/ttyTEST", in: path) }
  var file: FilePath { path.appending("LCK..ttyTEST") }

  init() throws { folder = try TemporaryFolder() }

  /// Writes a lock file, like another program.
  func put(_ contents: [UInt8], secondsAgo age: Int = 0) throws {
    let made = try OwnedDescriptor.open(file, O_WRONLY | O_CREAT | O_TRUNC)
    try systemCall { Glibc.write(made.borrowed.rawValue, contents, contents.count) }
    let time = timespec(tv_sec: Glibc.time(nil) - age, tv_nsec: 0)
    try systemCall { futimens(made.borrowed.rawValue, [time, time]) }
  }

  /// The names and contents of the files in the folder. Links are not followed.
  func contents() throws -> [String: [UInt8]] {
    try Dictionary(
      uniqueKeysWithValues: path.entryNames().map { ($0, try path.appending($0).contents()) })
  }
}

private func line(_ pid: pid_t) -> [UInt8] {
  let text = String(pid)
  return Array((String(repeating: " ", count: 10 - text.count) + text + "\n").utf8)
}

/// A process ID that no process has: it is larger than the kernel's maximum.
/// See proc(5), `pid_max`.
private let deadPID: pid_t = 4_194_305

@Suite(.timeLimit(.minutes(30))) struct UUCPLockTests {
  private let folder: LockFolder

  init() throws { folder = try LockFolder() }

  // MARK: Reading

  @Test(arguments: [Int.min, Int.max])
  func emptyFile_ofAnImpossibleTime_isStaleOrBeingMade(second: Int) throws {
    // A file system that stores such times unchanged; most do not.
    let memory: FilePath = "/dev/shm"
    guard (try? memory.stat().type) == .directory else { return }
    let file = memory.appending("serialterm-test-\(getpid())-\(UInt.random(in: 0 ... .max))")
    defer { _ = file.withPlatformString { unlink($0) } }
    let made = try OwnedDescriptor.open(file, O_RDWR | O_CREAT | O_EXCL)
    let time = timespec(tv_sec: second, tv_nsec: 0)
    try systemCall { futimens(made.borrowed.rawValue, [time, time]) }
    #expect([.stale(by: nil), .held(by: nil)].contains(UUCPLock.status(of: made.borrowed)))
  }

  @Test(arguments: [
    ("/dev/ttyUSB7", "LCK..ttyUSB7"), ("/dev/none/7", "LCK..none_7"), ("relative", "LCK..relative"),
  ])
  func name_isTheNodes_belowDev(port: FilePath, name: String) {
    #expect(UUCPLock(for: port, in: "/locks").file == FilePath("/locks").appending(name))
  }

  @Test func name_isThatOfTheNode_whereTheLinkLeads() throws {
    let link = folder.path.appending("port")
    link.withPlatformString { #expect(symlink("/dev/null", $0) == 0) }
    #expect(UUCPLock(for: link, in: "/locks").file == "/locks/LCK..null")
  }

  @Test func liveProcess_holdsIt_inEveryForm() throws {
    #expect(folder.lock.status == .absent)
    let binary = withUnsafeBytes(of: getpid(), Array.init)
    let forms = [line(getpid()), Array("\(getpid())".utf8), binary, line(getpid()) + [0x20, 0x78]]
    for form in forms {
      try folder.put(form)
      #expect(folder.lock.status == .held(by: getpid()))
    }
    try folder.put(line(1))
    #expect(folder.lock.status == .held(by: 1))
  }

  /// IDs whose bytes look like digits and blanks.
  @Test(arguments: [0x0A31, 0x2031, 0x0A3131, 0x3131, 0x31] as [Int32])
  func binaryID_isNoText(pid: Int32) {
    #expect(UUCPLock.processID(in: withUnsafeBytes(of: pid, Array.init)[...]) == pid)
  }

  @Test func deadProcess_holdsNothing() throws {
    try folder.put(line(deadPID))
    #expect(folder.lock.status == .stale(by: deadPID))
    try folder.put(withUnsafeBytes(of: deadPID, Array.init))
    #expect(folder.lock.status == .stale(by: deadPID))
  }

  @Test func emptyFile_isBeingMade_forAWhile() throws {
    try folder.put([])
    #expect(folder.lock.status == .held(by: nil))
    try folder.put([], secondsAgo: 60)
    #expect(folder.lock.status == .stale(by: nil))
  }

  @Test(arguments: [
    Array("garbage\n".utf8), Array("0\n".utf8), Array("-5\n".utf8), [0, 0, 0, 0],
    [0xFF, 0xFF, 0xFF, 0xFF], [1, 2], Array("99999999999\n".utf8), Array("12x4\n".utf8), [0x0A],
    Array("what".utf8), [UInt8](repeating: 0xAA, count: 100_000),
  ])
  func garbage_saysNothing(contents: [UInt8]) throws {
    try folder.put(contents)
    #expect(folder.lock.status == .unusable(nil))
  }

  @Test func otherThanAFile_isNotFollowed() throws {
    let target = folder.path.appending("target")
    folder.file.withPlatformString { link in
      target.withPlatformString { #expect(symlink($0, link) == 0) }
    }
    #expect(folder.lock.status == .unusable(.tooManySymbolicLinkLevels))
    folder.file.withPlatformString { #expect(unlink($0) == 0 && mkfifo($0, 0o600) == 0) }
    #expect(folder.lock.status == .unusable(nil))
    folder.file.withPlatformString { #expect(unlink($0) == 0 && mkdir($0, 0o700) == 0) }
    #expect(folder.lock.status == .unusable(nil))
    folder.file.withPlatformString { #expect(rmdir($0) == 0) }
  }

  // MARK: Creating

  @Test func made_itNamesThisProcess_andGoesWithIt() throws {
    do {
      let made = try folder.lock.make()
      #expect(try folder.contents() == ["LCK..ttyTEST": line(getpid())])
      _ = consume made
    }
    #expect(folder.path.entryNames().isEmpty)
  }

  @Test func staleLock_isReplaced() throws {
    for contents in [line(deadPID), []] {
      try folder.put(contents, secondsAgo: 60)
      let made = try folder.lock.make()
      #expect(try folder.contents() == ["LCK..ttyTEST": line(getpid())])
      _ = consume made
      #expect(folder.path.entryNames().isEmpty)
    }
  }

  @Test func heldLock_isLeftAlone() throws {
    for contents in [line(1), line(getpid()), []] {
      try folder.put(contents)
      let error = #expect(throws: SerialError.self) { _ = try folder.lock.make() }
      #expect(error?.code == .busy)
      #expect(error?.endpoint == .tty("/dev/ttyTEST"))
      #expect(try folder.contents() == ["LCK..ttyTEST": contents])
    }
  }

  @Test func garbage_isLeftAlone() throws {
    let garbage = Array("garbage\n".utf8)
    try folder.put(garbage, secondsAgo: 60)
    let error = #expect(throws: SerialError.self) { _ = try folder.lock.make() }
    #expect(error?.code == .lockFailed)
    #expect(error?.subject == folder.file.string)
    #expect(try folder.contents() == ["LCK..ttyTEST": garbage])
  }

  @Test func plantedLink_isLeftAlone_andWhereItLeadsToo() throws {
    let target = folder.path.appending("target")
    for exists in [false, true] {
      if exists { _ = try OwnedDescriptor.open(target, O_WRONLY | O_CREAT) }
      folder.file.withPlatformString { link in
        _ = target.withPlatformString { symlink($0, link) }
      }
      let error = #expect(throws: SerialError.self) { _ = try folder.lock.make() }
      #expect(error?.code == .lockFailed)
      #expect(
        Set(folder.path.entryNames()) == (exists ? ["LCK..ttyTEST", "target"] : ["LCK..ttyTEST"]))
    }
    #expect(try target.contents().isEmpty)
  }

  @Test func staleLock_thatAnotherProgramReplaces_isBusy() throws {
    try folder.put(line(deadPID))
    let replacing = try folder.lock.open()
    try systemCall { flock(replacing.borrowed.rawValue, LOCK_EX) }
    let error = #expect(throws: SerialError.self) { _ = try folder.lock.make() }
    #expect(error?.code == .busy)
    #expect(try folder.contents() == ["LCK..ttyTEST": line(deadPID)])
  }

  @Test func lockThatAnotherProgramReplaced_isNotRemoved() throws {
    do {
      let made = try folder.lock.make()
      folder.file.withPlatformString { #expect(unlink($0) == 0) }
      try folder.put(line(1))
      _ = consume made
    }
    #expect(try folder.contents() == ["LCK..ttyTEST": line(1)])
  }

  @Test func missingFolder_locksNothing_andCannotBeUsedToLock() throws {
    let lock = UUCPLock(for: "/dev/ttyTEST", in: "/nowhere")
    try lock.respect()
    let error = #expect(throws: SerialError.self) { _ = try lock.make() }
    #expect(error?.code == .lockFailed)
    #expect(error?.subject == "/nowhere")
  }
}
