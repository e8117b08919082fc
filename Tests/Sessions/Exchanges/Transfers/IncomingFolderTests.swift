import Framing
import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing
import TransferProtocols

@testable import Sessions

@Suite struct IncomingFolderTests {
  private let folder: TemporaryFolder
  private var path: FilePath { folder.path }

  init() throws { folder = try TemporaryFolder() }

  private func open(
    _ change: (inout IncomingFolder.Rules) -> Void = { _ in }
  ) throws -> IncomingFolder {
    var rules = IncomingFolder.Rules()
    change(&rules)
    return try IncomingFolder(at: path, rules)
  }

  private func names() -> [String] { path.entryNames().sorted() }

  private func contents(_ name: String) throws -> String {
    String(decoding: try path.appending(name).contents(), as: UTF8.self)
  }

  private func write(_ name: String, _ text: String) throws {
    let file = try FileDescriptor.open(
      path.appending(name), .writeOnly, options: [.create], permissions: [.ownerReadWrite])
    try file.closeAfter { _ = try file.writeAll(text.utf8) }
  }

  /// Receives a complete file, and returns its path.
  @discardableResult
  private func receive(
    _ name: String, _ text: String, in incoming: IncomingFolder, mode: UInt32? = nil,
    time: Int? = nil
  ) throws -> FilePath? {
    let info = TransferredFile(
      name: Array(name.utf8), size: text.utf8.count, modificationTime: time, mode: mode)
    guard case .accepted? = try incoming.perform(.offer(info)) else { return nil }
    _ = try incoming.perform(.write(Array(text.utf8)))
    guard case .stored(let path)? = try incoming.perform(.endFile(.complete)) else { return nil }
    return path
  }

  @Test func aFileGetsItsNameAtItsEnd() throws {
    let incoming = try open()
    _ = try incoming.perform(.offer(TransferredFile(name: Array("boot.bin".utf8), size: 4)))
    _ = try incoming.perform(.write(Array("data".utf8)))
    #expect(names() == ["boot.bin.part"])
    #expect(incoming.partial?.count == 4)
    #expect(incoming.partial?.path == path.appending("boot.bin.part"))
    #expect(
      try incoming.perform(.endFile(.complete)) == .stored(path.appending("boot.bin")))
    #expect(names() == ["boot.bin"])
    #expect(try contents("boot.bin") == "data")
    #expect(incoming.partial == nil)
  }

  /// Row 45 of the promises.
  @Test(arguments: [
    ("../evil", DeclinedFile.Reason.name), ("a/../../evil", .name), ("/etc/evil", .name),
    ("..", .name), (".", .name), (".profile", .name), ("", .name), ("folder/", .name),
    ("a\u{1B}[31mb", .characters), ("a\nb", .characters), ("a\u{202E}gpj.exe", .characters),
    (String(repeating: "n", count: 250), .name),
  ])
  func namesThatLeadElsewhere_areDeclined(name: String, reason: DeclinedFile.Reason) throws {
    let incoming = try open()
    let bytes = Array(name.utf8)
    #expect(
      try incoming.perform(.offer(TransferredFile(name: bytes)))
        == .declined(DeclinedFile(name: bytes, reason: reason)))
    #expect(names().isEmpty)
  }

  @Test func bytesThatAreNoText_areDeclined() throws {
    for bytes: [UInt8] in [[0xFF, 0xFE], [0x61, 0, 0x62]] {
      guard case .declined? = try open().perform(.offer(TransferredFile(name: bytes))) else {
        Issue.record("\(bytes) was accepted")
        continue
      }
    }
  }

  @Test func theFolderOfTheSenderIsLeftOut() throws {
    let incoming = try open()
    #expect(try receive("build/out/a b ä.bin", "x", in: incoming) == path.appending("a b ä.bin"))
  }

  @Test func existingFilesAreKept() throws {
    let incoming = try open()
    try write("boot.bin", "old")
    #expect(try receive("boot.bin", "new", in: incoming) == path.appending("boot.bin.1"))
    #expect(try receive("boot.bin", "newer", in: incoming) == path.appending("boot.bin.2"))
    #expect(try contents("boot.bin") == "old")
    #expect(try contents("boot.bin.1") == "new")
  }

  @Test func linksAreNotFollowed() throws {
    let outside = try TemporaryFolder()
    let target = outside("target")
    for name in ["boot.bin", "boot.bin.part"] {
      try systemCall {
        target.withPlatformString { old in
          path.appending(name).withPlatformString { symlink(old, $0) }
        }
      }
    }
    let incoming = try open { $0.continuesPartial = true }
    #expect(try receive("boot.bin", "new", in: incoming) == path.appending("boot.bin.1"))
    #expect(outside.path.entryNames().isEmpty)
  }

  @Test func replacingReplacesTheLink_andNotItsTarget() throws {
    let outside = try TemporaryFolder()
    try systemCall {
      outside("target").withPlatformString { old in
        path.appending("boot.bin").withPlatformString { symlink(old, $0) }
      }
    }
    let incoming = try open { $0.replaces = true }
    #expect(try receive("boot.bin", "new", in: incoming) == path.appending("boot.bin"))
    #expect(outside.path.entryNames().isEmpty)
    #expect(try path.appending("boot.bin").stat(followTargetSymlink: false).type == .regular)
  }

  @Test func aFolderIsNotReplaced() throws {
    try systemCall { path.appending("boot.bin").withPlatformString { mkdir($0, 0o700) } }
    let incoming = try open { $0.replaces = true }
    #expect(throws: TransferStorageError.self) { try receive("boot.bin", "new", in: incoming) }
    #expect(try contents("boot.bin.part") == "new")
  }

  @Test func permissionsAndTimeAreTheSenders_withoutExecution() throws {
    let incoming = try open()
    try receive("a", "x", in: incoming, mode: 0o104777, time: 1_000_000_000)
    let status = try path.appending("a").stat()
    #expect(status.permissions.rawValue & 0o7111 == 0)
    #expect(status.permissions.rawValue & 0o400 != 0)
    #expect(status.st_mtim.tv_sec == 1_000_000_000)
  }

  @Test func largeFilesAreDeclined() throws {
    let incoming = try open { $0.largestFile = 10 }
    let name = Array("a".utf8)
    #expect(
      try incoming.perform(.offer(TransferredFile(name: name, size: 11)))
        == .declined(DeclinedFile(name: name, reason: .size(11, limit: 10))))
    guard
      case .declined(let file)? = try open().perform(
        .offer(TransferredFile(name: name, size: 1 << 60)))
    else {
      Issue.record("there is no room for it")
      return
    }
    guard case .space = file.reason else {
      Issue.record("\(file.reason)")
      return
    }
  }

  // MARK: Partial files

  @Test func aPartialFileIsContinued_ifTheProtocolSaysSo() throws {
    try write("boot.bin.part", "half")
    let incoming = try open { $0.continuesPartial = true }
    let info = TransferredFile(name: Array("boot.bin".utf8), size: 8)
    #expect(try incoming.perform(.offer(info)) == .accepted(partialCount: 4))
    #expect(
      try incoming.perform(.checksum(count: 4)) == .checksum(CRC32(of: "half".utf8).value))
    _ = try incoming.perform(.resume(at: 4))
    _ = try incoming.perform(.write(Array("rest".utf8)))
    _ = try incoming.perform(.endFile(.complete))
    #expect(names() == ["boot.bin"])
    #expect(try contents("boot.bin") == "halfrest")
  }

  @Test func aPartialFileOfAnotherOne_isKept() throws {
    try write("boot.bin.part", "other")
    let incoming = try open { $0.continuesPartial = true }
    #expect(try receive("boot.bin", "whole", in: incoming) == path.appending("boot.bin"))
    #expect(names() == ["boot.bin", "boot.bin.part"])
    #expect(try contents("boot.bin.part") == "other")
    #expect(try contents("boot.bin") == "whole")
  }

  @Test func aPartialFileWithAnotherName_isNotTouched() throws {
    // Somebody else may have put it there.
    try write("mine", "half")
    try systemCall {
      path.appending("mine").withPlatformString { old in
        path.appending("boot.bin.part").withPlatformString { link(old, $0) }
      }
    }
    let incoming = try open { $0.continuesPartial = true }
    let info = TransferredFile(name: Array("boot.bin".utf8), size: 8)
    #expect(try incoming.perform(.offer(info)) == .accepted(partialCount: 0))
    #expect(names() == ["boot.bin.part", "boot.bin.part.1", "mine"])
  }

  @Test func withoutContinuing_aPartialFileIsNotTouched() throws {
    try write("boot.bin.part", "other")
    let incoming = try open()
    _ = try incoming.perform(.offer(TransferredFile(name: Array("boot.bin".utf8))))
    _ = try incoming.perform(.write(Array("x".utf8)))
    #expect(names() == ["boot.bin.part", "boot.bin.part.1"])
    #expect(try contents("boot.bin.part") == "other")
  }

  @Test func nothingIsLeftOfATransferWithoutBytes() throws {
    let incoming = try open()
    _ = try incoming.perform(.offer(TransferredFile(name: Array("boot.bin".utf8))))
    incoming.discardIfEmpty()
    #expect(names().isEmpty)
  }

  @Test func anEmptyFileIsAFile() throws {
    let incoming = try open { $0.continuesPartial = true }
    _ = try incoming.perform(.offer(TransferredFile(name: Array("empty".utf8), size: 0)))
    #expect(try incoming.perform(.endFile(.complete)) == .stored(path.appending("empty")))
    #expect(names() == ["empty"])
  }

  @Test func theUsersNameIsForAProtocolWithoutNames() throws {
    let incoming = try open { $0.name = "mine.bin" }
    #expect(try receive("", "x", in: incoming) == path.appending("mine.bin"))
  }

  @Test func aFolderThatIsMissing_isNoticedBeforeAnythingIsReceived() throws {
    #expect(throws: TransferStorageError(path.appending("none"), .noSuchFileOrDirectory)) {
      try IncomingFolder(at: path.appending("none"), IncomingFolder.Rules())
    }
    try write("file", "")
    #expect(throws: TransferStorageError(path.appending("file"), .notDirectory)) {
      try IncomingFolder(at: path.appending("file"), IncomingFolder.Rules())
    }
  }
}
