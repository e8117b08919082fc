import CSerial
import Glibc
import Posix
public import SystemPackage

/// Signals as events of a loop. Releasing this token ends the watch.
///
/// The signals are blocked in the calling thread and read from a signalfd(2): a handler is an
/// ordinary function that may do anything. They stay blocked when the watch ends.
public final class SignalWatch {
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorWatch?
  /// The maximum number of signals that are handled in a turn.
  private static let limit = 64

  fileprivate init(
    _ signals: [CInt], on loop: IOLoop, _ handler: @escaping (CInt) -> Void
  ) throws(Errno) {
    var set = sigset_t()
    sigemptyset(&set)
    for signal in signals where !Self.isIgnored(signal) { sigaddset(&set, signal) }
    try systemCall { sigprocmask(SIG_BLOCK, &set, nil) }
    let rawValue = try systemCall {
      signalfd(-1, &set, CInt(SFD_NONBLOCK | SFD_CLOEXEC))
    }
    let signals = FileDescriptor(rawValue: rawValue)
    descriptor = OwnedDescriptor(signals)
    watch = try loop.watch(signals, for: .reading, isUrgent: true) { _ in
      // Bounded, because another process may send signals faster than they are handled.
      for _ in 0..<Self.limit {
        guard let signal = SignalWatch.next(from: signals) else { break }
        handler(signal)
      }
    }
  }

  deinit { watch?.cancel() }

  /// Whether the parent process has set the signal to be ignored, as nohup(1) does with SIGHUP.
  /// Such a signal must not be blocked: signalfd(2) would report it.
  private static func isIgnored(_ signal: CInt) -> Bool {
    var action = sigaction()
    guard sigaction(signal, nil, &action) == 0 else { return false }
    let handler = unsafeBitCast(action.__sigaction_handler.sa_handler, to: UInt.self)
    return handler == unsafeBitCast(SIG_IGN, to: UInt.self)
  }

  private static func next(from descriptor: FileDescriptor) -> CInt? {
    var info = signalfd_siginfo()
    let outcome = withUnsafeMutableBytes(of: &info) { buffer in
      try? descriptor.readAvailable(into: buffer)
    }
    guard case .bytes(MemoryLayout<signalfd_siginfo>.size) = outcome else { return nil }
    return CInt(info.ssi_signo)
  }
}

extension IOLoop {
  /// Handles signals in the loop instead of in a signal handler.
  ///
  /// Call it before any other thread starts: the kernel may deliver the signals to a thread that
  /// does not block them.
  ///
  /// - Parameters:
  ///   - signals: the signal numbers, see signal(7). Signals that were ignored when the process
  ///     started stay ignored.
  ///   - handler: called with the number of the signal.
  /// - Returns: the token that keeps the watch.
  /// - Throws: the errors of sigprocmask(2), signalfd(2) and epoll_ctl(2).
  public func watchSignals(
    _ signals: [CInt], _ handler: @escaping (CInt) -> Void
  ) throws(Errno) -> SignalWatch {
    try SignalWatch(signals, on: self, handler)
  }
}
