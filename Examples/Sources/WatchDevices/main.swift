// Prints the serial devices that there are, then each that comes or goes.
//
//   swift run --package-path Examples WatchDevices [SECONDS]

import DeviceWatch
import Glibc
import SystemPackage

let watcher = DeviceWatcher(source: try UdevSource())
try watcher.startIfNeeded()
for device in watcher.devices where device.hasHardware {
  print("there is \(device.node), \(device.product ?? device.kind.rawValue)")
}

// The observation lasts as long as the token is kept.
let observation = watcher.observe(\.self) { event in
  switch event {
  case .appeared(let device): print("\(device.node) appeared")
  case .disappeared(let device): print("\(device.node) is gone")
  case .changed(let change): print("\(change.new.node) changed")
  }
}

// The watcher never waits: whoever uses it does, here in poll(2).
let limit = CommandLine.arguments.dropFirst().first.flatMap { CInt($0) }.map { $0 * 1_000 } ?? -1
var request = pollfd(fd: watcher.descriptor.rawValue, events: Int16(POLLIN), revents: 0)
while poll(&request, 1, limit) > 0 { watcher.handleReadable() }
withExtendedLifetime(observation) {}
