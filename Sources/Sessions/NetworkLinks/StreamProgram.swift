import EventLoop
import Glibc
import Posix
import SystemPackage

/// A program whose standard input and output are a stream, such as ssh(1). The end of its standard
/// error is kept, because it may contain the reason of its end. All of it is read, because a
/// program that cannot write a message waits.
///
/// It has its own session, so it cannot ask at the user's terminal. It ends when its input ends.
final class StreamProgram {
  /// The stream to its standard input and from its standard output.
  let socket: StreamSocket

  private let child: PipedChild
  private var errors = ErrorTail()

  /// Starts a program, searched along `PATH`. The corresponding C functions are
  /// `socketpair` and `posix_spawnp`.
  ///
  /// - Parameters:
  ///   - words: its name and arguments, at least one.
  ///   - ended: called once, in a turn of the loop, when it has ended.
  /// - Throws: the errors of these, and of pipe(2), epoll_ctl(2) and pthread_create(3).
  init(
    _ words: [String], on loop: IOLoop, ended: @escaping () -> Void
  ) throws(Errno) {
    var ends: [CInt] = [-1, -1]
    let type = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    try systemCall { socketpair(AF_UNIX, type, 0, &ends) }
    socket = StreamSocket(OwnedDescriptor(FileDescriptor(rawValue: ends[0])))
    let theirs = OwnedDescriptor(FileDescriptor(rawValue: ends[1]))
    // Only the end of this process: programs expect blocking streams.
    socket.descriptor.setNonBlocking()
    child = try PipedChild(
      words: words,
      .init(
        streams: .descriptor(theirs.borrowed), errors: .piped, leads: .session, isGuarded: true,
        resetsSignals: true, survivesRelease: false))
    try child.follow(on: loop) { [unowned self] event in
      switch event {
      case .errors(let bytes): errors.add(bytes)
      case .ended: ended()
      case .output, .outputClosed, .exited: break
      }
    }
  }

  /// The exit status, or 128 + the number of the signal that ended it; nil while it runs.
  var status: CInt? {
    child.currentExit().map {
      switch $0 {
      case .status(let code): code
      case .signal(let number): 128 + number
      }
    }
  }

  /// Ends the program and its children; see ``RunningProgram/end()``.
  func terminate() { child.end() }

  /// Lets it finish what it has begun when this process ends; otherwise it is killed then.
  func spare() { child.spare() }

  /// The last line of its standard error; nil if there is none.
  func lastWords() -> String? {
    // What a program that has ended left in the pipe.
    child.errors?.readRest()
    return errors.lastLine
  }
}

/// The end of what a program writes to its standard error: it may contain the reason of its end.
struct ErrorTail {
  private var bytes: [UInt8] = []

  /// The maximum number of bytes that are kept. These are the last ones.
  private static let limit = 4_096

  mutating func add(_ piece: UnsafeRawBufferPointer) { bytes = (bytes + piece).suffix(Self.limit) }

  /// The last line with a text; nil if there is none.
  var lastLine: String? {
    String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline)
      .last { $0.contains { !$0.isWhitespace } }.map(String.init)
  }
}
