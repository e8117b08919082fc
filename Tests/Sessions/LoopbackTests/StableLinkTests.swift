import Glibc
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import Loopback

extension TemporaryFolder {
  fileprivate var names: Set<String> { Set(path.entryNames()) }
}

@Suite(.timeLimit(.minutes(30))) struct StableLinkTests {
  private let folder: TemporaryFolder
  private let path: FilePath
  private let target: FilePath

  init() throws {
    folder = try TemporaryFolder()
    path = folder.path.appending("port")
    target = folder.path.appending("node")
    try createFile(target)
  }

  private func createFile(_ path: FilePath) throws {
    let options: FileDescriptor.OpenOptions = [.create, .exclusiveCreate]
    try FileDescriptor.open(path, .writeOnly, options: options, permissions: .ownerReadWrite)
      .close()
  }

  private func createLink(to target: FilePath) throws {
    try systemCall {
      target.withPlatformString { target in path.withPlatformString { symlink(target, $0) } }
    }
  }

  private func linkTarget() -> String? {
    var buffer = [CChar](repeating: 0, count: 4_096)
    let count = path.withPlatformString { readlink($0, &buffer, buffer.count - 1) }
    return count < 0 ? nil : FilePath(platformString: buffer).string
  }

  private func expectRefusal(by occupant: StableLinkError.Occupant) {
    #expect(throws: StableLinkError(path: path, reason: .occupied(by: occupant))) {
      try StableLink(at: path, to: target)
    }
    #expect(folder.names == ["node", "port"])
  }

  @Test func link_lastsAsLongAsTheObject() throws {
    var link: StableLink? = try StableLink(at: path, to: target)
    #expect(linkTarget() == target.string)
    #expect(link?.path == path)
    link = nil
    #expect(folder.names == ["node"])
  }

  @Test func remove_leavesItsReplacement() throws {
    let link = try StableLink(at: path, to: target)
    _ = path.withPlatformString { unlink($0) }
    try createLink(to: folder.path)
    link.remove()
    #expect(linkTarget() == folder.path.string)
    _ = path.withPlatformString { unlink($0) }
    try createFile(path)
    link.remove()
    #expect(folder.names == ["node", "port"])
  }

  @Test func remove_doesNothing_whenItIsGone() throws {
    let link = try StableLink(at: path, to: target)
    link.remove()
    link.remove()
    #expect(folder.names == ["node"])
  }

  @Test(arguments: ["/nonexistent/node", "nowhere", "node/below-a-file"])
  func linkThatLeadsNowhere_isReplaced(old: String) throws {
    try createLink(to: FilePath(old))
    let link = try StableLink(at: path, to: target)
    #expect(linkTarget() == target.string)
    #expect(folder.names == ["node", "port"])
    link.remove()
    #expect(folder.names == ["node"])
  }

  @Test func linkToTheSameNode_isTakenOver() throws {
    // A killed process left the link, and the new terminal has the number of its node.
    try createLink(to: target)
    let link = try StableLink(at: path, to: target)
    #expect(linkTarget() == target.string)
    link.remove()
    #expect(folder.names == ["node"])
  }

  @Test func linkThatLeadsElsewhere_isRefused() throws {
    try createLink(to: folder.path)
    expectRefusal(by: .link(to: folder.path))
    #expect(linkTarget() == folder.path.string)
  }

  @Test func linkToItself_isRefused() throws {
    try createLink(to: "port")
    expectRefusal(by: .link(to: "port"))
  }

  @Test func file_isRefused() throws {
    try createFile(path)
    expectRefusal(by: .file)
  }

  @Test func folder_isRefused() throws {
    #expect(path.withPlatformString { mkdir($0, 0o700) } == 0)
    expectRefusal(by: .directory)
  }

  @Test func pipe_isRefused() throws {
    #expect(path.withPlatformString { mkfifo($0, 0o600) } == 0)
    expectRefusal(by: .special)
  }

  @Test func missingFolder_isReported() throws {
    let path = folder.path.appending("missing").appending("port")
    #expect(
      throws: StableLinkError(path: path, reason: .failed("symlink", .noSuchFileOrDirectory))
    ) {
      try StableLink(at: path, to: target)
    }
  }

  @Test func errors_nameWhatIsPresent() {
    let text = { (reason: StableLinkError.Reason) in
      String(describing: StableLinkError(path: "/p", reason: reason))
    }
    #expect(text(.occupied(by: .link(to: "/dev/pts/3"))) == "/p: a link to /dev/pts/3 exists there")
    #expect(text(.failed("symlink", .permissionDenied)) == "/p: symlink: Permission denied")
  }
}
