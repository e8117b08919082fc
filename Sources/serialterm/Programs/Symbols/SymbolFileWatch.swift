import DeviceWatch
import EventLoop
import Observing
import Posix
import Symbols
import SystemPackage

/// Watches an ELF file, and reads its headers again when it was replaced or written.
///
/// A linker creates the file and writes it for seconds: the file is read when it has not changed
/// for a moment. A file that is gone or incomplete changes nothing. See inotify(7).
final class SymbolFileWatch {
  private let path: FilePath
  private let loop: IOLoop
  private let onChange: (ELFFile) -> Void
  private let watcher: PathWatcher
  private var watch: DescriptorWatch?
  private var events: ObservationToken<PathEvent>?
  /// Notices that the present file is closed, after it was written.
  private var openings: (watcher: OpeningWatcher, watch: DescriptorWatch)?
  private var timer: LoopTimer?
  private var reading: BackgroundWork<ELFFile?>?
  /// The state of the file that was read last.
  private var known: FileState?
  /// The state of the file at the last look.
  private var seen: FileState?

  /// The time for which a file has not changed.
  private static let rest = Duration.milliseconds(300)

  /// - Parameter onChange: called with the headers of each new file.
  /// - Throws: the errors of inotify_init1(2), inotify_add_watch(2) and epoll_ctl(2).
  init(
    _ path: FilePath, on loop: IOLoop, onChange: @escaping (ELFFile) -> Void
  ) throws(Errno) {
    (self.path, self.loop, self.onChange) = (path, loop, onChange)
    watcher = try PathWatcher(path)
    known = FileState(of: path)
    watch = try loop.watch(watcher.descriptor, for: .reading) { [unowned self] _ in
      watcher.handleReadable()
    }
    events = watcher.observe { [unowned self] in
      guard $0 == .appeared else { return }
      watchOpenings()
      lookLater()
    }
    watchOpenings()
  }

  deinit {
    watch?.cancel()
    openings?.watch.cancel()
  }

  /// Without this, a file that is written in place is not noticed; most linkers replace it.
  private func watchOpenings() {
    openings?.watch.cancel()
    openings = nil
    guard let watcher = try? OpeningWatcher(path) else { return }
    let watch = try? loop.watch(watcher.descriptor, for: .reading) { [unowned self] _ in
      if watcher.readEvents() { lookLater() }
    }
    openings = watch.map { (watcher, $0) }
  }

  private func lookLater() {
    if timer == nil { timer = loop.schedule(after: Self.rest) { [unowned self] in look() } }
  }

  private func look() {
    timer = nil
    let stamp = FileState(of: path)
    guard let stamp, stamp != known else { return }
    guard stamp == seen else {
      seen = stamp
      return lookLater()
    }
    let path = path
    reading = try? BackgroundWork(on: loop, { _ in try? ELFReading.headers(of: path) }) {
      [unowned self] elf in
      reading = nil
      // A file that is not complete is closed later, which is noticed.
      guard let elf, elf.hasLines || elf.hasSymbols else { return }
      known = stamp
      onChange(elf)
    }
  }
}
