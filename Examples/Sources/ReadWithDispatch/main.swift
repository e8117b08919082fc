// Sends a line to a device and prints what it sends for a second: a session on the main
// queue of Dispatch.
//
//   swift run --package-path Examples ReadWithDispatch /dev/ttyUSB0 version

import Dispatch
import Glibc
import Posix
import SerialCore
import SystemPackage

guard CommandLine.arguments.count == 3 else {
  print("usage: ReadWithDispatch PORT LINE")
  exit(2)
}

// A session belongs to one thread or one serial queue: here to the main queue, which is
// the main actor.
let session = Session(settings: LineSettings(), waitsForLostDevice: false)
let observation = session.observe(.received) { bytes in
  print(String(decoding: bytes, as: UTF8.self), terminator: "")
}
do {
  try session.open(.tty(FilePath(CommandLine.arguments[1])))
  try session.write("\(CommandLine.arguments[2])\r")
} catch {
  print("\(error.endpoint): \(error.code) in \(error.operation)")
  exit(1)
}
guard let descriptor = session.descriptor else { exit(1) }

let source = DispatchSource.makeReadSource(fileDescriptor: descriptor.rawValue, queue: .main)
source.setEventHandler { MainActor.assumeIsolated { session.handle(.readable) } }
// A hang-up is readable too, and the session finds it there.
source.resume()
DispatchQueue.main.asyncAfter(deadline: .now() + 1) {
  MainActor.assumeIsolated {
    // The source must not poll a descriptor that is closed.
    source.cancel()
    session.close()
    exit(0)
  }
}
dispatchMain()
