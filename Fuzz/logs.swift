import Encodings
import Framing
import Glibc
import Posix
import SystemPackage
import TextStages
import Time

/// Logs of any bytes are read without a trap; what comes out is bounded by what went in, and does not depend on how a pipe is
/// cut. A log in a format with records, as it is written here, gives back every byte.
///
/// The lowest bits of the first byte choose what is read: the bytes themselves, or a log of them in one of the formats, with the
/// changes that the second byte chooses. The rest of the first byte is for the log's options.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzLogs(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
  let input = Array(UnsafeBufferPointer(start: start, count: count))
  guard input.count > 2 else { return 0 }
  let body = input[2...]
  let formats = LogFormat.allCases
  let choice = Int(input[0] & 7)
  guard formats.indices.contains(choice) else {
    check(Array(body), changes: 0)
    return 0
  }
  let format = formats[choice]
  let log = WrittenLog(of: body, format, options: input[0] >> 3)
  if format.hasRecords { log.checkThatItComesBack() }
  check(log.bytes, changes: input[1])
  return 0
}

/// Reads a file with some bytes that differ.
private func check(_ log: [UInt8], changes: UInt8) {
  var log = log
  for change in 0..<Int(changes % 4) where !log.isEmpty {
    log[(Int(changes) * 7919 + change * 104_729) % log.count] ^= 1 << (changes >> 5)
  }
  let whole = Reading(file: log)
  whole.check(log)
  if let format = LogFormat(ofRecordsIn: log[...]) {
    precondition(LogFormat(ofLog: log[...]) == format, "one function answers all")
    let pieces = Reading(pipe: log, inPiecesOf: Int(changes >> 2) + 1)
    precondition(pieces.entries == whole.entries, "the entries depend on how the log is cut")
    precondition(pieces.error == whole.error && pieces.ports == whole.ports)
  }
}

/// The result of reading a log.
private struct Reading {
  private(set) var entries: [LogEntry] = []
  private(set) var error: LogReadingError?
  private(set) var ports: [String] = []

  init(file log: [UInt8]) {
    precondition(ftruncate(file.rawValue, 0) == 0)
    log.withUnsafeBytes {
      precondition(pwrite(file.rawValue, $0.baseAddress, $0.count, 0) == log.count)
    }
    read(reader(of: file)) { preconditionFailure("a file is not waited for") }
  }

  init(pipe log: [UInt8], inPiecesOf length: Int) {
    guard let pipe = try? FileDescriptor.pipe() else { fatalError("no pipe") }
    var rest = log[...]
    var isOpen = true
    read(reader(of: pipe.readEnd)) {
      precondition(isOpen, "the end of a pipe is not waited for")
      let piece = Array(rest.prefix(length))
      rest = rest.dropFirst(length)
      if !piece.isEmpty { _ = try? pipe.writeEnd.writeAll(piece) }
      if rest.isEmpty {
        _ = try? pipe.writeEnd.close()
        isOpen = false
      }
    }
    if isOpen { _ = try? pipe.writeEnd.close() }
    _ = try? pipe.readEnd.close()
  }

  /// Reads to the end or an error.
  ///
  /// - Parameter more: gives the log more bytes, because it has none.
  private mutating func read(_ reader: LogReader, more: () -> Void) {
    do throws(LogReadingError) {
      reading: while true {
        switch try reader.next() {
        case .entry(let entry): entries.append(entry)
        case .waiting: more()
        case .end: break reading
        }
      }
    } catch {
      self.error = error
    }
    ports = reader.ports
  }

  /// The bounds of what came out of a log.
  func check(_ log: [UInt8]) {
    precondition(entries.count <= log.count)
    // A line of text has its end again, which may have been shorter or missing.
    let size = entries.reduce(0) { $0 + $1.bytes.count }
    precondition(size <= 2 * log.count + 2, "more bytes than the log has")
    precondition(ports.count <= log.count)
    precondition(Set(ports).count == ports.count, "each port once")
    for entry in entries { precondition(entry.port.map(ports.contains) ?? true) }
    guard let error else { return }
    switch error.place {
    case .line(let line): precondition(1...(log.count { $0 == 10 } + 1) ~= line)
    case .offset(let offset): precondition(0...log.count ~= offset)
    case nil: precondition(entries.isEmpty, "an error has its place")
    }
  }
}

/// A log of two directions, with what it was made of.
private struct WrittenLog {
  private(set) var bytes: [UInt8] = []
  private var written: [LogEntry] = []
  private let isOfPorts: Bool

  /// - Parameters:
  ///   - input: parts of a byte for the kind, a byte for the length, and so many bytes.
  ///   - options: bits.
  init(of input: ArraySlice<UInt8>, _ format: LogFormat, options: UInt8) {
    isOfPorts = options & 1 != 0 && format.namesPorts
    let form = options & 2 != 0 ? try? ChosenFrameForm(parsing: "nmea") : nil
    var encoder = format.encoder(marksDirection: true, namesPorts: isOfPorts, frameForm: form)
    encoder.begin(into: &bytes)
    let names = ["one", "two \"\n"]
    if isOfPorts {
      for name in names { encode(.port(LogPort(name, at: "/dev/\(name)")), 0, by: &encoder) }
    }
    var (rest, time) = (input, 1_795_242_660_000_000_000 as UInt64)
    while let kind = rest.popFirst(), let length = rest.popFirst() {
      let part = Array(rest.prefix(Int(length % 32)))
      rest = rest.dropFirst(part.count)
      time += UInt64(kind) * 1_000_000
      let port = isOfPorts ? Int(kind >> 7) : 0
      switch kind % 8 {
      case 6: encode(.gap(Int(length)), time, of: port, by: &encoder)
      case 7:
        let text = String(decoding: part, as: UTF8.self)
        encode(.event(LogEvent(.mark, at: text, .mark(1, text))), time, of: port, by: &encoder)
      default:
        // As in a session, no read is empty.
        guard !part.isEmpty else { continue }
        let direction = kind & 1 == 0 ? Direction.fromDevice : .toDevice
        part.withUnsafeBytes {
          encode(
            .bytes(direction, $0, by: kind & 4 == 0 ? nil : "max"), time, of: port, by: &encoder)
        }
        written.append(
          LogEntry(
            time: time, port: isOfPorts ? names[port] : nil, direction: direction, bytes: part))
      }
    }
    encoder.flush(into: &bytes)
    encoder.end(into: &bytes)
  }

  private mutating func encode(
    _ content: LogRecord.Content, _ time: UInt64, of port: Int = 0, by encoder: inout any LogEncoder
  ) {
    let moment = Moment(wallClock: time, monotonic: time)
    encoder.encode(LogRecord(moment: moment, port: port, content: content), into: &bytes)
  }

  /// Every byte comes back with its direction and its port, in the order of each.
  func checkThatItComesBack() {
    let reading = Reading(file: bytes)
    precondition(reading.error == nil, "\(reading.error!)")
    for direction in Direction.allCases {
      for port in Set((written + reading.entries).map(\.port)) {
        func bytes(of entries: [LogEntry]) -> [UInt8] {
          entries.filter { $0.direction == direction && $0.port == port }.flatMap(\.bytes)
        }
        precondition(bytes(of: reading.entries) == bytes(of: written), "\(direction) \(port ?? "")")
      }
    }
    let times = Set(reading.entries.map(\.time))
    precondition(times.isSubset(of: Set(written.map(\.time))), "a time that no byte has")
  }
}

/// The file that is read; it has no name, and lasts for all cases.
private let file: FileDescriptor = {
  let path = "/tmp/serialterm-fuzz-\(getpid()).log"
  let descriptor = FileDescriptor(rawValue: open(path, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0o600))
  precondition(descriptor.rawValue >= 0)
  unlink(path)
  return descriptor
}()

private func reader(of descriptor: FileDescriptor) -> LogReader {
  do throws(LogReadingError) {
    return try LogReader(FilePath("/proc/self/fd/\(descriptor.rawValue)"))
  } catch { fatalError("\(error)") }
}
