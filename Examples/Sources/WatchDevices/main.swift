// Prints the serial devices, then each one that is plugged in or unplugged.
//
//   swift run --package-path Examples WatchDevices [SECONDS]

import DeviceWatch
import Glibc
import SystemPackage

let watcher = DeviceWatcher(source: try UdevSource())
try watcher.startIfNeeded()
for device in watcher.devices where device.hasHardware {
  print("\(device.node): \(device.product ?? device.kind.rawValue)")
}

// The observation ends when the token is released.
let observation = watcher.observe(\.self) { event in
  switch event {
  case .appeared(let device): print("\(device.node) appeared")
  case .disappeared(let device): print("\(device.node) disappeared")
  case .changed(let change): print("\(change.new.node) changed")
  }
}

// The watcher never blocks; the program waits, here in poll(2).
let limit = CommandLine.arguments.dropFirst().first.flatMap { CInt($0) }.map { $0 * 1_000 } ?? -1
var request = pollfd(fd: watcher.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
while poll(&request, 1, limit) > 0 { watcher.handleReadable() }
withExtendedLifetime(observation) {}
