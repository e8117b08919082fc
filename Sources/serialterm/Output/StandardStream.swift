import Glibc
import Posix
import SystemPackage

/// A standard stream of commands that print an answer and end.
struct StandardStream {
  static let output = StandardStream(descriptor: STDOUT_FILENO)
  static let error = StandardStream(descriptor: STDERR_FILENO)

  let descriptor: CInt

  /// Prints a text whole.
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
      } catch {
        throw Failure(.outputGone, error == .brokenPipe ? "" : "standard output: \(error)")
      }
    }
  }
}
