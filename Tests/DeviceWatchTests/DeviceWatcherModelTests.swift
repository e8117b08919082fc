import Observing
import TestSupport
import Testing

@testable import DeviceWatch

/// A computer with random device changes, and a watcher whose source loses events.
private struct Chaos {
  let source = FakeSource()
  var numbers: SplitMix64
  /// The last creation number that was assigned.
  var creationNumber: UInt64 = 0
  /// The pending events, as `+1`, `-1` or `~1` for the device at place 1.
  var expected: [String] = []
  /// Whether some of the events will be lost.
  var isLossy = false

  init(seed: UInt64) { numbers = SplitMix64(seed: seed) }

  /// Plugs in, changes or unplugs a device in one of six places.
  mutating func step() {
    let place = Int.random(in: 1...6, using: &numbers)
    if let device = source.present.first(where: { $0.portNumber == place }) {
      if Bool.random(using: &numbers) {
        source.unplug(device)
        expected.append("-\(place)")
      } else {
        let product = Int.random(in: 0...2, using: &numbers) == 0 ? nil : "\(numbers.next())"
        source.change(device.with(\.product, product))
        expected.append("~\(place)")
      }
    } else {
      creationNumber += 1
      source.plug(Device.ftdi(place, creationNumber: creationNumber).with(\.portNumber, place))
      expected.append("+\(place)")
    }
  }

  /// Loses the pending events, as the kernel does when it has no room for them.
  mutating func lose() {
    source.waiting.removeLast(Int.random(in: 0...source.waiting.count, using: &numbers))
    source.waiting.append(.overrun)
    isLossy = true
  }

  /// Repeats some of the pending events: events before an enumeration are reported again.
  mutating func repeatOne() {
    guard case .added(let device)? = source.waiting.last else { return }
    source.waiting.append(.added(device))
  }
}

/// Checks that each event of a watcher is consistent with the earlier ones, and keeps
/// the resulting list.
private final class Replay: DeviceObserver {
  var devices: [String: Device] = [:]
  var log: [String] = []

  func deviceWatcher(_ watcher: DeviceWatcher, didAppear device: Device) {
    #expect(devices.updateValue(device, forKey: device.syspath) == nil, "appeared twice")
    log.append("+\(device.portNumber ?? 0)")
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didDisappear device: Device) {
    #expect(devices.removeValue(forKey: device.syspath) == device, "not as it was last known")
    log.append("-\(device.portNumber ?? 0)")
  }

  func deviceWatcher(_ watcher: DeviceWatcher, didChange old: Device, to new: Device) {
    #expect(devices.updateValue(new, forKey: new.syspath) == old, "not as it was last known")
    log.append("~\(new.portNumber ?? 0)")
  }
}

@Suite(.timeLimit(.minutes(30))) struct DeviceWatcherModelTests {
  @Test func listAndEvents_alwaysAddUp_overAThousandRandomSequences() throws {
    for seed in 0..<repetitions(1_000) {
      var chaos = Chaos(seed: UInt64(seed))
      let watcher = DeviceWatcher(source: chaos.source)
      let replay = Replay()
      watcher.addObserver(replay)
      try watcher.startIfNeeded()
      for _ in 0..<10 {
        for _ in 0..<Int.random(in: 0...5, using: &chaos.numbers) {
          chaos.step()
          if Int.random(in: 0..<4, using: &chaos.numbers) == 0 { chaos.repeatOne() }
        }
        if Int.random(in: 0..<8, using: &chaos.numbers) == 0 { chaos.lose() }
        watcher.handleReadable()

        let truth = chaos.source.present.sorted { ($0.portNumber ?? 0) < ($1.portNumber ?? 0) }
        try #require(watcher.devices == truth, "seed \(seed)")
        try #require(Set(replay.devices.values) == Set(truth), "seed \(seed)")
        if !chaos.isLossy { try #require(replay.log == chaos.expected, "seed \(seed)") }
      }
    }
  }

  @Test func changesDuringTheStart_areReportedOnce_aThousandTimes() throws {
    for seed in 0..<repetitions(1_000) {
      var chaos = Chaos(seed: UInt64(seed))
      let watcher = DeviceWatcher(source: chaos.source)
      let replay = Replay()
      watcher.addObserver(replay)
      // The source already listens: each change from now on is both in the list and an event.
      for _ in 0..<Int.random(in: 0...4, using: &chaos.numbers) { chaos.step() }
      chaos.source.onEnumerate = {
        for _ in 0..<Int.random(in: 0...4, using: &chaos.numbers) { chaos.step() }
      }
      try watcher.startIfNeeded()
      replay.devices = Dictionary(uniqueKeysWithValues: watcher.devices.map { ($0.syspath, $0) })
      watcher.handleReadable()
      let truth = chaos.source.present.sorted { ($0.portNumber ?? 0) < ($1.portNumber ?? 0) }
      try #require(watcher.devices == truth, "seed \(seed)")
      try #require(Set(replay.devices.values) == Set(truth), "seed \(seed)")
    }
  }
}
