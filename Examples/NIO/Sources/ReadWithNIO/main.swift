// Sends a line to a device and prints what it sends for a second: a serial port as a
// channel of SwiftNIO.
//
//   swift run --package-path Examples/NIO ReadWithNIO /dev/ttyUSB0 version

import Glibc
import NIOCore
import NIOPosix
import SerialCore
import SystemPackage

guard CommandLine.arguments.count == 3 else {
  print("usage: ReadWithNIO PORT LINE")
  exit(2)
}

/// Prints what the channel reads.
final class Printer: ChannelInboundHandler {
  typealias InboundIn = ByteBuffer

  func channelRead(context: ChannelHandlerContext, data: NIOAny) {
    print(String(buffer: unwrapInboundIn(data)), terminator: "")
  }
}

// The session locks the port, applies the settings, and restores what it found; SwiftNIO
// moves the bytes.
let session = Session(settings: LineSettings(), waitsForLostDevice: false)
do {
  try session.open(.tty(FilePath(CommandLine.arguments[1])))
  guard let descriptor = session.descriptor else { exit(1) }
  // SwiftNIO closes the descriptors that it is given.
  let (input, output) = (try descriptor.duplicate(), try descriptor.duplicate())
  let channel = try await NIOPipeBootstrap(group: .singletonMultiThreadedEventLoopGroup)
    .channelInitializer { channel in
      channel.eventLoop.makeCompletedFuture {
        try channel.pipeline.syncOperations.addHandler(Printer())
      }
    }
    .takingOwnershipOfDescriptors(input: input.rawValue, output: output.rawValue).get()
  try await channel.writeAndFlush(ByteBuffer(string: "\(CommandLine.arguments[2])\r")).get()
  try await Task.sleep(for: .seconds(1))
  try await channel.close().get()
  session.close()
} catch {
  print(error)
  exit(1)
}
