// Sends a line to a device and prints what it answers, until it has been quiet for a second.
//
//   swift run --package-path Examples AskDevice /dev/ttyUSB0 version

import Glibc
import SerialCore
import SystemPackage

guard CommandLine.arguments.count == 3 else {
  print("usage: AskDevice PORT LINE")
  exit(2)
}

let session = Session(settings: LineSettings(baudRate: 115_200), waitsForLostDevice: false)
let observation = session.observe(\.received) { bytes in
  print(String(decoding: bytes, as: UTF8.self), terminator: "")
}

do {
  try session.open(FilePath(CommandLine.arguments[1]))
  let line = Array("\(CommandLine.arguments[2])\r".utf8)
  try session.write(line.span.bytes)
} catch {
  // A code for programs, the operation, the path, and what the system said.
  print("\(error.path): \(error.code) in \(error.operation)")
  exit(1)
}

// A session never waits: it says what it waits for, and whoever uses it waits, here in poll(2).
while let descriptor = session.descriptor {
  let events = session.interest.contains(.writing) ? POLLIN | POLLOUT : POLLIN
  var request = pollfd(fd: descriptor.rawValue, events: Int16(events), revents: 0)
  guard poll(&request, 1, 1_000) > 0 else { break }
  let ready = CInt(request.revents)
  session.handle(
    readable: ready & POLLIN != 0, writable: ready & POLLOUT != 0,
    hungUp: ready & (POLLHUP | POLLERR) != 0)
}
session.close()
withExtendedLifetime(observation) {}
