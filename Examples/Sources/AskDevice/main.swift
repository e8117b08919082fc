// Sends a line to a device and prints the answer, until nothing arrives for a second.
//
//   swift run --package-path Examples AskDevice /dev/ttyUSB0 version

import Glibc
import Posix
import SerialCore
import SystemPackage

guard CommandLine.arguments.count == 3 else {
  print("usage: AskDevice PORT LINE")
  exit(2)
}

let session = Session(settings: LineSettings(baudRate: 115_200), waitsForLostDevice: false)
let observation = session.observe(.received) { bytes in
  print(String(decoding: bytes, as: UTF8.self), terminator: "")
}

do {
  try session.open(.tty(FilePath(CommandLine.arguments[1])))
  try session.write("\(CommandLine.arguments[2])\r")
} catch {
  // The error has a code, the operation, the endpoint, and the errno.
  print("\(error.endpoint): \(error.code) in \(error.operation)")
  exit(1)
}

// A session never blocks: it reports what it waits for, and the program waits, here in poll(2).
while let descriptor = session.descriptor {
  let events = session.interest.pollEvents
  var request = pollfd(fd: descriptor.rawValue, events: events, revents: 0)
  guard poll(&request, 1, 1_000) > 0 else { break }
  session.handle(Readiness(pollEvents: request.revents))
}
if case .done(let discarded) = session.close(), discarded.total > 0 {
  print("\(discarded.total) bytes were not sent")
  exit(1)
}
withExtendedLifetime(observation) {}
