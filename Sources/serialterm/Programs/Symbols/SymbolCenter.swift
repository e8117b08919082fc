import EventLoop
import Observing
import Sessions
import Symbols
import SystemPackage
import Terminal
import TextTools

/// The ELF files of a program, each of which several ports may use.
final class SymbolCenter {
  private let console: Console
  private let loop: IOLoop
  private var sources: [FilePath: Source] = [:]

  private struct Source {
    let source: SymbolSource
    let news: ObservationToken<SymbolSource.News>
  }

  init(on console: Console, loop: IOLoop) {
    (self.console, self.loop) = (console, loop)
  }

  /// Searches what a port receives for addresses of these files; none to end that.
  func watch(_ port: Port, for files: [SymbolFile]) {
    guard port.symbols?.sources.map(\.file.path) ?? [] != files.map(\.path) else { return }
    guard !files.isEmpty else {
      port.symbols = nil
      return
    }
    for file in files where file.buildSystem != nil && sources[file.path] == nil {
      console.say(file.finding)
    }
    let watch = SymbolWatch(files.map(source), receivingFrom: port.controller.hub, on: loop)
    port.symbols = PortSymbols(
      watch, of: port,
      warn: { [console, unowned port] in console.warn(port.named($0)) })
  }

  private func source(of file: SymbolFile) -> SymbolSource {
    if let source = sources[file.path]?.source { return source }
    let source = SymbolSource(file, on: loop)
    let news = source.news.observe { [console, unowned source] in
      let name = source.file.name
      switch $0 {
      case .rebuilt: console.say("\(name) was rebuilt: the new file is used for addresses.")
      case .failed(let reason):
        console.warn(
          "no source lines from \(name) for now, \(source.file.program.harmless): \(reason).")
      case .unwatched(let error):
        console.warn("\(name) cannot be watched (\(error)): a new build is not noticed.")
      }
    }
    sources[file.path] = Source(source: source, news: news)
    source.start()
    return source
  }
}

/// What is known about the addresses that a port receives: for its logs, and for the screen.
final class PortSymbols {
  private let watch: SymbolWatch
  private var observations: [AnyObject] = []

  /// - Parameter warn: shows a warning about the port.
  fileprivate init(_ watch: SymbolWatch, of port: Port, warn: @escaping (String) -> Void) {
    self.watch = watch
    observations = [
      watch.answers.observe { [unowned port] in
        port.log.append(symbols: $0.note.address, $0.note.frames.map { ($0.function, $0.place) })
        port.symbolAnswers.notify($0)
      },
      watch.reports.observe { [unowned watch] in
        Self.check($0, watch.sources, warn: warn, onEnd: {})
      },
      watch.refusals.observe {
        warn("\($0.counted("address")) not looked up: too many at once.")
      },
    ]
  }

  var sources: [SymbolSource] { watch.sources }
  /// The number of bytes that were searched; see ``SymbolWatch/receivedCount``.
  var receivedCount: Int { watch.receivedCount }

  /// Searches bytes that did not come from the port, such as those of earlier.
  func receive(_ bytes: UnsafeRawBufferPointer) { watch.receive(bytes) }

  /// Warns if a firmware was made of none of these files.
  ///
  /// - Parameter onEnd: called once, at once or later.
  static func check(
    _ report: BootReport, _ sources: [SymbolSource], warn: @escaping (String) -> Void,
    onEnd: @escaping () -> Void
  ) {
    var (left, fits) = (sources.count, false)
    for source in sources {
      source.check(report) { result in
        left -= 1
        // A file about which nothing is known may be the right one.
        fits = fits || result != false
        guard left == 0 else { return }
        defer { onEnd() }
        guard !fits else { return }
        let names = sources.map(\.file.name).joined(separator: " or ")
        let (what, digits) =
          switch report {
          case .sha256(let digits): ("SHA-256", digits)
          case .buildID(let digits): ("build ID", digits)
          }
        warn(
          "the firmware was not made of \(names): it reports the \(what) \(digits.prefix(16)). "
            + "Source lines may be wrong.")
      }
    }
  }
}
