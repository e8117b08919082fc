import Glibc
import Posix
package import SystemPackage
import TextTools
import Time

/// A standard stream, for commands that print an answer and end.
package struct StandardStream {
  package static let output = StandardStream(descriptor: STDOUT_FILENO)
  package static let error = StandardStream(descriptor: STDERR_FILENO)

  package let descriptor: CInt

  /// Prints as much of a text as is accepted within a time limit: a stalled terminal must not keep
  /// a finished program running.
  package func print(_ text: String, within limit: Duration) {
    let file = StandardFile(FileDescriptor(rawValue: descriptor), O_WRONLY)
    let deadline = MonotonicTime.now + limit
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      guard !file.descriptor.wait(for: .writing, until: deadline).isEmpty else { return }
      // A descriptor that may block is only given what it certainly accepts.
      let piece = file.isNonBlocking ? bytes : bytes.prefix(OutputChannel.cautiousPiece)
      let outcome = piece.withUnsafeBytes { try? file.descriptor.writeAvailable($0) }
      guard let outcome else { return }
      if case .bytes(let count) = outcome { bytes = bytes.dropFirst(count) }
    }
  }

  /// Prints an error on standard error, within a time limit. On a terminal, its lines are broken
  /// at spaces; a file or a pipe gets them whole, so that programs find them.
  package static func complain(_ message: String) {
    let width = TerminalStreams.standard.messageColumns()
    let lines = "serialterm: \(message.harmlessLines.forTerminal)"
      .split(atText: "\n").flatMap { String($0).messageLines(width: width) }
    error.print(lines.joined(separator: "\n") + "\n", within: .milliseconds(200))
  }

  /// Prints a complete text, without a time limit.
  ///
  /// - Throws: ``OutputGone`` if it cannot be written.
  package func print(_ text: String) throws(OutputGone) {
    var bytes = Array(text.utf8)[...]
    while !bytes.isEmpty {
      do {
        let count = try systemCall {
          bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
        }
        bytes = bytes.dropFirst(count)
      } catch .wouldBlock {
        // Another process that shares the stream has made it non-blocking.
        _ = FileDescriptor(rawValue: descriptor).wait(for: .writing, until: nil)
      } catch {
        throw OutputGone(error: error)
      }
    }
  }
}

/// The error of a standard stream that cannot be written to: `EPIPE` if it has no reader.
package struct OutputGone: Error {
  package let error: Errno
}
