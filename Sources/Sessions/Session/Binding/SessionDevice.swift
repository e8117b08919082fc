package import DeviceWatch
package import Observing
import Reconnecting
package import SerialCore
package import SystemPackage

/// The device of a session: finds and opens it, and opens it again when it returns.
///
/// If the front end has a configuration for the device, it is applied, and the logs start, before
/// the port is opened for the first time.
package final class SessionDevice: TargetBinderDelegate {
  /// Whether a user can say which device has returned.
  package var canAsk = false
  /// What only the user can say about the lost device; nil for nothing.
  @Observed package private(set) var returnQuestion: ReturnQuestion?
  weak var delegate: (any SessionControllerDelegate)?

  private let session: Session
  private let binder: TargetBinder
  private let target: Target?
  private let logStart: LogStart
  private let onNews: (SessionNews) -> Void
  private let onEnd: (SessionError) -> Void
  /// The device that the session was prepared for; nil if it needed none.
  private var known: Device?

  /// - Parameters:
  ///   - target: nil for the only device that is present.
  ///   - onNews: receives news for the user.
  ///   - onEnd: called with the reason why the session must end.
  init(
    of session: Session, at target: Target?, boundBy binder: TargetBinder, startingLogs: LogStart,
    onNews: @escaping (SessionNews) -> Void, onEnd: @escaping (SessionError) -> Void
  ) {
    (self.session, self.target, self.binder) = (session, target, binder)
    (logStart, self.onNews, self.onEnd) = (startingLogs, onNews, onEnd)
    binder.delegate = self
  }

  /// Whether to wait for a device that is missing or busy.
  var waitsForAbsentDevice: Bool {
    get { binder.waitsForAbsentDevice }
    set { binder.waitsForAbsentDevice = newValue }
  }

  private var needsDevice: Bool { delegate?.dependsOnDevice(session) ?? false }

  // MARK: Binding

  /// Finds the device, and opens it or waits for it; see ``TargetBinder/bind(to:mayAsk:)``.
  package func bind(mayAsk: Bool) throws(SessionError) -> DeviceQuery? {
    try bind(to: target, mayAsk: mayAsk)
  }

  private func bind(to target: Target?, mayAsk: Bool) throws(SessionError) -> DeviceQuery? {
    binder.needsDevice = needsDevice
    let question: DeviceQuery?
    do throws(BindingError) {
      question = try binder.bind(to: target, mayAsk: mayAsk)
    } catch {
      throw .binding(error)
    }
    if question == nil { try logStart.sessionIsBound(needingDevice: needsDevice) }
    return question
  }

  /// Opens the device that the user has chosen.
  package func bind(toChosen target: Target) throws(SessionError) {
    let device: Device?
    do throws(BindingError) {
      device = try binder.device(at: target)
    } catch {
      throw .binding(error)
    }
    if let device { try prepare(for: device) }
    _ = try bind(to: target, mayAsk: false)
  }

  private func prepare(for device: Device) throws(SessionError) {
    guard device != known else { return }
    do {
      try delegate?.session(session, didFind: device)
    } catch {
      throw .settling(error)
    }
    known = device
  }

  /// Starts the logs if that was only waiting for the port to be open or awaited, as it is now.
  func startAwaitedLogs() {
    do throws(SessionError) {
      try logStart.stateDidChange { needsDevice }
    } catch {
      onEnd(error)
    }
  }

  // MARK: Reconnecting

  /// Starts to watch for the device. Without a user, this is needed only if the device may appear
  /// or return, or if it is not open yet because udev may still set its permissions.
  ///
  /// - Throws: the errors of epoll_ctl(2).
  package func startReconnecting() throws(Errno) {
    let isNeeded =
      canAsk || session.waitsForLostDevice || waitsForAbsentDevice || !session.state.isOpen
    if isNeeded { try binder.startReconnecting() }
  }

  /// The devices that may be the session's, where only the user can tell.
  package var candidates: [Device] { binder.candidates }

  /// The user has chosen a candidate. Does nothing if it is gone.
  package func choose(_ endpoint: Endpoint) { binder.choose(endpoint) }

  func binder(_ binder: TargetBinder, mayOpen endpoint: Endpoint, _ device: Device?) -> Bool {
    guard needsDevice else { return true }
    do throws(SessionError) {
      if let device { try prepare(for: device) }
      try logStart.start(at: endpoint)
      return true
    } catch {
      onEnd(error)
      return false
    }
  }

  func binder(_ binder: TargetBinder, didFailWith error: BindingError) { onEnd(.binding(error)) }

  func binder(_ binder: TargetBinder, didReport report: Reconnector.Report) {
    switch report {
    case .held(let error): onNews(.held(error))
    case .refused(let error):
      if binder.endsWhenRefused { return onEnd(.port(error)) }
      onNews(.refused(error))
    case .several(let devices):
      guard canAsk else { return onEnd(.indistinguishable(devices)) }
      returnQuestion = .which(devices)
    case .lookAlikes(let devices):
      onNews(.lookAlikes(devices))
      if canAsk { returnQuestion = .isThisIt(devices) }
    case .settled: returnQuestion = nil
    }
  }

  /// A question about the lost device.
  package enum ReturnQuestion: Hashable {
    /// Several devices match: which one is it?
    case which([Device])
    /// Similar devices are present: is one of them the lost one?
    case isThisIt([Device])
  }
}
