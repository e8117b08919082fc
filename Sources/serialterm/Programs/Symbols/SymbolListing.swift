import EventLoop
import Observing
import Symbols
import SystemPackage
import Terminal
import TerminalWidgets
import TextStages
import TextTools

/// Prints text, and below each line what is known about its addresses. It waits for each answer, so
/// that everything is in its order.
final class SymbolListing {
  private let loop: IOLoop
  private let watch: SymbolWatch
  private var observations: [AnyObject] = []
  private var answers: [SymbolNote] = []
  private let style = TerminalStreams.standard.outputStyle
  /// Reads lines without what would control the terminal; nil if the output is a file or a pipe.
  private var reader: LineReader?
  private var output: [UInt8] = []
  private var isMidLine = false
  /// The number of checks of the firmware that are not finished.
  private var openChecks = 0

  /// The number of bytes that are printed at once.
  private static let pieceSize = 65_536

  /// - Throws: the errors of epoll_create1(2).
  init(_ files: [SymbolFile]) throws(Errno) {
    loop = try IOLoop()
    let sources = files.map { [loop] in SymbolSource($0, on: loop) }
    watch = SymbolWatch(sources, receivingFrom: nil, on: loop)
    reader = TerminalStreams.standard.screenKind == .none ? nil : LineReader()
    for file in files where file.buildSystem != nil {
      StandardStream.complain(file.finding)
    }
    observations = [
      watch.answers.observe { [unowned self] in answers.append($0.note) },
      watch.reports.observe { [unowned self] in
        openChecks += 1
        PortSymbols.check($0, sources, warn: StandardStream.complain) { [unowned self] in
          openChecks -= 1
        }
      },
    ]
    observations += sources.map { source in
      source.news.observe { [unowned source] in
        if case .failed(let reason) = $0 {
          StandardStream.complain(
            "no source lines from \(source.file.name) for now, \(source.file.program.harmless): "
              + "\(reason).")
        }
      }
    }
  }

  /// Adds a piece of text, and prints it as far as its lines are complete.
  ///
  /// - Throws: ``Failure``, and the errors of epoll_wait(2).
  func add(_ bytes: some Collection<UInt8>) throws {
    var rest = Array(bytes)[...]
    while let end = rest.firstIndex(of: UInt8(ascii: "\n")) {
      try addPart(rest[...end])
      rest = rest[(end + 1)...]
    }
    if !rest.isEmpty { try addPart(rest) }
  }

  private func addPart(_ part: ArraySlice<UInt8>) throws {
    part.withUnsafeBytes { watch.receive($0) }
    append(part)
    isMidLine = part.last != UInt8(ascii: "\n")
    if !isMidLine { try appendAnswers() }
    if output.count >= Self.pieceSize { try write() }
  }

  private func append(_ part: ArraySlice<UInt8>) {
    guard reader != nil else { return output += part }
    part.withUnsafeBytes { part in
      var index = 0
      while let event = reader?.next(in: part, from: &index) {
        if event != .returned { output += reader!.text.harmlessLine.utf8 }
        if event == .ended { output.append(UInt8(ascii: "\n")) }
      }
    }
  }

  private func appendAnswers() throws {
    // What is known so far is printed before a slow answer.
    if watch.isWaiting { try write() }
    while watch.isWaiting { try loop.turn() }
    for note in answers {
      for line in note.lines { output += "\(style.text(of: StyledLine(line, .dimmed)))\n".utf8 }
    }
    answers = []
  }

  /// Prints what is complete so far.
  ///
  /// - Throws: ``Failure``.
  func write() throws(Failure) {
    do throws(Errno) {
      try FileWrite.writeAll(output, to: .standardOutput)
    } catch {
      throw Failure(outputGone: error)
    }
    output.removeAll(keepingCapacity: true)
  }

  /// Ends the last line, and prints it.
  ///
  /// - Throws: ``Failure``, and the errors of epoll_wait(2).
  func finish() throws {
    watch.finish()
    while watch.isWaiting { try loop.turn() }
    reader?.finish()
    output += (reader?.text ?? "").harmlessLine.utf8
    if isMidLine, !answers.isEmpty { output.append(UInt8(ascii: "\n")) }
    try appendAnswers()
    try write()
    while openChecks > 0 { try loop.turn() }
  }
}
