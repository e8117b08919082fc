import Glibc
import Posix
import SystemPackage

/// A standard stream of commands that print an answer and end.
struct StandardStream {
  static let output = StandardStream(descriptor: STDOUT_FILENO)
  static let error = StandardStream(descriptor: STDERR_FILENO)

  let descriptor: CInt

  /// Prints a text, or as much of it as is taken within a limit: a terminal that stalls must not keep
  /// a program that has ended.
  func print(_ text: String, within limit: Duration) {
    let file = StandardFile(FileDescriptor(rawValue: descriptor), O_WRONLY)
    let deadline = MonotonicTime.now + limit
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      let rest = (deadline - .now).nanoseconds / 1_000_000
      var poll = pollfd(fd: file.descriptor.rawValue, events: Int16(POLLOUT), revents: 0)
      guard rest > 0, Glibc.poll(&poll, 1, CInt(rest)) > 0 else { return }
      let outcome = bytes.withUnsafeBytes { try? file.descriptor.writeAvailable($0) }
      guard let outcome else { return }
      if case .bytes(let count) = outcome { bytes = bytes.dropFirst(count) }
    }
  }

  /// Says on standard error what somebody has to know, for as long as a terminal takes to show it.
  static func complain(_ message: String) {
    error.print("serialterm: \(message.harmlessLines.forTerminal)\n", within: .milliseconds(200))
  }

  /// Prints a text whole, however long that takes.
  ///
  /// - Throws: ``Failure`` when it cannot be written, without a word when nobody reads any more.
  func print(_ text: String) throws(Failure) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      do {
        let count = try systemCall {
          bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
        bytes = bytes.dropFirst(count)
      } catch .wouldBlock {
        // Whoever started us shares it with us, and has made it non-blocking.
        var request = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        _ = poll(&request, 1, -1)
      } catch {
        throw Failure(outputGone: error)
      }
    }
  }
}
