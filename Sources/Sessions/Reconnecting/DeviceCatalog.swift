package import DeviceWatch
package import EventLoop
package import Observing
import Posix
package import SystemPackage

/// The serial ports of this computer: one device watcher for the whole process.
///
/// The watcher starts when the devices are first needed, so a command that needs none does not
/// query udev. Its descriptor is polled once, for any number of observers. Where udev is not
/// available, every method that needs it throws, and may be called again.
package final class DeviceCatalog {
  /// Makes a source of devices.
  package typealias SourceMaker = () throws(Errno) -> any DeviceSource

  /// Finds the processes that have ports open.
  package let holderSearch: PortHolderSearch

  private let makeSource: SourceMaker
  private var watcher: DeviceWatcher?
  private var watch: DescriptorWatch?
  private var pauseCount = 0
  private weak var scan: Scan?

  /// Creates a catalog that has not started.
  ///
  /// - Parameters:
  ///   - makeSource: makes the source of devices; by default udev.
  ///   - holderSearch: finds the processes that have ports open.
  package init(
    from makeSource: @escaping SourceMaker = { () throws(Errno) in try UdevSource() },
    searchingBy holderSearch: PortHolderSearch = PortHolderSearch()
  ) {
    self.makeSource = makeSource
    self.holderSearch = holderSearch
  }

  /// The devices after the last event, sorted by node in natural order; empty before the start.
  package var devices: [Device] { watcher?.devices ?? [] }

  /// Starts, at the first call, and returns the present devices.
  ///
  /// - Throws: the errors of the source.
  package func current() throws(Errno) -> [Device] {
    let watcher = try started()
    // While the loop does not poll, changes stay queued in the source.
    if watch == nil { watcher.handleReadable() }
    return watcher.devices
  }

  /// Notifies an observer of every change from now on.
  ///
  /// - Parameters:
  ///   - observer: not retained.
  ///   - loop: polls for changes; the same one for all observers.
  /// - Throws: the errors of the source and of epoll_ctl(2).
  package func addObserver(_ observer: some DeviceObserver, on loop: IOLoop) throws(Errno) {
    try polled(on: loop).addObserver(observer)
  }

  /// Calls a closure with every change of ``devices``, until the token is released.
  ///
  /// - Parameter loop: polls for changes; the same one for all observers.
  /// - Throws: the errors of the source and of epoll_ctl(2).
  package func observe(
    on loop: IOLoop, _ onEvent: @escaping (DeviceEvent) -> Void
  ) throws(Errno) -> ObservationToken<DeviceEvent> {
    try polled(on: loop).observe({ $0 }, onEvent)
  }

  /// Removes an observer, which receives nothing from now on.
  package func removeObserver(_ observer: some DeviceObserver) { watcher?.removeObserver(observer) }

  private func polled(on loop: IOLoop) throws(Errno) -> DeviceWatcher {
    let watcher = try started()
    if watch == nil {
      watch = try loop.watch(watcher.descriptor, for: interest) { [unowned watcher] _ in
        watcher.handleReadable()
      }
    }
    return watcher
  }

  private func started() throws(Errno) -> DeviceWatcher {
    if let watcher { return watcher }
    let watcher = DeviceWatcher(source: try makeSource())
    try watcher.startIfNeeded()
    self.watcher = watcher
    return watcher
  }

  // MARK: Scanning

  /// Enumerates the devices every second, until the token is released, if the source may miss
  /// changes. Observers are notified of the differences.
  ///
  /// - Returns: the token, which all who wait share; nil if there is no need.
  func keepScanning(by scheduler: Scheduler) -> Scan? {
    guard let watcher, !watcher.reportsEveryChange else { return nil }
    let scan = scan ?? Scan(of: self, by: scheduler)
    self.scan = scan
    return scan
  }

  /// Enumerations at intervals, which last until it is released.
  final class Scan {
    private unowned let catalog: DeviceCatalog
    private let scheduler: Scheduler
    private var timer: AnyObject?

    fileprivate init(of catalog: DeviceCatalog, by scheduler: Scheduler) {
      (self.catalog, self.scheduler) = (catalog, scheduler)
      scheduleNext()
    }

    private func scheduleNext() {
      timer = scheduler.schedule(after: ReturnPatience.longInterval) { [unowned self] in
        scheduleNext()
        // It may release this object. A failure is repaired by the next scan.
        if catalog.pauseCount == 0 { _ = try? catalog.watcher?.rescan() }
      }
    }
  }

  // MARK: Claims

  private struct WeakClaimant { weak var claimant: DevicePresence? }
  private var claimants: [WeakClaimant] = []

  /// Adds a presence that knows which device is its own. Other sessions that wait for a device then
  /// skip that one. It is not retained.
  func addClaimant(_ claimant: DevicePresence) {
    claimants.removeAll { $0.claimant == nil }
    claimants.append(WeakClaimant(claimant: claimant))
  }

  /// Whether a device belongs to a claimant other than the one that asks.
  func isClaimed(_ device: Device, besidesBy asker: DevicePresence) -> Bool {
    claimants.contains { entry in
      entry.claimant.map { $0 !== asker && $0.claims(device) } ?? false
    }
  }

  // MARK: Pausing

  private var interest: Interest { pauseCount == 0 ? .reading : [] }

  /// Stops polling for changes until the pause ends. The source keeps them meanwhile.
  package func pause() -> Pause { Pause(of: self) }

  /// A pause of polling, which lasts until it is released. Several may exist at a time.
  package final class Pause {
    private let catalog: DeviceCatalog

    fileprivate init(of catalog: DeviceCatalog) {
      self.catalog = catalog
      catalog.changePauseCount(by: 1)
    }

    deinit { catalog.changePauseCount(by: -1) }
  }

  private func changePauseCount(by change: Int) {
    pauseCount += change
    watch?.setInterest(interest)
  }
}

@available(*, unavailable)
extension DeviceCatalog: Sendable {}
