import CSerial
import Glibc
import Posix
public import SystemPackage

/// Signals that arrive as events of a loop, for as long as this token is kept.
///
/// The signals are blocked in the calling thread and read from a signalfd(2): a handler is an
/// ordinary function that may do anything. They stay blocked when the watch ends.
public final class SignalWatch {
  private let descriptor: OwnedDescriptor
  private var watch: DescriptorWatch?

  fileprivate init(
    _ signals: [CInt], on loop: EventLoop, _ handler: @escaping (CInt) -> Void
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
    watch = try loop.watch(signals, for: .reading) { _ in
      while let signal = SignalWatch.next(from: signals) { handler(signal) }
    }
  }

  deinit { watch?.cancel() }

  /// Whether whoever started us wants the signal ignored, as nohup(1) does with SIGHUP: a signal that
  /// is blocked would arrive all the same.
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

extension EventLoop {
  /// Hears signals in the loop instead of in a signal handler.
  ///
  /// Call it before another thread is started, which would take the signals otherwise.
  ///
  /// - Parameters:
  ///   - signals: which ones, as in signal(7). Those that were ignored when the process was started
  ///     stay ignored.
  ///   - handler: called with the signal's number.
  /// - Returns: the token that keeps the watch.
  /// - Throws: what sigprocmask(2), signalfd(2) and epoll_ctl(2) say.
  public func watchSignals(
    _ signals: [CInt], _ handler: @escaping (CInt) -> Void
  ) throws(Errno) -> SignalWatch {
    try SignalWatch(signals, on: self, handler)
  }
}
