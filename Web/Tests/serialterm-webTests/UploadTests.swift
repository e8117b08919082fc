import Glibc
import NIOCore
import SystemPackage
import Testing

@testable import serialterm_web

struct UploadTests {
  @Test(arguments: [
    ("fw.bin", "fw.bin"), ("../../etc/passwd", "passwd"), ("C:\\a\\b.hex", "b.hex"), ("..", "file"),
    ("-rf", "rf"), ("a;b\u{1b}c", "a_b_c"), ("", "file"), (".bashrc", "bashrc"),
  ])
  func namesAreHarmless(given: String, kept: String) { #expect(Upload.harmless(given) == kept) }

  private func request(_ size: Int, id: Int = 1) -> Upload.Request {
    Upload.Request(id: .number(id), name: "x", size: size, protocolName: "raw")
  }

  @Test func aFileThatTheSessionHasAnsweredGivesItsPlaceBack() throws {
    let places = UploadPlaces(limit: 1, numbers: 100..<200)
    let (one, other) = (PendingUpload(in: places), PendingUpload(in: places))
    #expect(try one.begin(request(3)) == nil)
    #expect(throws: BrowserCommand.Refusal.self) { try other.begin(request(3)) }
    let command = try [UInt8]("abc".utf8).withUnsafeBytes { try one.add($0) }
    #expect(command?.contains(#""path":"/proc/"#) == true)
    one.note(.answered(id: .number(2)))
    #expect(throws: BrowserCommand.Refusal.self) { try other.begin(request(3)) }
    one.note(.answered(id: .number(1)))
    #expect(try other.begin(request(0)) != nil)
  }

  @Test func aFileThatIsTooLongGivesItsPlaceBack() throws {
    let places = UploadPlaces(limit: 1, numbers: 100..<200)
    let (one, other) = (PendingUpload(in: places), PendingUpload(in: places))
    _ = try one.begin(request(2))
    #expect(throws: BrowserCommand.Refusal.self) {
      try [UInt8]("abc".utf8).withUnsafeBytes { try one.add($0) }
    }
    #expect(try other.begin(request(3)) == nil)
  }

  @Test func aCompleteFileStaysUntilTheSessionHasAnswered() throws {
    let places = UploadPlaces(limit: 2, numbers: 100..<200)
    let pending = PendingUpload(in: places)
    _ = try pending.begin(request(3))
    _ = try pending.begin(request(0, id: 2))
    let refusal = #expect(throws: BrowserCommand.Refusal.self) {
      try pending.begin(request(3, id: 3))
    }
    #expect(refusal?.id == .number(3))
    #expect(pending.id == .number(2))
    pending.note(.answered(id: .number(2)))
    #expect(try pending.begin(request(3, id: 3)) == nil)
  }

  @Test func aCompleteFileStaysWhenThePageLeaves() throws {
    let places = UploadPlaces(limit: 1, numbers: 100..<200)
    let (one, other) = (PendingUpload(in: places), PendingUpload(in: places))
    _ = try one.begin(request(0))
    #expect(!one.leave())
    #expect(throws: BrowserCommand.Refusal.self) { try other.begin(request(3)) }
    one.clear()
    #expect(try other.begin(request(3)) == nil)
    #expect(other.leave())
    #expect(try one.begin(request(3)) == nil)
  }

  @Test func theNextFileHasAnotherPath() throws {
    let pending = PendingUpload(in: UploadPlaces(limit: 1, numbers: 300..<400))
    let paths = try (1...10).map { _ in
      defer { pending.clear() }
      return try #require(try pending.begin(request(0)))
    }
    #expect(Set(paths).count == 10)
  }

  @Test func aPageThatIsGoneHasNoPlace() throws {
    let places = UploadPlaces(limit: 1, numbers: 100..<200)
    do { _ = try PendingUpload(in: places).begin(request(3)) }
    #expect(try PendingUpload(in: places).begin(request(3)) == nil)
  }
}

struct UploadPlacesTests {
  private let start = NIODeadline.uptimeNanoseconds(1_000_000_000)
  private let patience = UploadPlaces.Table.patience

  @Test func onlyAFileThatStallsLosesItsPlace() {
    var table = UploadPlaces.Table(limit: 2)
    let one = table.begin(at: start, isComplete: false)?.number ?? 0
    let other = table.begin(at: start, isComplete: false)?.number ?? 0
    let early = table.begin(at: start + patience - .nanoseconds(1), isComplete: false)
    #expect(early == nil)
    let isKept = table.advance(one, at: start + patience, isComplete: false)
    #expect(isKept)
    let third = table.begin(at: start + patience, isComplete: false)
    #expect(third?.stalled == other)
    let present = [one, other].map { table.advance($0, at: start + patience, isComplete: true) }
    #expect(present == [true, false])
  }

  @Test func aCompleteFileKeepsItsPlace() {
    var table = UploadPlaces.Table(limit: 1)
    let one = table.begin(at: start, isComplete: false)?.number ?? 0
    let isKept = table.advance(one, at: start, isComplete: true)
    #expect(isKept)
    let second = table.begin(at: start + .hours(1), isComplete: false)
    #expect(second == nil)
    table.end(one)
    let numbers = [1, 2].map { table.begin(at: start + .hours($0), isComplete: true)?.number }
    #expect(numbers[0] != nil && numbers[1] == nil)
  }
}

struct DescriptorNumbersTests {
  private func make() throws -> SystemPackage.FileDescriptor { try UnnamedFile.make(in: "/tmp") }

  @Test func aNumberIsUsedAgainAfterAllOthers() throws {
    var numbers = DescriptorNumbers(500..<503)
    let used = try (0..<4).map { _ in
      let file = numbers.move(try make())
      try file.close()
      return file.rawValue
    }
    #expect(used == [500, 501, 502, 500])
  }

  @Test func aFileWithoutAFreeNumberKeepsItsOwn() throws {
    var numbers = DescriptorNumbers(CInt.max - 2..<CInt.max)
    let file = try make()
    let moved = numbers.move(file)
    #expect(moved == file)
    try moved.close()
  }
}

struct UnnamedFileTests {
  /// Both ways: not every file system can make a file without a name.
  @Test(arguments: [true, false]) func anotherProcessReadsItAndNoFolderHasIt(isUnnamed: Bool) throws
  {
    var template = Array("/tmp/unnamed-XXXXXX".utf8CString)
    let folder = FilePath(String(cString: try #require(mkdtemp(&template))))
    // It can be removed because it is empty.
    defer { #expect(folder.withPlatformString { rmdir($0) } == 0) }
    let file =
      try isUnnamed ? UnnamedFile.make(in: folder) : UnnamedFile.makeWithoutItsName(in: folder)
    defer { try? file.close() }
    try file.writeAll("content".utf8)
    let again = try SystemPackage.FileDescriptor.open(
      FilePath("/proc/\(getpid())/fd/\(file.rawValue)"), .readOnly)
    defer { try? again.close() }
    var bytes = [UInt8](repeating: 0, count: 100)
    let count = try bytes.withUnsafeMutableBytes { try again.read(into: $0) }
    #expect(String(decoding: bytes[..<count], as: UTF8.self) == "content")
  }

  @Test func aMissingFolderIsAnError() {
    #expect(throws: Errno.noSuchFileOrDirectory) { try UnnamedFile.make(in: "/nothing/here") }
  }
}
