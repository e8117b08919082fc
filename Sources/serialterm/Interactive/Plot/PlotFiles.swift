import Plotting
import SystemPackage
import TextTools

/// Several files with the numbers of one plot, read in the order of their times.
final class PlotFiles {
  /// The source of numbers: a file, or a port in the log of several.
  struct Origin: Hashable {
    let file: Int
    let port: String?
    /// The name for the curves, if there are several sources.
    let name: String
  }

  /// The meaning of the times.
  let timeKind: ChartView.TimeKind
  private let files: [PlotFile]
  private let names: [String]

  /// Bytes with one time.
  private struct Piece {
    let bytes: [UInt8]
    let time: Double
    let port: String?
  }

  /// Opens files.
  ///
  /// - Parameter rate: the number of lines in a second, for files without times.
  /// - Throws: ``Failure``, also if the times of the files cannot be compared.
  init(_ paths: [String], rate: Double?) throws(Failure) {
    var files: [PlotFile] = []
    for path in paths { files.append(try PlotFile(path, rate: rate)) }
    guard let first = files.first, files.allSatisfy({ $0.timeKind == first.timeKind }) else {
      throw Failure(
        .usage,
        "the files cannot be in one plot: some have times of a clock, some seconds from a start, or no times."
      )
    }
    self.files = files
    timeKind = first.timeKind
    names =
      PortNames(
        of: paths.map { path in
          let name = path == "-" ? "standard input" : FilePath(path).lastComponent?.string
          return (profile: name, target: path)
        }
      ).names
  }

  /// Whether all files can be read a second time.
  var canReadAgain: Bool { files.allSatisfy(\.isRegular) }

  /// Reads everything.
  ///
  /// - Parameter body: called with bytes, their time, and their source.
  /// - Throws: ``Failure``, and what the function throws.
  func forEach(
    _ body: (UnsafeRawBufferPointer, Double, Origin) throws(Failure) -> Void
  ) throws(Failure) {
    guard files.count > 1 else {
      var failure: Failure?
      while failure == nil,
        try files[0].next({ bytes, time, port in
          do throws(Failure) {
            try body(bytes, time, origin(0, port))
          } catch {
            failure = error
          }
        })
      {}
      if let failure { throw failure }
      return
    }
    var heads: [Piece?] = []
    for file in files { heads.append(try Self.next(of: file)) }
    while let next = heads.indices.filter({ heads[$0] != nil }).min(by: {
      (heads[$0]?.time ?? 0) < (heads[$1]?.time ?? 0)
    }), let piece = heads[next] {
      let result: Result<Void, Failure> = piece.bytes.withUnsafeBytes { bytes in
        Result { () throws(Failure) in try body(bytes, piece.time, origin(next, piece.port)) }
      }
      try result.get()
      heads[next] = try Self.next(of: files[next])
    }
  }

  private static func next(of file: PlotFile) throws(Failure) -> Piece? {
    var piece: Piece?
    while piece == nil,
      try file.next({ piece = Piece(bytes: Array($0), time: $1, port: $2) })
    {}
    return piece
  }

  private func origin(_ file: Int, _ port: String?) -> Origin {
    let name = names[file]
    return Origin(
      file: file, port: port,
      name: port.map { files.count > 1 ? "\(name) \($0)" : $0 } ?? name)
  }
}
