import Foundation
import SerialPorts

/// A file with the time and a text in each line.
struct Log {
  let file: FileDescriptor

  func write(_ text: String) throws {
    try file.writeAll("\(Date.now.ISO8601Format()) \(text)\n".utf8)
  }

  func write(_ states: AsyncStream<SessionState>) async throws {
    for await state in states {
      switch state {
      case .open(let endpoint, _): try write("-- \(endpoint) is open")
      case .waitingForDevice: try write("-- waiting for the device")
      default: break
      }
    }
  }
}

@main
struct PortLogger {
  static func main() async throws {
    guard CommandLine.arguments.count == 3 else {
      print("usage: PortLogger PORT FILE")
      exit(2)
    }
    let log = Log(
      file: try .open(
        FilePath(CommandLine.arguments[2]), .writeOnly, options: [.append, .create],
        permissions: .ownerReadWrite))
    let port = try await SerialPort.open(
      FilePath(CommandLine.arguments[1]), LineSettings(baudRate: 115_200), options: .reconnecting)

    async let following: Void = log.write(port.states)
    for try await line in port.lines() { try log.write(line) }
    try await following
  }
}
