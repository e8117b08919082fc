import EventLoop
import Posix
import SystemPackage

/// Looks up a host on a separate thread: a name server may answer late or never. Release this
/// object to give up.
final class AddressLookup {
  typealias Answer = Result<[SocketAddress], LookupError>

  private let answer = Guarded<Answer?>(nil)
  private let pipe: WakePipe
  private var watch: DescriptorWatch?

  /// Starts to look up a host.
  ///
  /// - Parameter done: called once, in a turn of the loop.
  /// - Throws: the errors of pipe(2), epoll_ctl(2) and pthread_create(3).
  init(
    _ address: HostAddress, on loop: IOLoop, done: @escaping (Answer) -> Void
  ) throws(Errno) {
    pipe = try WakePipe()
    let (answer, pipe) = (answer, pipe)
    watch = try loop.watch(pipe.reader, for: .reading) { [unowned self] _ in
      watch = nil
      if let found = answer.withLock({ $0 }) { done(found) }
    }
    try DetachedThread.run {
      let found = Answer { () throws(LookupError) in
        try SocketAddress.lookUp(address, isNumeric: false)
      }
      answer.withLock { $0 = found }
      pipe.wake()
    }
  }
}
