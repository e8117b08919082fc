import EventLoop
import Posix
import SystemPackage
import Telnet
import TextTools

/// Encodes what a client gets in the client's protocol: the device's bytes, answers, reports, and
/// sentences for people.
final class ClientChannel {
  let clientProtocol: StreamProtocol
  let output: ClientOutput
  /// The protocol; nil for plain bytes.
  private var server: ComPortServer?
  private var scratch: [UInt8] = []

  /// - Parameters:
  ///   - descriptor: borrowed; it does not block.
  ///   - signature: the name and version of this program.
  /// - Throws: the errors of epoll_ctl(2).
  init(
    writing descriptor: FileDescriptor, speaking clientProtocol: StreamProtocol,
    as signature: String,
    on loop: IOLoop
  ) throws(Errno) {
    self.clientProtocol = clientProtocol
    output = try ClientOutput(descriptor, on: loop)
    if clientProtocol != .raw {
      server = ComPortServer(signature: signature, offersPort: clientProtocol == .rfc2217)
    }
  }

  /// Whether the client's bytes contain commands.
  var hasCommands: Bool { server != nil }
  /// Whether the client accepts data.
  var maySend: Bool { server?.maySend != false }
  /// The number of bytes of answers that are not written yet; see ``flush()``.
  var answerCount: Int { server?.output.count ?? 0 }

  /// Offers the options of the protocol.
  func negotiate() {
    server?.open()
    flush()
  }

  /// Decodes bytes of the client.
  ///
  /// - Parameter data: receives the bytes for the device.
  func decode(
    _ bytes: UnsafeRawBufferPointer, into data: inout [UInt8]
  ) -> [ComPortServer.Event] {
    server?.receive(bytes, into: &data) ?? []
  }

  /// Writes bytes of the device.
  func write(_ bytes: UnsafeRawBufferPointer) {
    guard server != nil else {
      _ = output.write(bytes, of: bytes.count)
      return
    }
    withScratch { encoded in
      server?.encode(bytes, into: &encoded)
      if !encoded.withUnsafeBytes({ output.write($0, of: bytes.count) }) { server?.discardData() }
    }
  }

  /// Writes text for a person at a telnet program. A program would read it as bytes of the device.
  func say(_ text: String) {
    guard clientProtocol == .telnet else { return }
    var line = "\r\n[serialterm: \(text)]\r\n"
    line.withUTF8 { bytes in
      withScratch { encoded in
        server?.encode(UnsafeRawBufferPointer(bytes), into: &encoded)
        output.write(message: encoded)
      }
    }
  }

  private func withScratch(_ body: (inout [UInt8]) -> Void) {
    var scratch = scratch
    self.scratch = []
    scratch.removeAll(keepingCapacity: true)
    body(&scratch)
    if scratch.capacity <= 2 * ClientInput.readSize { self.scratch = scratch }
  }

  /// Applies a change to the protocol. ``flush()`` writes what it says.
  func update(_ change: (inout ComPortServer) -> Void) {
    if var server {
      self.server = nil
      change(&server)
      self.server = server
    }
  }

  /// Writes the protocol's answers.
  func flush() {
    guard let message = server?.output, !message.isEmpty else { return }
    server?.output = []
    output.write(message: message)
  }
}
