public import Observing
public import SystemPackage

/// Keeps the list of the machine's serial ports, and tells observers what happens to them.
///
/// ## Principles of operation
///
/// - It owns no thread and never waits. Its owner watches ``descriptor`` for reading,
///   level-triggered, and calls ``handleReadable()``.
/// - What is there when it starts is no event: read ``devices``. From then on every change is told
///   once, in order, and ``devices`` shows it by the time that observers hear of it.
/// - It holds all ports, also those with no hardware behind them: see ``Device/hasHardware``.
/// - When the system had to drop events it looks anew, and tells the differences.
///
/// It is confined to one thread, and not `Sendable`.
public final class DeviceWatcher {
  /// The serial ports that there are, by their nodes in natural order: ttyUSB2 before ttyUSB10.
  public var devices: [Device] { table.devices }

  private let source: any DeviceSource
  private let events = Observable<DeviceEvent>()
  private var table = DeviceTable()
  private var hasStarted = false
  /// What the source said and nobody has looked at yet.
  private var waiting: [DeviceSourceEvent] = []
  private var isHandling = false
  /// Whether events were lost and looking anew has not succeeded yet.
  private var isOutOfDate = false

  /// Creates a watcher that knows of no device yet.
  ///
  /// - Parameter source: hears of devices already, so that nothing is missed until the start.
  public init(source: any DeviceSource) { self.source = source }

  /// Readable while something has happened that ``handleReadable()`` has not seen.
  public var descriptor: FileDescriptor { source.descriptor }

  /// Looks what there is, unless it has done so already. Observers are told nothing.
  ///
  /// - Throws: what the source says.
  public func startIfNeeded() throws(Errno) {
    guard !hasStarted else { return }
    _ = table.reconcile(with: try source.enumerate())
    hasStarted = true
  }

  /// Takes in what has happened, and tells observers.
  ///
  /// When events were lost it looks anew; if that fails too (`ENOMEM`), it does so the next time
  /// that something happens, or at ``rescan()``.
  public func handleReadable() {
    waiting += source.readEvents()
    // An observer may call back in here: what it finds waits behind what came before.
    guard !isHandling else { return }
    isHandling = true
    defer { isHandling = false }
    // A failure is remembered, and nobody here can do anything about it.
    if isOutOfDate { _ = try? lookAnew() }
    handleWaiting()
  }

  /// Looks what there is, and tells observers the differences.
  ///
  /// An observer that calls it has it done after what is being told now, and no error is thrown.
  ///
  /// - Throws: what the source says. It is tried again the next time that something happens.
  public func rescan() throws(Errno) {
    guard !isHandling else { return waiting.append(.overrun) }
    isHandling = true
    defer { isHandling = false }
    try lookAnew()
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
    case .added(let device): tell(table.add(device))
    case .changed(let device): tell(table.change(device))
    case .moved(let device, let syspath): tell(table.move(device, from: syspath))
    case .removed(let syspath): tell(table.remove(syspath: syspath))
    case .overrun: _ = try? lookAnew()
    }
  }

  private func lookAnew() throws(Errno) {
    isOutOfDate = true
    let present = try source.enumerate()
    isOutOfDate = false
    hasStarted = true
    tell(table.reconcile(with: present))
  }

  private func tell(_ news: [DeviceEvent]) {
    for event in news { events.notify(event) }
  }
}

@available(*, unavailable)
extension DeviceWatcher: Sendable {}

extension DeviceWatcher {
  /// Adds an observer, which is not retained, at the end of the list.
  public func addObserver(_ observer: some DeviceObserver) {
    // Unowned: every notification is made by a method of the watcher, which is alive in it.
    events.add(observer) { [unowned self] observer, event in event.tell(observer, of: self) }
  }

  /// Removes an observer; it hears nothing from now on.
  public func removeObserver(_ observer: some DeviceObserver) { events.remove(observer) }

  /// Observes one kind of event with a closure, for as long as the token is kept:
  /// `watcher.observe(\.appearance) { … }`.
  public func observe<Payload>(
    _ kind: @escaping (DeviceEvent) -> Payload?, _ handler: @escaping (Payload) -> Void
  ) -> ObservationToken<DeviceEvent> {
    events.observe(kind, handler)
  }
}
