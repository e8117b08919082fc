package import EventLoop
import Posix
package import SerialCore
package import SystemPackage

/// Finds the processes that have ports open, for all sessions of a program.
///
/// A search of all processes takes some 10 ms, and finds the users of every port. So the sessions
/// share it, in one separate thread: what they ask while a search is running is answered by the
/// next one, for all of them.
package final class PortHolderSearch {
  /// Looks at all processes once, and returns the users of each port.
  package typealias Scan = @Sendable ([FilePath]) -> [[PortHolders.Use]]

  /// A question. Release it to get no answer.
  package final class Request {
    fileprivate let path: FilePath
    fileprivate let answer: ([PortHolders.Use]?) -> Void

    fileprivate init(_ path: FilePath, _ answer: @escaping ([PortHolders.Use]?) -> Void) {
      (self.path, self.answer) = (path, answer)
    }
  }

  /// A question that its owner may have released.
  private struct Entry {
    weak var request: Request?
  }

  /// The running thread.
  private final class Run {
    let wake: WakePipe
    let result = Guarded<[[PortHolders.Use]]?>(nil)
    let entries: [Entry]
    var watch: DescriptorWatch?

    init(for entries: [Entry]) throws(Errno) {
      self.entries = entries
      wake = try WakePipe()
    }
  }

  private let scan: Scan
  private var waiting: [Entry] = []
  private var run: Run?
  /// Starts the next search.
  private var start: LoopTimer?

  /// - Parameter scan: looks at all processes; called in another thread.
  package init(
    scan: @escaping Scan = { paths in
      let holders = PortHolders()
      return paths.map { holders.uses(of: $0) }
    }
  ) {
    self.scan = scan
  }

  /// Asks for the processes that have a port open.
  ///
  /// - Parameters:
  ///   - path: the node, or a link to it.
  ///   - loop: the loop of all questions.
  ///   - answer: called once, in a later turn of the loop; nil if there can be no thread.
  package func uses(
    of path: FilePath, on loop: IOLoop, answer: @escaping ([PortHolders.Use]?) -> Void
  ) -> Request {
    let request = Request(path, answer)
    waiting.append(Entry(request: request))
    if run == nil, start == nil { begin(on: loop) }
    return request
  }

  /// The time from the first question to the search, in which other sessions ask too: many ports
  /// are opened one after the other.
  private static let gathering = Duration.milliseconds(50)

  /// Starts a search soon, when the questions of other sessions are known.
  private func begin(on loop: IOLoop) {
    start = loop.schedule(after: Self.gathering) { [unowned self] in
      start = nil
      search(on: loop)
    }
  }

  private func search(on loop: IOLoop) {
    let entries = waiting.filter { $0.request != nil }
    let paths = entries.compactMap { $0.request?.path }
    waiting = []
    guard !paths.isEmpty else { return }
    do throws(Errno) {
      let run = try Run(for: entries)
      let watch = try loop.watch(run.wake.reader, for: .reading) { [unowned self] _ in
        ended(on: loop)
      }
      let (wake, result, scan) = (run.wake, run.result, scan)
      try DetachedThread.run {
        let uses = scan(paths)
        result.withLock { $0 = uses }
        wake.wake()
      }
      run.watch = watch
      self.run = run
    } catch {
      for entry in entries { entry.request?.answer(nil) }
    }
  }

  private func ended(on loop: IOLoop) {
    guard let run, let result = run.result.withLock({ $0 }) else { return }
    // Kept until the end of the turn, because its watch is calling.
    loop.atEndOfTurn { withExtendedLifetime(run) {} }
    self.run = nil
    for (entry, uses) in zip(run.entries, result) { entry.request?.answer(uses) }
    if !waiting.isEmpty, start == nil { begin(on: loop) }
  }
}
