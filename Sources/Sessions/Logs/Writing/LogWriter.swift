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
    guard beginFile() else { return }
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
        encodeForFile { encoder.encode(record, into: &output) }
      }
      isWritten = putWhole(output)
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
    encodeForFile(append)
    guard putWhole(output) else { return false }
    didWrite(0, freeing: 0)
    return true
  }

  /// Records which bytes were written, and which are held back from now on.
  private func didWrite(_ count: Int, freeing size: Int) {
    let held = encoder.heldCount
    buffer.didWrite(count + heldCount - held, freeing: size)
    heldCount = held
  }

  /// Encodes a record for a file that has room for it. It starts the next file if necessary.
  private func encodeForFile(_ encode: () -> Void) {
    output.removeAll(keepingCapacity: true)
    guard rotation.size != nil else { return encode() }
    var isTooLong: Bool { file.hasRecords && rotation.room(after: file.size) < output.count }
    guard encoder.dependsOnFile else {
      // The record may change the header of later files.
      let header = header
      encode()
      if isTooLong { rotate(header: header) }
      return
    }
    let before = encoder
    encode()
    guard isTooLong else { return }
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
      if rotation.room(after: file.size) == 0 { rotate() }
      // A file that could not be rotated may exceed its maximum size.
      let room = rotation.room(after: file.size)
      let end = room == 0 ? bytes.endIndex : index + min(room, bytes.endIndex - index)
      guard put(bytes[index..<end], onProgress: { buffer.didWrite($0, freeing: 0) }) else {
        return false
      }
      index = end
    }
    return true
  }

  /// Writes a record into one file. An incomplete record is removed.
  private func putWhole(_ bytes: [UInt8]) -> Bool {
    var written = 0
    let isWritten = put(bytes[...], onProgress: { written += $0 })
    if !isWritten && written > 0 { file.removeLast(written) }
    return isWritten
  }

  /// Writes all bytes, with as many attempts as necessary.
  ///
  /// - Returns: false if the buffer was closed, and writing still fails.
  private func put(
    _ bytes: ArraySlice<UInt8>, isRecord: Bool = true, onProgress: (Int) -> Void = { _ in }
  ) -> Bool {
    var rest = bytes
    while !rest.isEmpty {
      do throws(Errno) {
        let count = try writeSome(rest, isRecord: isRecord)
        rest = rest.dropFirst(count)
        onProgress(count)
        if case .unwritable = problem { report(nil) }
      } catch {
        report(.unwritable(error))
        guard buffer.pause(Self.retryInterval) else { return false }
      }
    }
    return true
  }

  private func writeSome(_ bytes: ArraySlice<UInt8>, isRecord: Bool) throws(Errno) -> Int {
    let result: Result<Int, Errno> = bytes.withUnsafeBytes { bytes in
      Result { () throws(Errno) in try file.write(bytes, isRecord: isRecord) }
    }
    return try result.get()
  }

  private func report(_ problem: LogProblem?) {
    self.problem = problem
    buffer.report(LogBuffer.Progress(place: file.place, problem: problem))
  }

  // MARK: Files

  /// Writes the header of a file. If the file is appended to, the header is in the middle of it.
  ///
  /// - Parameter header: the header; nil for the present one.
  private func beginFile(header: [UInt8]? = nil) -> Bool {
    put((header ?? self.header)[...], isRecord: false)
  }

  private var header: [UInt8] {
    var header: [UInt8] = []
    encoder.begin(into: &header)
    return header
  }

  private func endFile() {
    var ending: [UInt8] = []
    encoder.end(into: &ending)
    // If the end of the last line is missing, no data are lost.
    if !ending.isEmpty { _ = try? writeSome(ending[...], isRecord: true) }
  }

  /// Starts the next file if possible; otherwise continues with this one.
  ///
  /// - Parameter header: its header; nil for the present one.
  /// - Returns: whether the file has begun.
  @discardableResult
  private func begin(
    header: [UInt8]? = nil, _ next: () throws(LogFileError) -> Void
  ) -> Bool {
    guard nextAttempt <= .now else { return false }
    endFile()
    do throws(LogFileError) {
      try next()
    } catch {
      nextAttempt = .now + Self.lookInterval
      report(.notRotated(error))
      return false
    }
    report(nil)
    _ = beginFile(header: header)
    return true
  }

  @discardableResult
  private func rotate(header: [UInt8]? = nil) -> Bool {
    begin(header: header) { () throws(LogFileError) in try file.rotate(keeping: rotation.keep) }
  }

  /// Starts a new file with the name if another program has renamed or removed the file.
  private func lookForFile() {
    let now = MonotonicTime.now
    guard now - lastLook >= Self.lookInterval else { return }
    lastLook = now
    if file.isElsewhere { begin { () throws(LogFileError) in try file.reopen() } }
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
