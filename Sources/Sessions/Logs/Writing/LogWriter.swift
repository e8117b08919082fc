import Glibc
import SystemPackage
import Time

/// The work of a log's thread: it takes records from the buffer, and writes them.
///
/// A failed write is retried until it succeeds; meanwhile the buffer fills. When the buffer is
/// closed, it is retried only once more, and the rest stays unwritten.
final class LogWriter {
  private static let retryInterval = Duration.milliseconds(200)
  /// The interval of checks whether the file still has its name.
  private static let lookInterval = Duration.seconds(1)
  /// The number of bytes that are written at once where records may be joined.
  private static let pieceSize = 65_536
  /// The number of bytes at once above which the line is busy. A serial line delivers fewer.
  private static let busyCount = 2_048
  /// The time for which bytes are collected while the line is busy, in microseconds.
  private static let busyPause: UInt32 = 4_000

  private let buffer: LogBuffer
  private let file: LogFile
  private let rotation: LogRotation
  private let isDivisible: Bool
  private var encoder: any LogEncoder
  private var decoder = RecordDecoder()
  private var output: [UInt8] = []
  /// The number of serial bytes that the encoder holds back, and that are not written yet.
  private var heldCount = 0
  private var lastLook = MonotonicTime.now
  /// The time of the next attempt to start a file after a failed one.
  private var nextAttempt = MonotonicTime(nanoseconds: .min)
  private var problem: LogProblem?
  private var header = Header()

  /// The header of the file.
  private struct Header {
    /// Whether it could not be written.
    var isMissing = false
    /// The header of a file that begins with the record that is being written: that record may
    /// change it for later files. Nil between two records.
    var beforeRecord: [UInt8]?
  }

  init(
    _ file: LogFile, _ encoder: any LogEncoder, isDivisible: Bool = false, rotation: LogRotation,
    from buffer: LogBuffer
  ) {
    self.buffer = buffer
    self.file = file
    self.rotation = rotation
    self.isDivisible = isDivisible
    self.encoder = encoder
  }

  /// Writes until the buffer is closed and empty, or nothing more can be written.
  func run() {
    defer { buffer.finish() }
    // If this fails, it is tried again with the first record.
    _ = continueFile()
    var batch = RecordBatch()
    while buffer.take(into: &batch, until: nextDeadline) {
      if isTimeUp { rotate() }
      lookForFile()
      guard isDivisible ? writeJoined(batch) : writeEach(batch) else { return }
      if batch.isEmpty && !writeHeld({ encoder.tick(at: .now, into: &output) }) { return }
      let isBusy = batch.byteCount > Self.busyCount
      batch.removeAll()
      // Waking a thread for every read would cost more than the writing.
      if isBusy { usleep(Self.busyPause) }
    }
    guard writeHeld({ encoder.flush(into: &output) }) else { return }
    endFile()
  }

  // MARK: Records

  // Each of the following methods returns whether everything was written.

  /// Writes records one by one. A record is never split between two files.
  private func writeEach(_ batch: RecordBatch) -> Bool {
    var isWritten = true
    batch.forEach { record in
      decoder.decode(record) { record in
        isWritten = putEncoded { encoder.encode(record, into: &output) }
      }
      if isWritten { didWrite(record.byteCount, freeing: record.size) }
      isWritten = isWritten && beginNeededFile()
      return isWritten
    }
    return isWritten
  }

  /// Starts the file that the encoder needs, with as many attempts as necessary.
  private func beginNeededFile() -> Bool {
    while encoder.needsNewFile {
      // The pause limits the attempts.
      nextAttempt = .now
      if rotate() {
        encoder.needsNewFile = false
      } else {
        guard buffer.pause(Self.lookInterval) else { return false }
      }
    }
    return true
  }

  /// Writes text that the encoder has held back and appends now.
  private func writeHeld(_ append: () -> Void) -> Bool {
    guard heldCount > 0 || encoder.deadline != nil else { return true }
    guard putEncoded(append) else { return false }
    didWrite(0, freeing: 0)
    return true
  }

  /// Records which bytes were written, and which are held back from now on.
  private func didWrite(_ count: Int, freeing size: Int) {
    let held = encoder.heldCount
    buffer.didWrite(count + heldCount - held, freeing: size)
    heldCount = held
  }

  /// Encodes a record, and writes it into one file.
  private func putEncoded(_ encode: () -> Void) -> Bool {
    if let change = file.change { follow(change) }
    header.beforeRecord = presentHeader
    defer { header.beforeRecord = nil }
    let before = encoder.dependsOnFile ? encoder : nil
    encodeForFile(encode)
    return putWhole(output) {
      // The file that has begun meanwhile has nothing that the record could continue.
      guard let before else { return nil }
      encoder = before
      var ending: [UInt8] = []
      encoder.end(into: &ending)
      output.removeAll(keepingCapacity: true)
      encode()
      return output
    }
  }

  /// Encodes a record for a file that has room for it. It starts the next file if necessary.
  private func encodeForFile(_ encode: () -> Void) {
    output.removeAll(keepingCapacity: true)
    guard rotation.size != nil else { return encode() }
    let before = encoder.dependsOnFile ? encoder : nil
    encode()
    guard file.hasRecords, rotation.room(after: file.size) < output.count else { return }
    guard let before else {
      rotate()
      return
    }
    // The end of the file depends on its contents. The record becomes the first one of
    // the next file.
    encoder = before
    rotate()
    output.removeAll(keepingCapacity: true)
    encode()
  }

  /// Writes the bytes of many records at once, without copying them.
  private func writeJoined(_ batch: RecordBatch) -> Bool {
    var size = batch.size
    var rest = batch.bytes[...]
    while !rest.isEmpty {
      let piece = rest.prefix(Self.pieceSize)
      guard putDivided(piece) else { return false }
      buffer.didWrite(0, freeing: piece.count)
      size -= piece.count
      rest = rest.dropFirst(piece.count)
    }
    buffer.didWrite(0, freeing: size)
    return true
  }

  /// Writes bytes that may be split anywhere, to as many files as necessary.
  private func putDivided(_ bytes: ArraySlice<UInt8>) -> Bool {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if let change = file.change { follow(change) }
      if rotation.room(after: file.size) == 0 { rotate() }
      // A file that could not be rotated may exceed its maximum size.
      let room = rotation.room(after: file.size)
      let end = room == 0 ? bytes.endIndex : index + min(room, bytes.endIndex - index)
      let outcome = put(bytes[index..<end]) {
        index += $0
        buffer.didWrite($0, freeing: 0)
      }
      switch outcome {
      case .written: break
      case .fileChanged: follow(file.change ?? .moved)
      case .unwritten: return false
      }
    }
    return true
  }

  /// Writes a record or a header into one file. An incomplete record is removed.
  ///
  /// - Parameter inNewFile: encodes the record for another file; nil if it is the same there.
  private func putWhole(
    _ bytes: [UInt8], isRecord: Bool = true, inNewFile: () -> [UInt8]? = { nil }
  ) -> Bool {
    var bytes = bytes
    while true {
      if isRecord, header.isMissing, !beginFile() { return false }
      var written = 0
      let outcome = put(bytes[...], isRecord: isRecord) { written += $0 }
      if outcome == .written { return true }
      if written > 0 { file.removeLast(written) }
      if outcome == .unwritten { return false }
      guard follow(file.change ?? .moved) else { continue }
      // A file that has begun has its header.
      if !isRecord { return !header.isMissing }
      bytes = inNewFile() ?? bytes
    }
  }

  private enum Outcome {
    case written
    /// Another program has changed the file: what was written may not be in it.
    case fileChanged
    /// The buffer was closed, and writing still fails.
    case unwritten
  }

  /// Writes all bytes, with as many attempts as necessary.
  private func put(
    _ bytes: ArraySlice<UInt8>, isRecord: Bool = true, onProgress: (Int) -> Void
  ) -> Outcome {
    var rest = bytes
    while !rest.isEmpty {
      do throws(Errno) {
        if hasNoFile { throw .noSuchFileOrDirectory }
        guard let count = try writeSome(rest, isRecord: isRecord) else { return .fileChanged }
        rest = rest.dropFirst(count)
        onProgress(count)
        if case .unwritable = problem { report(nil) }
      } catch {
        if !hasNoFile { report(.unwritable(error)) }
        guard buffer.pause(Self.retryInterval) else { return .unwritten }
        // A user makes room by removing, moving or emptying the file.
        if nextAttempt <= .now, isIncomplete || file.change != nil || file.isElsewhere {
          return .fileChanged
        }
      }
    }
    return .written
  }

  /// Whether the file was removed, and nothing has taken its place.
  private var isRemoved: Bool {
    if case .removed = problem { true } else { false }
  }

  /// Whether the file ends with an incomplete record, and nothing has taken its place.
  private var isIncomplete: Bool {
    if case .incomplete = problem { true } else { false }
  }

  /// Whether nothing is written until another file has begun.
  private var hasNoFile: Bool { isRemoved || isIncomplete }

  private func writeSome(_ bytes: ArraySlice<UInt8>, isRecord: Bool) throws(Errno) -> Int? {
    let result: Result<Int?, Errno> = bytes.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.write(bytes, isRecord: isRecord) }
    }
    return try result.get()
  }

  private func report(_ problem: LogProblem?) {
    self.problem = problem
    buffer.report(problem, at: file.place, file.changes)
  }

  // MARK: Files

  /// Writes the header of a file.
  ///
  /// - Parameter separator: what precedes it.
  /// - Returns: false if the buffer was closed, and writing still fails.
  private func beginFile(behind separator: [UInt8] = []) -> Bool {
    header.isMissing = false
    header.isMissing = !putWhole(separator + presentHeader, isRecord: false)
    return !header.isMissing
  }

  /// Writes the header of a file that may have contents: then the header is in the middle of it. An
  /// incomplete record at the end of the contents is separated from the next one.
  ///
  /// - Returns: false if the file has no header, or cannot be continued and nothing has taken its
  ///   place.
  private func continueFile() -> Bool {
    let continuation =
      file.size > 0 ? encoder.continuation(of: file.size, file.bytes) : .asItIs
    if continuation == .inNextFile {
      // Until this succeeds, nothing is written. The pause limits the attempts.
      nextAttempt = .now
      return rotate(isIncomplete: true) && !header.isMissing
    }
    // Another program has emptied it.
    if isIncomplete { report(nil) }
    return beginFile(behind: continuation == .behindLineEnd ? [UInt8(ascii: "\n")] : [])
  }

  /// The header of a file that begins now.
  private var presentHeader: [UInt8] {
    if let header = header.beforeRecord { return header }
    var header: [UInt8] = []
    encoder.begin(into: &header)
    return header
  }

  private func endFile() {
    var ending: [UInt8] = []
    encoder.end(into: &ending)
    // If the end of the last line is missing, no data are lost.
    if !ending.isEmpty, file.change == nil { _ = try? writeSome(ending[...], isRecord: true) }
  }

  /// Starts the next file if possible; otherwise continues with this one.
  ///
  /// - Returns: whether the file has begun.
  private func begin(
    orReport problem: (LogFileError) -> LogProblem, _ next: () throws(LogFileError) -> Void
  ) -> Bool {
    guard nextAttempt <= .now else { return false }
    endFile()
    do throws(LogFileError) {
      try next()
    } catch {
      nextAttempt = .now + Self.lookInterval
      let problem: LogProblem =
        file.change == .removed
        ? .removed(error) : isIncomplete ? .incomplete(error) : problem(error)
      // That nothing can be written is worse than where.
      if case (.unwritable?, .moved) = (self.problem, problem) {} else { report(problem) }
      return false
    }
    report(nil)
    _ = continueFile()
    return true
  }

  /// - Parameter isIncomplete: whether the file cannot be continued, because its last record is
  ///   incomplete.
  @discardableResult
  private func rotate(isIncomplete: Bool = false) -> Bool {
    let isIncomplete = isIncomplete || self.isIncomplete
    let problem = isIncomplete ? LogProblem.incomplete : LogProblem.notRotated
    return begin(orReport: problem) { () throws(LogFileError) in
      try file.rotate(keeping: rotation.keep, isIncomplete: isIncomplete)
    }
  }

  /// Goes on after another program has changed the file.
  ///
  /// - Returns: whether a file has begun.
  @discardableResult
  private func follow(_ change: LogFile.Change) -> Bool {
    guard change == .shortened else {
      if isIncomplete, change == .moved, !file.isElsewhere { return continueFile() }
      // What is written to a removed file is lost, so that this does not wait.
      if change == .removed, !isRemoved { nextAttempt = .now }
      return begin(orReport: LogProblem.moved) { () throws(LogFileError) in try file.reopen() }
    }
    // An open line does not go on in what is left.
    var ending: [UInt8] = []
    encoder.end(into: &ending)
    file.acceptLength()
    report(problem)
    return continueFile()
  }

  /// Starts a new file with the name if another program has renamed or removed the file.
  private func lookForFile() {
    let now = MonotonicTime.now
    guard now - lastLook >= Self.lookInterval else { return }
    lastLook = now
    if file.isElsewhere {
      follow(file.change ?? .moved)
    } else if case .moved = problem {
      report(nil)
    }
  }

  // MARK: Time

  /// The time at which the file is rotated. A file without records is not rotated.
  private var nextRotation: MonotonicTime? {
    guard file.hasRecords, let interval = rotation.interval else { return nil }
    return max(file.start + interval, nextAttempt)
  }

  /// The time of the next action that does not depend on a record.
  private var nextDeadline: MonotonicTime? {
    [nextRotation, encoder.deadline].compactMap { $0 }.min()
  }

  private var isTimeUp: Bool { nextRotation.map { $0 <= .now } ?? false }
}
