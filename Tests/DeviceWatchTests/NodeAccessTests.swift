import Glibc
import SystemPackage
import TestSupport
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct NodeAccessTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  private static var userName: String? {
    getpwuid(geteuid()).map { String(cString: $0.pointee.pw_name) }
  }

  private static var groupName: String? {
    getgrgid(getegid()).map { String(cString: $0.pointee.gr_name) }
  }

  @Test func nodeThatMayBeReadAndWritten_isAccessible() throws {
    let node = try folder.makeFile("node")
    try folder.setPermissions(0o666, of: "node")
    // By default only the folder's owner can search it.
    chmod(folder.path.string, 0o755)
    #expect(try unprivileged { NodeAccess.of(node) } == .accessible)
    #expect(NodeAccess.of(try folder.link("link", to: node)) == .accessible)
  }

  @Test(arguments: [0o000, 0o444, 0o111] as [mode_t])
  func nodeThatMayNot_isDenied_namingWhomItBelongsTo(mode: mode_t) throws {
    let node = try folder.makeFile("node")
    try folder.setPermissions(mode, of: "node")
    chmod(folder.path.string, 0o755)
    let access = try unprivileged { NodeAccess.of(node) }
    let expected = NodeAccess.denied(
      owner: Self.userName, group: Self.groupName, mode: FilePermissions(rawValue: mode))
    #expect(access == expected)
  }

  @Test(.enabled(if: geteuid() == 0, "only root may give files away"))
  func nodeOfUsersWithoutAName_hasNone() throws {
    let node = try folder.makeFile("node")
    // Numbers that no system assigns.
    #expect(chown(node.string, 4_000_000_001, 4_000_000_002) == 0)
    try folder.setPermissions(0o660, of: "node")
    chmod(folder.path.string, 0o755)
    let access = try unprivileged { NodeAccess.of(node) }
    let expected = NodeAccess.denied(
      owner: nil, group: nil, mode: FilePermissions(rawValue: 0o660))
    #expect(access == expected)
  }

  @Test func nodeInAFolderThatMayNotBeEntered_isDenied_andNoMoreIsKnown() throws {
    let node = try folder.makeFile("node")
    chmod(folder.path.string, 0)
    defer { chmod(folder.path.string, 0o700) }
    #expect(
      try unprivileged { NodeAccess.of(node) } == .denied(owner: nil, group: nil, mode: nil))
  }

  @Test func nodeThatIsNotThere_isMissing() throws {
    #expect(NodeAccess.of(folder("none")) == .missing)
    #expect(NodeAccess.of(try folder.link("dangling", to: folder("none"))) == .missing)
    #expect(NodeAccess.of(try folder.link("loop", to: folder("loop"))) == .missing)
    #expect(NodeAccess.of(try folder.makeFile("file").appending("node")) == .missing)
  }
}
