public import DeviceWatch
import EventLoop
import Observing
import Posix
import Reconnecting
public import SystemPackage

/// A token for following the devices, on the executor that polls for them.
private actor DeviceFollower {
  nonisolated let executor: PortExecutor
  nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }
  private var token: AnyObject?

  init(on executor: PortExecutor) { self.executor = executor }

  func start(_ continuation: AsyncStream<DeviceEvent>.Continuation) throws(Errno) {
    let devices = executor.devices
    for device in try devices.current() { continuation.yield(.appeared(device)) }
    token = try devices.observe(on: executor.loop) { continuation.yield($0) }
  }

  // The token is released on the executor.
  func stop() { token = nil }
}

extension DeviceWatcher {
  /// The serial ports of the computer: first those that are present, as if they had just appeared,
  /// then every change. The sequence has no end.
  ///
  /// ```swift
  /// for await event in try await DeviceWatcher.events() { print(event) }
  /// ```
  ///
  /// - Parameter executor: where udev is polled; nil for ``PortExecutor/shared()``.
  /// - Throws: the errors of libudev and epoll_ctl(2).
  public static func events(
    on executor: PortExecutor? = nil
  ) async throws(Errno) -> AsyncStream<DeviceEvent> {
    let executor = if let executor { executor } else { try PortExecutor.shared() }
    let follower = DeviceFollower(on: executor)
    let (stream, continuation) = AsyncStream.makeStream(of: DeviceEvent.self)
    try await follower.start(continuation)
    continuation.onTermination = { _ in Task { await follower.stop() } }
    return stream
  }
}
