package import EventLoop
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

  private enum Stage {
    case idle
    /// Other sessions may still ask.
    case gathering(LoopTimer)
    case searching(BackgroundWork<[[PortHolders.Use]]>)
  }

  private let scan: Scan
  private var waiting: [Entry] = []
  private var stage = Stage.idle

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
    if case .idle = stage { begin(on: loop) }
    return request
  }

  /// The time from the first question to the search, in which other sessions ask too: many ports
  /// are opened one after the other.
  private static let gathering = Duration.milliseconds(50)

  /// Starts a search soon, when the questions of other sessions are known.
  private func begin(on loop: IOLoop) {
    stage = .gathering(
      loop.schedule(after: Self.gathering) { [unowned self] in
        stage = .idle
        search(on: loop)
      })
  }

  private func search(on loop: IOLoop) {
    let entries = waiting.filter { $0.request != nil }
    let paths = entries.compactMap { $0.request?.path }
    waiting = []
    guard !paths.isEmpty else { return }
    do throws(Errno) {
      stage = .searching(
        try BackgroundWork(on: loop) { [scan] _ in
          scan(paths)
        } onResult: { [unowned self] uses in
          finish(entries, uses, on: loop)
        })
    } catch {
      for entry in entries { entry.request?.answer(nil) }
    }
  }

  private func finish(_ entries: [Entry], _ uses: [[PortHolders.Use]], on loop: IOLoop) {
    stage = .idle
    for (entry, uses) in zip(entries, uses) { entry.request?.answer(uses) }
    if !waiting.isEmpty, case .idle = stage { begin(on: loop) }
  }
}
