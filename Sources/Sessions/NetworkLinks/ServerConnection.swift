import EventLoop
import Posix
import SerialCore
import SystemPackage
import Telnet

/// A connection to a server of RFC 2217 or of telnet: its port, the bytes that are on their way in
/// both directions, and the requests that wait for answers. Releasing it closes the connection.
final class ServerConnection {
  let socket: StreamSocket
  /// The program behind the socket, such as ssh; nil for a server.
  let program: StreamProgram?
  var port: ServerPort
  /// The callbacks that wait for settings, in the order of the requests.
  var answers: [(Result<LineSettings, SerialError>) -> Void] = []
  /// The callbacks that wait for the end of a sequence, in the order of the requests.
  var plays: ArraySlice<(Result<Void, SerialError>) -> Void> = []
  /// The bytes that the device sent before the port was open.
  var early: [UInt8] = []
  /// The end of the last read, which is left for the next turn.
  private(set) var unhandled: [UInt8] = []
  /// The encoded bytes that the socket has not accepted.
  private(set) var outgoing: [UInt8]
  private var ledger = SentLedger()
  /// Limits the time that the link waits for the server.
  var patience: LoopTimer?
  /// Goes on with what was already read.
  var offer: LoopTimer?
  /// Disconnects a server that has exceeded a limit.
  var cutOff: LoopTimer?

  /// The maximum number of bytes that are encoded at once.
  private static let pieceSize = 16_384

  /// - Parameter greeting: the bytes to send first.
  init(
    _ socket: StreamSocket, of program: StreamProgram?, to port: ServerPort, greeting: [UInt8]
  ) {
    (self.socket, self.program, self.port, outgoing) = (socket, program, port, greeting)
  }

  // MARK: Receiving

  /// Whether it has bytes of the server that no event of its socket reports.
  var hasRest: Bool { !early.isEmpty || !unhandled.isEmpty }

  /// Moves bytes that the device sent before the port was open to a buffer.
  ///
  /// - Returns: the number of bytes.
  func takeEarly(into buffer: UnsafeMutableRawBufferPointer) -> Int {
    let count = min(early.count, buffer.count)
    buffer.copyBytes(from: early.prefix(count))
    early.removeFirst(count)
    return count
  }

  /// Reads from the server, unless the last read is not handled yet. Handles at most
  /// ``NetworkLink/messageLimit`` messages.
  ///
  /// - Parameters:
  ///   - buffer: receives the bytes of the device.
  ///   - events: receives what the server says.
  func receive(
    into buffer: UnsafeMutableRawBufferPointer, _ events: inout [ComPortClient.Event]
  ) throws(Errno) -> LinkInput {
    let rest = unhandled.prefix(buffer.count)
    let input =
      rest.isEmpty
      ? LinkInput(try socket.descriptor.readAvailable(into: buffer)) : .bytes(rest.count)
    guard case .bytes(let count, _) = input else { return input }
    buffer.copyBytes(from: rest)
    // Output of the shell before the program starts does not come from the device. What follows
    // the program's first answer in the same read does.
    let isShell = program != nil && port.client.state == .offered
    // They are decoded where they are.
    let received = port.client.receive(
      UnsafeMutableRawBufferPointer(rebasing: buffer[..<count]),
      atMost: isShell ? 1 : NetworkLink.messageLimit)
    events = received.events
    unhandled = Array(buffer[received.byteCount..<count]) + unhandled.dropFirst(rest.count)
    return .bytes(isShell ? 0 : received.dataCount)
  }

  // MARK: Sending

  /// Whether the server takes bytes of the session at present.
  var acceptsBytes: Bool { outgoing.isEmpty && port.client.maySend }

  /// Encodes bytes for the device, at most a piece.
  ///
  /// - Returns: the number of bytes that were encoded.
  func encode(_ bytes: UnsafeRawBufferPointer) -> Int {
    let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(Self.pieceSize))
    let before = unacknowledgedByteCount
    port.client.encode(piece, into: &outgoing, isEnd: piece.count == bytes.count)
    ledger.add(dataCount: piece.count, encodedCount: outgoing.count, unacknowledged: before)
    return piece.count
  }

  /// Adds what the client says to the encoded bytes.
  ///
  /// - Returns: whether there is anything to send.
  func collectOutput() -> Bool {
    let output = port.client.output
    if !output.isEmpty {
      ledger.add(
        dataCount: 0, encodedCount: output.count, unacknowledged: unacknowledgedByteCount)
      outgoing += output
      port.client.output = []
    }
    return !outgoing.isEmpty
  }

  /// Sends as many encoded bytes as the socket accepts.
  func send() {
    // The next read finds the same error, after the bytes that the device has sent.
    let written = try? outgoing.withUnsafeBytes { try socket.writeAvailable($0) }
    if case .bytes(let count) = written { outgoing.removeFirst(count) }
  }

  /// The number of encoded bytes that the other end has not acknowledged.
  private var unacknowledgedByteCount: Int { outgoing.count + socket.unacknowledgedByteCount }

  /// The number of bytes for the device that the other end has not acknowledged.
  var unsentByteCount: Int { ledger.dataCount(ofUnacknowledged: unacknowledgedByteCount) }

  /// Discards what the socket has not accepted.
  func discardUnsent() { (outgoing, ledger) = ([], SentLedger()) }
}
