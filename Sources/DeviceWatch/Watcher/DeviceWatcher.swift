public import Observing
public import SystemPackage

/// Keeps the list of the computer's serial ports, and notifies observers of changes.
///
/// ## Principles of operation
///
/// - It has no thread and never waits. Its owner watches ``descriptor`` for reading,
///   level-triggered, and calls ``handleReadable()``.
/// - The devices that are present at its start cause no events: read ``devices``. From then on each
///   change is reported once, in order, after ``devices`` was updated.
/// - It contains all ports, including those without hardware behind them:
///   see ``Device/hasHardware``.
/// - After the system has dropped events it enumerates again, and reports the differences.
///
/// It is confined to one thread, and not `Sendable`.
public final class DeviceWatcher {
  /// The present serial ports, sorted by node in natural order: ttyUSB2 before ttyUSB10.
  public var devices: [Device] { table.devices }

  private let source: any DeviceSource
  private let events = Observable<DeviceEvent>()
  private var table = DeviceList()
  private var hasStarted = false
  /// The events of the source that are not processed yet.
  private var waiting: [DeviceSourceEvent] = []
  private var isHandling = false
  /// Whether events were lost, and no enumeration has succeeded since.
  private var isOutOfDate = false

  /// Creates a watcher without devices.
  ///
  /// - Parameter source: a source that already listens, so that nothing is missed until the start.
  public init(source: any DeviceSource) { self.source = source }

  /// Readable while there are events that ``handleReadable()`` has not processed.
  public var descriptor: FileDescriptor { source.descriptor }

  /// See ``DeviceSource/reportsEveryChange``.
  public var reportsEveryChange: Bool { source.reportsEveryChange }

  /// Enumerates the devices at the first call. Observers are not notified.
  ///
  /// - Throws: the errors of the source.
  public func startIfNeeded() throws(Errno) {
    guard !hasStarted else { return }
    _ = table.reconcile(with: try source.enumerate())
    hasStarted = true
  }

  /// Processes the queued events, and notifies observers.
  ///
  /// After lost events it enumerates again; if that fails too (`ENOMEM`), it does so after the next
  /// event, or in ``rescan()``.
  public func handleReadable() {
    waiting += source.readEvents()
    // If an observer calls this method, its events are queued after the present ones.
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    // A failure is stored in isOutOfDate, and retried after the next event.
    if isOutOfDate { _ = try? enumerateAgain() }
    handleWaiting()
  }

  /// Enumerates the devices, and notifies observers of the differences.
  ///
  /// If an observer calls it, it runs after the present notification, and throws no error.
  ///
  /// - Throws: the errors of the source. The next event causes another attempt.
  public func rescan() throws(Errno) {
    guard !isHandling else { return waiting.append(.overrun) }
    isHandling = true
    defer { isHandling = false }
    try enumerateAgain()
    handleWaiting()
  }

  private func handleWaiting() {
    var next = 0
    while next < waiting.count {
      handle(waiting[next])
      next += 1
    }
    waiting.removeAll(keepingCapacity: true)
  }

  private func handle(_ event: DeviceSourceEvent) {
    switch event {
    case .added(let device): report(table.add(device))
    case .changed(let device): report(table.change(device))
    case .moved(let device, let syspath): report(table.move(device, from: syspath))
    case .removed(let syspath): report(table.remove(syspath: syspath))
    case .overrun: _ = try? enumerateAgain()
    }
  }

  private func enumerateAgain() throws(Errno) {
    isOutOfDate = true
    let present = try source.enumerate()
    isOutOfDate = false
    hasStarted = true
    report(table.reconcile(with: present))
  }

  private func report(_ news: [DeviceEvent]) {
    for event in news { events.notify(event) }
  }
}

@available(*, unavailable)
extension DeviceWatcher: Sendable {}

extension DeviceWatcher {
  /// Adds an observer, which is not retained, at the end of the list.
  public func addObserver(_ observer: some DeviceObserver) {
    // Unowned is safe: only methods of the watcher send notifications, so it is alive.
    events.add(observer) { [unowned self] observer, event in notify(observer, of: event) }
  }

  private func notify(_ observer: some DeviceObserver, of event: DeviceEvent) {
    switch event {
    case .appeared(let device): observer.deviceWatcher(self, didAppear: device)
    case .disappeared(let device): observer.deviceWatcher(self, didDisappear: device)
    case .changed(let change):
      observer.deviceWatcher(self, didChange: change.old, to: change.new)
    }
  }

  /// Removes an observer, which receives nothing from now on.
  public func removeObserver(_ observer: some DeviceObserver) { events.remove(observer) }

  /// Observes one kind of event with a closure, as long as the token exists:
  /// `watcher.observe(\.appearance) { … }`.
  public func observe<Payload>(
    _ kind: @escaping (DeviceEvent) -> Payload?, _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<DeviceEvent> {
    events.observe(kind, handler)
  }
}
