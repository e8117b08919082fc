// Sends a line to a device and prints the lines of the answer, up to a prompt.
//
//   swift run --package-path Examples AskPort /dev/ttyUSB0 version '> '

import Glibc
import SerialPorts

guard CommandLine.arguments.count == 4 else {
  print("usage: AskPort PORT LINE PROMPT")
  exit(2)
}
let (path, line, prompt) = (
  FilePath(CommandLine.arguments[1]), CommandLine.arguments[2], CommandLine.arguments[3]
)

do throws(PortError) {
  let port = try await SerialPort.open(path)
  let answer = try await port.request(
    "\(line)\r", until: .expecting(.text(prompt)), timeout: .seconds(2))
  print(String(decoding: answer.before, as: UTF8.self))
  await port.close(draining: .seconds(1))
} catch {
  switch error {
  case .timedOut: print("no answer within 2 seconds")
  case .serial(let reason): print("\(reason.endpoint): \(reason.code) in \(reason.operation)")
  case .cancelled, .closed, .damagedFrame: print(error)
  }
  exit(1)
}
