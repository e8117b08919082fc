import Observing
import Plotting

/// Records the numbers of ports or files.
final class PlotRecorder {
  /// Points were added.
  let additions = Observable<Void>()

  private(set) var recording = Recording()
  private var readers: [SampleReader] = []
  private let form: SampleForm?

  /// Creates a recorder without sources.
  ///
  /// - Parameter form: the form of the lines; nil to detect it.
  init(_ form: SampleForm?) { self.form = form }

  /// Adds a port or a file.
  ///
  /// - Returns: its number.
  func addSource(named name: String?) -> Int {
    // The recording counts the values of series that it has no curve for.
    readers.append(SampleReader(form, seriesLimit: TableStream.columnLimit))
    return recording.addSource(named: name)
  }

  /// Records the numbers in bytes of a source.
  ///
  /// - Parameter time: seconds since 1970; the number of the line in a file without times.
  func read(_ bytes: UnsafeRawBufferPointer, at time: Double, from source: Int) {
    var hasAdded = false
    readers[source].read(bytes, at: time) { row in
      recording.add(row, from: source)
      hasAdded = true
    }
    if hasAdded { additions.notify(()) }
  }

  /// Reads the last lines, which have no end.
  func finish() {
    for source in readers.indices {
      readers[source].finish { row in recording.add(row, from: source) }
    }
  }

  /// Records that bytes are missing: the open line and the curves are not joined with what follows.
  func interrupt(_ source: Int) {
    readers[source].forgetLine()
    recording.breakLines(of: source)
  }

  /// The series of each source.
  var series: [[SeriesName]] { readers.map(\.series) }

  /// How the lines are read, in words.
  var reading: String {
    let found = readers.compactMap(\.inWords)
    guard let first = found.first else { return "no numbers yet" }
    return found.allSatisfy { $0 == first } ? first : found.joined(separator: "; ")
  }
}
