import Plotting
import Posix
import Scrollback
import SystemPackage

/// The numbers in the scrollbacks of ports as a table (CSV), with the digits that the devices sent.
/// It is made on the thread that writes the file.
struct ScrollbackTable: Sendable {
  /// A line of one of several ports, which are sorted by their times.
  private struct Place {
    let source: Int
    let time: UInt64
    let bytes: Range<Int>
  }

  private let ports: [(name: String?, lines: ScrollbackCopy)]
  private let form: SampleForm?
  private let times: ClosedRange<Double>?
  private static let pieceSize = 65_536

  /// - Parameters:
  ///   - ports: the ports, with their lines.
  ///   - form: the form of the lines; nil to find it.
  ///   - times: the times of the rows, in seconds since 1970; nil for all.
  init(
    of ports: [(String?, ScrollbackCopy)], as form: SampleForm?, in times: ClosedRange<Double>?
  ) {
    self.ports = ports.map { ($0.0, $0.1) }
    self.form = form
    // The times of lines are whole milliseconds.
    self.times = times.map { ($0.lowerBound * 1_000).rounded(.down) / 1_000...$0.upperBound }
  }

  /// Makes the table.
  ///
  /// - Parameter put: called with pieces of the file.
  func write(to put: ([UInt8]) throws(Errno) -> Void) throws(Errno) {
    let series = ports.map { port in
      var reader = SampleReader(form, seriesLimit: TableStream.columnLimit)
      port.lines.forEachLine { bytes, _ in reader.read(bytes, at: 0) { _ in } }
      return (name: port.name, series: reader.series)
    }
    let table = TableWriter(series, as: form, .clock, in: times)
    if ports.count == 1 {
      try ports[0].lines.forEachLine { (bytes, time) throws(Errno) in
        table.read(bytes, at: Double(time) / 1_000, from: 0)
        if let piece = table.takeOutput(atLeast: Self.pieceSize) { try put(piece) }
      }
    } else {
      readMerged(into: table)
    }
    // A line without an end is left out: its digits may be incomplete.
    if let piece = table.takeOutput() { try put(piece) }
  }

  /// Reads the lines of several ports in the order of their times.
  private func readMerged(into table: TableWriter) {
    var (text, places) = ([UInt8](), [Place]())
    for (source, port) in ports.enumerated() {
      port.lines.forEachLine { bytes, time in
        places.append(
          Place(source: source, time: time, bytes: text.count..<text.count + bytes.count))
        text += bytes
      }
    }
    // Lines with the same time stay in the order of their port.
    let order = places.indices.sorted { (places[$0].time, $0) < (places[$1].time, $1) }
    text.withUnsafeBytes { text in
      for index in order {
        let place = places[index]
        table.read(
          UnsafeRawBufferPointer(rebasing: text[place.bytes]), at: Double(place.time) / 1_000,
          from: place.source)
      }
    }
  }
}
