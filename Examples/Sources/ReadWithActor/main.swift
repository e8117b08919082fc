// Sends a line to a device and counts the lines that come, in an actor that runs on the thread
// of the port.
//
//   swift run --package-path Examples ReadWithActor /dev/ttyUSB0 help 3

import Glibc
import SerialPorts

/// Reaches its port without a change of thread: both have the same executor.
actor LineCounter {
  private let port: SerialPort
  private(set) var count = 0

  nonisolated var unownedExecutor: UnownedSerialExecutor { port.unownedExecutor }

  init(_ port: SerialPort) { self.port = port }

  func run(to limit: Int) async throws(PortError) {
    for try await _ in port.lines() {
      count += 1
      if count == limit { return }
    }
  }
}

guard CommandLine.arguments.count == 4, let limit = Int(CommandLine.arguments[3]) else {
  print("usage: ReadWithActor PORT LINE COUNT")
  exit(2)
}
do throws(PortError) {
  let port = try await SerialPort.open(FilePath(CommandLine.arguments[1]))
  let states = Task { for await state in port.states { print("[\(state)]") } }
  let counter = LineCounter(port)
  try await port.write("\(CommandLine.arguments[2])\r")
  try await counter.run(to: limit)
  print("\(await counter.count) lines")
  await port.close()
  await states.value
} catch {
  print(error)
  exit(1)
}
