import Glibc
import Posix
import SystemPackage
import Testing

/// A pseudo-terminal whose far end the test plays.
struct FarEnd: Sendable {
  let master: CInt
  let path: FilePath

  init() throws {
    var (master, slave): (CInt, CInt) = (-1, -1)
    let result = openpty(&master, &slave, nil, nil, nil)
    try #require(result == 0)
    var name = [CChar](repeating: 0, count: 64)
    // Not ttyname, whose result other threads overwrite.
    let error = ttyname_r(slave, &name, name.count)
    try #require(error == 0)
    path = FilePath(platformString: name)
    close(slave)
    self.master = master
  }

  func send(_ bytes: [UInt8]) {
    var rest = bytes[...]
    while !rest.isEmpty {
      let count = rest.withUnsafeBytes { write(master, $0.baseAddress, $0.count) }
      precondition(count > 0, "\(errno)")
      rest = rest.dropFirst(count)
    }
  }

  func send(_ text: String) { send(Array(text.utf8)) }

  /// What the port has sent, up to a number of bytes; waits for the first one.
  func receive(_ limit: Int = 65_536) -> [UInt8] {
    var bytes = [UInt8](repeating: 0, count: limit)
    let count = read(master, &bytes, limit)
    return Array(bytes.prefix(max(0, count)))
  }

  /// A number of bytes that the port has sent; waits for them.
  func receive(exactly count: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    while bytes.count < count { bytes += receive() }
    return bytes
  }

  func hangUp() { close(master) }

  /// Plays the far end on a thread of its own: reading and writing may block, and tasks must not.
  func play<Result: Sendable>(
    _ work: @escaping @Sendable (FarEnd) -> Result
  ) -> Task<Result, Never> {
    Task {
      await withCheckedContinuation { continuation in
        do {
          try DetachedThread.run { continuation.resume(returning: work(self)) }
        } catch {
          preconditionFailure("pthread_create: \(error)")
        }
      }
    }
  }
}

/// The time limit of what must succeed: only a mistake reaches it.
let patience = Duration.seconds(120)

/// Something that has happened, for another thread.
final class Flag: @unchecked Sendable {
  private let lock = Guarded(false)
  var isRaised: Bool { lock.withLock { $0 } }
  func raise() { lock.withLock { $0 = true } }
}
