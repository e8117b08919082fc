import Foundation
import Loopback
import SystemPackage

/// What a program sends to have the far end do something.
enum Order: UInt8 {
  /// Send 16 MiB as fast as the pseudo-terminal takes them.
  case stream = 0x53
  /// Send short pieces with a pause before each, so that the receiver waits for every one.
  case pieces = 0x50
  /// Send an answer: the end of a request.
  case answer = 0x0A

  /// The number of bytes that the far end sends.
  var length: Int {
    switch self {
    case .stream: 16 << 20
    case .pieces: FarEnd.pieceCount * FarEnd.pieceLength
    case .answer: FarEnd.answer.utf8.count
    }
  }
}

/// The device's side of a pseudo-terminal, on a thread of its own, for all programs that are
/// compared. It allocates nothing while it runs.
final class FarEnd {
  static let pieceCount = 2_000
  static let pieceLength = 64
  static let request = "x\n"
  /// Its last byte is the only line end.
  static let answer = "temperature 21.5\n"
  /// What it sends repeatedly; as long as a pseudo-terminal's buffer.
  static let block = (0..<4_096).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }

  /// The node to open.
  let path: FilePath
  private let terminal: PseudoTerminal

  init() throws {
    terminal = try PseudoTerminal()
    path = terminal.path
    let master = terminal.descriptor.rawValue
    let thread = Thread { Self.serve(master) }
    thread.start()
  }

  private static func serve(_ master: CInt) {
    let answer = Array(answer.utf8)
    var buffer = [UInt8](repeating: 0, count: 256)
    while wait(for: POLLIN, on: master) {
      let count = read(master, &buffer, buffer.count)
      for byte in buffer.prefix(max(0, count)) {
        switch Order(rawValue: byte) {
        case .stream: send(block, length: Order.stream.length, to: master)
        case .answer: send(answer, length: answer.count, to: master)
        case .pieces:
          for piece in 0..<pieceCount {
            usleep(50)
            let start = piece * pieceLength % block.count
            send(block, from: start, length: pieceLength, to: master)
          }
        case nil: break
        }
      }
    }
  }

  /// Sends bytes, and begins again at the end of them.
  private static func send(
    _ bytes: [UInt8], from start: Int = 0, length: Int, to master: CInt
  ) {
    var done = 0
    while done < length {
      let place = (start + done) % bytes.count
      let size = min(bytes.count - place, length - done)
      let written = bytes.withUnsafeBytes { write(master, $0.baseAddress! + place, size) }
      if written > 0 { done += written } else { _ = wait(for: POLLOUT, on: master) }
    }
  }

  private static func wait(for events: CInt, on master: CInt) -> Bool {
    var entry = pollfd(fd: master, events: Int16(events), revents: 0)
    return poll(&entry, 1, -1) > 0 || errno == EINTR
  }
}
