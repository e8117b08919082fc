import Glibc
import Posix
import SystemPackage

/// What runs on a log's thread: takes records from the buffer, and writes them.
///
/// What cannot be written is tried again until it can; meanwhile the buffer fills. When the buffer is
/// closed it is tried once more, and what is left then stays unwritten.
final class LogWriter {
  private static let retryInterval = Duration.milliseconds(200)
  /// How often it is looked whether the file still has its name.
  private static let lookInterval = Duration.seconds(1)
  /// How many bytes are written at once where records need not be kept apart.
  private static let pieceSize = 65_536
  /// How many bytes at once mean that the line is busy: more than a serial line brings at once.
  private static let busyCount = 2_048
  /// How long the next bytes are collected while it is, in microseconds.
  private static let busyPause: UInt32 = 4_000

  private let buffer: LogBuffer
  private let file: LogFile
  private let rotation: LogRotation
  private let isDivisible: Bool
  private var encoder: any LogEncoder
  private var output: [UInt8] = []
  private var lastLook = MonotonicTime.now
  /// When the next file may be tried to be begun, after that failed.
  private var nextAttempt = MonotonicTime(nanoseconds: .min)
  private var problem: LogProblem?

  init(
    _ file: LogFile, format: LogFormat, marksDirection: Bool, rotation: LogRotation,
    from buffer: LogBuffer
  ) {
    self.buffer = buffer
    self.file = file
    self.rotation = rotation
    isDivisible = format.isDivisible
    encoder = format.encoder(marksDirection: marksDirection)
  }

  /// Writes until the buffer is closed and empty, or nothing more can be written.
  func run() {
    defer { buffer.finish() }
    guard beginFile() else { return }
    var batch = RecordBatch()
    while buffer.take(into: &batch, until: nextRotation) {
      if isTimeUp { rotate() }
      lookForFile()
      guard isDivisible ? writeJoined(batch) : writeEach(batch) else { return }
      let isBusy = batch.byteCount > Self.busyCount
      batch.removeAll()
      // A thread that is woken for every read takes more time than the writing.
      if isBusy { usleep(Self.busyPause) }
    }
    endFile()
  }

  // MARK: Records

  // Each of the following returns whether all is written, to its end.

  /// Writes records one by one, each into one file.
  private func writeEach(_ batch: RecordBatch) -> Bool {
    var isWritten = true
    batch.forEach { record in
      encodeForFile(record)
      isWritten = putWhole(output)
      if isWritten { buffer.didWrite(record.byteCount, freeing: record.size) }
      return isWritten
    }
    return isWritten
  }

  /// Encodes a record for the file that has room for it: the next one is begun if need be.
  private func encodeForFile(_ record: LogRecord) {
    guard rotation.size != nil else { return encode(record) }
    let before = encoder
    encode(record)
    guard file.hasRecords, rotation.room(after: file.size) < output.count else { return }
    // A file is ended as what stands in it wants it, and the record begins the next as if it were
    // the first.
    encoder = before
    rotate()
    encode(record)
  }

  private func encode(_ record: LogRecord) {
    output.removeAll(keepingCapacity: true)
    encoder.encode(record, into: &output)
  }

  /// Writes the bytes of many records at once, from where they lie.
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

  /// Writes bytes that each count on their own, over as many files as they take.
  private func putDivided(_ bytes: ArraySlice<UInt8>) -> Bool {
    var index = bytes.startIndex
    while index < bytes.endIndex {
      if rotation.room(after: file.size) == 0 { rotate() }
      // In a file that could not be turned over there is room all the same.
      let room = rotation.room(after: file.size)
      let end = room == 0 ? bytes.endIndex : index + min(room, bytes.endIndex - index)
      guard put(bytes[index..<end], onProgress: { buffer.didWrite($0, freeing: 0) }) else {
        return false
      }
      index = end
    }
    return true
  }

  /// Writes a record into one file; half a record is taken back.
  private func putWhole(_ bytes: [UInt8]) -> Bool {
    var written = 0
    let isWritten = put(bytes[...], onProgress: { written += $0 })
    if !isWritten && written > 0 { file.takeBack(written) }
    return isWritten
  }

  /// Writes bytes to their end, however often that must be tried.
  ///
  /// - Returns: false when the buffer was closed meanwhile, and it still cannot be done.
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
    buffer.report(path: file.path, problem: problem)
  }

  // MARK: Files

  /// Writes what a file begins with. One that is added to has it somewhere in the middle.
  private func beginFile() -> Bool {
    var beginning: [UInt8] = []
    encoder.begin(into: &beginning)
    return put(beginning[...], isRecord: false)
  }

  private func endFile() {
    var ending: [UInt8] = []
    encoder.end(into: &ending)
    // A line that is not ended is no loss.
    if !ending.isEmpty { _ = try? writeSome(ending[...], isRecord: true) }
  }

  /// Begins the next file, if that can be done; otherwise this one goes on.
  private func begin(_ next: () throws(LogFileError) -> Void) {
    guard nextAttempt <= .now else { return }
    endFile()
    do throws(LogFileError) {
      try next()
    } catch {
      nextAttempt = .now + Self.lookInterval
      return report(.notRotated(error))
    }
    report(nil)
    _ = beginFile()
  }

  private func rotate() {
    begin { () throws(LogFileError) in try file.rotate(keeping: rotation.keep) }
  }

  /// Follows the name when somebody has taken the file away from it.
  private func lookForFile() {
    let now = MonotonicTime.now
    guard now - lastLook >= Self.lookInterval else { return }
    lastLook = now
    if file.isElsewhere { begin { () throws(LogFileError) in try file.reopen() } }
  }

  // MARK: Time

  /// When the file's time is up; a file without records stays.
  private var nextRotation: MonotonicTime? {
    guard file.hasRecords, let interval = rotation.interval else { return nil }
    return max(file.start + interval, nextAttempt)
  }

  private var isTimeUp: Bool { nextRotation.map { $0 <= .now } ?? false }
}
