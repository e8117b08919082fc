import Glibc
import Loopback
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import Reconnecting

@Suite(.timeLimit(.minutes(30))) struct PathBindingTests {
  private let folder: TemporaryFolder

  init() throws { folder = try TemporaryFolder() }

  /// Replaces a symbolic link.
  private func link(_ name: String, to target: FilePath) throws {
    let path = folder(name)
    _ = path.withPlatformString { unlink($0) }
    try systemCall {
      target.withPlatformString { target in path.withPlatformString { symlink(target, $0) } }
    }
  }

  @Test func oldLink_thatLeadsToAnotherTerminal_isNotTheDevice() throws {
    let (ours, other) = (try PseudoTerminal(), try PseudoTerminal())
    try link("inner", to: ours.path)
    try link("outer", to: folder("inner"))
    var binding = PathBinding(folder("outer"))
    #expect(binding.mayBeTheDevice)
    try link("inner", to: other.path)
    #expect(!binding.mayBeTheDevice, "as if the kernel had reused the number")
    try link("outer", to: folder("inner"))
    #expect(binding.mayBeTheDevice, "the link was created again")
    binding.look()
    #expect(binding.mayBeTheDevice)
    try link("inner", to: ours.path)
    #expect(!binding.mayBeTheDevice)
  }

  @Test func terminalThatWasReleased_isStillTheDevice() throws {
    let terminal = try PseudoTerminal()
    let binding = PathBinding(terminal.path)
    let port = try OwnedDescriptor.open(terminal.path, O_RDWR | O_NOCTTY | O_NONBLOCK)
    #expect(binding.mayBeTheDevice)
    _ = consume port
    #expect(binding.mayBeTheDevice)
  }

  @Test func pathThatLedNowhere_mayLeadToTheDevice() throws {
    let terminal = try PseudoTerminal()
    let binding = PathBinding(folder("port"))
    try link("port", to: terminal.path)
    #expect(binding.mayBeTheDevice)
  }

  @Test func nodeThatIsNoPseudoTerminal_alwaysMayBeTheDevice() throws {
    try link("port", to: "/dev/null")
    let binding = PathBinding(folder("port"))
    try link("port", to: "/dev/zero")
    #expect(binding.mayBeTheDevice)
  }
}
