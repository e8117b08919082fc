import Glibc
import Options
import Plotting
import Posix
import SystemPackage
import Terminal
import TextTools

/// `serialterm plot FILE…`: reads files, writes what was asked for, and otherwise shows the plot.
struct FilePlot {
  private let paths: [String]
  private let values: Values

  /// - Parameter paths: regular files or named pipes; `-` for standard input.
  init(_ paths: [String], _ values: Values) {
    self.paths = paths
    self.values = values
  }

  /// Plots the files.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func run() throws -> ExitStatus {
    let (csv, svg) = (values[PlotParameters.csv], values[PlotParameters.svg])
    for output in [csv, svg].compactMap({ $0 }) { try checkIsNoInput(output) }
    guard try values.mayWritePlot() else { return .done }
    let recorder = PlotRecorder(values.sampleForm)
    let files = try PlotFiles(paths, rate: values[PlotParameters.rate])
    guard csv == nil || files.canReadAgain else {
      throw Failure(
        .usage, "--csv reads a file twice, which a pipe does not allow. Write it to a file first.")
    }
    var sources: [PlotFiles.Origin: Int] = [:]
    try files.forEach { bytes, time, origin in
      let source = sources[origin] ?? recorder.addSource(named: origin.name)
      sources[origin] = source
      recorder.read(bytes, at: time, from: source)
    }
    recorder.finish()
    guard recorder.recording.times != nil else { throw PlotPicture.noNumbers }
    let settings = values.plotSettings(unlessGiven: .all)
    let isForScreen = csv == nil && svg == nil
    if !isForScreen, !values[SessionParameters.quiet] {
      StandardStream.complain("reading: \(recorder.reading).")
    }
    let omittedCount = recorder.recording.omittedCount
    if omittedCount > 0, !isForScreen {
      StandardStream.complain(
        "\(omittedCount.grouped) values of further series are not in the plot.")
    }
    if let csv { try write(to: csv, files, sources, recorder) }
    if let svg {
      try PlotPicture.write(
        to: svg, recorder.recording, settings, files.timeKind, title: title)
    }
    guard isForScreen else { return .done }
    if isDrawn {
      return try PlotViewer(
        recorder, settings, files.timeKind, picture: pictureName,
        table: files.canReadAgain ? table(of: sources, recorder, files.timeKind) : nil
      ).run()
    }
    try PlotTable.print(recorder.recording)
    return .done
  }

  /// Whether the plot is drawn on the screen.
  private var isDrawn: Bool {
    !values[ViewParameters.plain] && FileDescriptor.standardInput.isTerminal
      && TerminalStreams.standard.screenKind == .drawing
  }

  private var title: String {
    paths.map { ($0 == "-" ? "standard input" : FilePath($0).lastComponent?.string ?? $0).harmless }
      .joined(separator: ", ")
  }

  /// The name of a picture that is saved from the screen: that of the first file.
  private var pictureName: String {
    paths.first.flatMap { $0 == "-" ? nil : FilePath($0).lastComponent?.stem } ?? "plot"
  }

  /// Checks that a file is not read and written at the same time.
  ///
  /// - Throws: ``Failure``.
  private func checkIsNoInput(_ output: String) throws(Failure) {
    guard let written = try? FilePath(output).stat() else { return }
    for path in paths where path != "-" {
      guard let read = try? FilePath(path).stat(), read.deviceID == written.deviceID,
        read.inode == written.inode
      else { continue }
      throw Failure(.usage, "\(output): the file is read, so it cannot be written.")
    }
  }

  // MARK: CSV

  private func write(
    to csv: String, _ files: PlotFiles, _ sources: [PlotFiles.Origin: Int], _ recorder: PlotRecorder
  ) throws {
    let output = try FileOutput(csv)
    try Self.table(
      of: paths, rate: values[PlotParameters.rate], sources, recorder.series,
      as: values.sampleForm, files.timeKind, in: nil
    ) { piece throws(Failure) in try output.write(piece) }
    try output.finish()
  }

  /// Makes tables of the values, or of those at some times, on any thread.
  private func table(
    of sources: [PlotFiles.Origin: Int], _ recorder: PlotRecorder, _ kind: ChartView.TimeKind
  ) -> (ClosedRange<Double>?) -> FileWrite.Contents {
    let (paths, rate, form) = (paths, values[PlotParameters.rate], values.sampleForm)
    let series = recorder.series
    return { times in
      { put throws(Errno) in
        // A file that cannot be read again has become unreadable since it was plotted.
        var refusal = Errno.ioError
        do throws(Failure) {
          try Self.table(of: paths, rate: rate, sources, series, as: form, kind, in: times) {
            piece throws(Failure) in
            do throws(Errno) {
              try put(piece)
            } catch {
              refusal = error
              throw Failure(.otherFailure, "\(error)")
            }
          }
        } catch {
          throw refusal
        }
      }
    }
  }

  /// Reads the files again, and makes the table of their values.
  private static func table(
    of paths: [String], rate: Double?, _ sources: [PlotFiles.Origin: Int],
    _ series: [[SeriesName]], as form: SampleForm?, _ kind: ChartView.TimeKind,
    in times: ClosedRange<Double>?, to put: ([UInt8]) throws(Failure) -> Void
  ) throws(Failure) {
    let files = try PlotFiles(paths, rate: rate)
    let names = sources.sorted { $0.value < $1.value }.map(\.key.name)
    let table = TableWriter(zip(names, series).map { ($0, $1) }, as: form, kind, in: times)
    try files.forEach { bytes, time, origin throws(Failure) in
      // Lines that were written to the file since the first reading can have other sources.
      guard let source = sources[origin] else { return }
      table.read(bytes, at: time, from: source)
      if let piece = table.takeOutput(atLeast: Self.pieceSize) { try put(piece) }
    }
    table.finish()
    if let piece = table.takeOutput() { try put(piece) }
  }

  private static let pieceSize = 65_536
}
