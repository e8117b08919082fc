import EventLoop
import Posix
import SerialCore
import SystemPackage

/// Opens a stream to a host: looks up its name, and tries its addresses. Release this object
/// to give up.
///
/// If an address does not answer within a moment, the next one is tried in parallel. The first one
/// that answers wins ("happy eyeballs": RFC 8305).
final class StreamOpening {
  /// The other end of a stream.
  enum Destination {
    case host(HostAddress)
    /// A Unix socket. See unix(7).
    case path(FilePath)
  }

  enum Failure: Error, Hashable, Sendable {
    case lookup(LookupError)
    case connect(Errno)
  }

  private let loop: IOLoop
  private let done: (Result<StreamSocket, Failure>) -> Void
  /// A name server may answer late or never.
  private var lookup: BackgroundWork<Result<[SocketAddress], LookupError>>?
  /// The addresses that were not tried yet.
  private var rest: ArraySlice<SocketAddress> = []
  private var attempts: [(socket: StreamSocket, watch: DescriptorWatch)] = []
  private var lastError = Errno.timedOut
  private var nextAttempt: LoopTimer?
  private var deadline: LoopTimer?
  private var hasEnded = false

  /// The delay before the next address is tried in parallel.
  private static let stagger = Duration.milliseconds(250)

  /// Starts to open a stream.
  ///
  /// - Parameters:
  ///   - timeout: the time limit.
  ///   - done: called once, in a turn of the loop.
  init(
    to destination: Destination, on loop: IOLoop, timeout: Duration,
    done: @escaping (Result<StreamSocket, Failure>) -> Void
  ) {
    self.loop = loop
    self.done = done
    deadline = loop.schedule(after: timeout) { [unowned self] in
      end(.failure(.connect(.timedOut)))
    }
    switch destination {
    case .host(let host): begin(with: host)
    case .path(let path): begin(with: path)
    }
  }

  private func begin(with host: HostAddress) {
    // A numeric address needs no lookup.
    if let addresses = try? SocketAddress.lookUp(host, isNumeric: true) {
      begin(with: addresses)
      return
    }
    do throws(Errno) {
      lookup = try BackgroundWork(on: loop) { _ in
        Result { () throws(LookupError) in try SocketAddress.lookUp(host, isNumeric: false) }
      } onResult: { [unowned self] answer in
        switch answer {
        case .success(let addresses): begin(with: addresses)
        case .failure(let error): end(.failure(.lookup(error)))
        }
      }
    } catch {
      endSoon(.connect(error))
    }
  }

  private func begin(with path: FilePath) {
    do throws(Errno) {
      begin(with: [try SocketAddress(path)])
    } catch {
      endSoon(.connect(error))
    }
  }

  private func begin(with addresses: [SocketAddress]) {
    lookup = nil
    rest = addresses[...]
    tryNext()
  }

  private func tryNext() {
    nextAttempt = nil
    guard let address = rest.popFirst() else {
      if attempts.isEmpty { endSoon(.connect(lastError)) }
      return
    }
    do throws(Errno) {
      let socket = try StreamSocket(family: address.family)
      try address.connect(socket.descriptor)
      let watch = try loop.watch(socket.descriptor, for: .writing) {
        [unowned self, unowned socket] _ in
        attemptEnded(of: socket)
      }
      attempts.append((socket, watch))
      if !rest.isEmpty {
        nextAttempt = loop.schedule(after: Self.stagger) { [unowned self] in tryNext() }
      }
    } catch {
      lastError = error
      tryNext()
    }
  }

  private func attemptEnded(of socket: StreamSocket) {
    guard let index = attempts.firstIndex(where: { $0.socket === socket }) else { return }
    let (socket, watch) = attempts.remove(at: index)
    watch.cancel()
    guard let error = socket.error else {
      socket.keepHeldPeer(on: loop)
      return end(.success(socket))
    }
    lastError = error
    tryNext()
  }

  private func end(_ result: Result<StreamSocket, Failure>) {
    guard !hasEnded else { return }
    hasEnded = true
    for attempt in attempts { attempt.watch.cancel() }
    (attempts, rest, nextAttempt, deadline, lookup) = ([], [], nil, nil, nil)
    done(result)
  }

  /// Ends in a later turn of the loop, because the owner may still be creating this object.
  private func endSoon(_ failure: Failure) {
    nextAttempt = loop.schedule(after: .zero) { [unowned self] in end(.failure(failure)) }
  }
}

extension SerialError {
  /// The error of a link whose stream could not be opened.
  init(_ failure: StreamOpening.Failure, at endpoint: Endpoint) {
    switch failure {
    case .lookup(let error):
      self.init(.unreachable, in: "getaddrinfo", at: endpoint, subject: error.words)
    case .connect(let errno):
      let code: Code =
        switch errno {
        case .permissionDenied: .permissionDenied
        case .noSuchFileOrDirectory, .notDirectory: .notFound
        default: .unreachable
        }
      self.init(code, in: "connect", at: endpoint, errno: errno)
    }
  }
}
