// Prints what a USB device sends. After unplugging, it finds the device in whatever
// port it returns.
//
//   swift run --package-path Examples FollowDevice usb:0403:6001

import DeviceWatch
import Glibc
import Posix
import SerialCore
import SystemPackage

/// Connects the two libraries, which do not depend on each other: tells a session that its device
/// was plugged in or unplugged.
final class Follower: DeviceObserver {
  private let session: Session
  private var matcher: IdentityMatcher

  init(_ session: Session, _ device: Device, among devices: [Device]) {
    self.session = session
    matcher = IdentityMatcher(for: device, among: devices)
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    // The new device may have the same serial number: then the number does not identify it.
    matcher.learn(from: watcher.devices)
    if case .one(let match) = matcher.match(among: watcher.devices) {
      session.deviceDidReturn(at: .tty(match.node))
    }
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    if device.syspath == matcher.device.syspath { session.deviceDidDisappear() }
  }
}

guard let text = CommandLine.arguments.dropFirst().first,
  let selector = try DeviceSelector(parsing: text)
else {
  print("usage: FollowDevice usb:VID:PID | serial:TEXT | port:ID_PATH")
  exit(2)
}

let watcher = DeviceWatcher(source: try UdevSource())
try watcher.startIfNeeded()
guard let device = selector.matches(among: watcher.devices).first else {
  print("\(selector): device not found")
  exit(3)
}

let session = Session(settings: LineSettings())
let observations = [
  session.observe(.received) { print(String(decoding: $0, as: UTF8.self), terminator: "") },
  session.observe(.stateChange) { print("[\($0.new)]") },
]
let follower = Follower(session, device, among: watcher.devices)
watcher.addObserver(follower)
try session.open(.tty(device.node))

while true {
  var requests = [pollfd(fd: watcher.descriptor.rawValue, events: Int16(POLLIN), revents: 0)]
  if let descriptor = session.descriptor {
    requests.append(pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0))
  }
  guard poll(&requests, nfds_t(requests.count), -1) > 0 else { continue }
  if requests.count > 1, requests[1].revents != 0 {
    session.handle(Readiness(pollEvents: requests[1].revents))
  }
  if requests[0].revents != 0 { watcher.handleReadable() }
}
