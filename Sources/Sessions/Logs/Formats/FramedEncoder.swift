import Framing
import TextStages
import Time

/// Writes one record for each frame, in place of one for each read, in any format with records.
///
/// The bytes of each port and direction are divided into frames. A frame has the time of its first
/// byte. What belongs to an unfinished frame is held back until the frame ends, the line was
/// silent, the port was lost or released, or the log ends.
struct FramedEncoder: LogEncoder {
  /// The time added to the silence that ends a frame. What was read in time may be written late,
  /// because this runs on the log's thread; its own time then decides.
  private static let slack = Duration.milliseconds(100)

  private var encoder: any LogEncoder
  private let form: ChosenFrameForm
  private let knowsDirection: Bool
  private let asLines: Bool
  private var ports: [Int: Port] = [:]
  private var frames: [Frame] = []

  private struct Port {
    var line: LineFrames
    /// The name of the client that sent last.
    var client: String?
  }

  /// - Parameters:
  ///   - encoder: writes the records of frames.
  ///   - knowsDirection: whether the records have both directions; otherwise what is received may
  ///     be both sides of a bus.
  ///   - asLines: whether a frame is a line of text; otherwise its bytes, with what is known.
  init(
    _ encoder: any LogEncoder, _ form: ChosenFrameForm, knowsDirection: Bool, asLines: Bool
  ) {
    (self.encoder, self.form) = (encoder, form)
    (self.knowsDirection, self.asLines) = (knowsDirection, asLines)
  }

  mutating func begin(into output: inout [UInt8]) { encoder.begin(into: &output) }
  mutating func end(into output: inout [UInt8]) { encoder.end(into: &output) }

  func continuation(of size: Int, _ read: (Range<Int>) -> [UInt8]?) -> LogContinuation {
    encoder.continuation(of: size, read)
  }

  var dependsOnFile: Bool { encoder.dependsOnFile }
  var needsNewFile: Bool {
    get { encoder.needsNewFile }
    set { encoder.needsNewFile = newValue }
  }

  mutating func encode(_ record: LogRecord, into output: inout [UInt8]) {
    guard case .bytes(let direction, let bytes, let client) = record.content else {
      // What was held back came before the event.
      if record.endsFrames { endFrames(of: record.port, into: &output) }
      return encoder.encode(record, into: &output)
    }
    var port =
      ports[record.port] ?? Port(line: LineFrames(form, knowsDirection: knowsDirection))
    if direction == .toDevice { port.client = client }
    port.line.receive(bytes, direction, at: record.moment, into: &frames)
    ports[record.port] = port
    write(of: record.port, into: &output)
  }

  private mutating func endFrames(of number: Int, into output: inout [UInt8]) {
    ports[number]?.line.end(into: &frames)
    write(of: number, into: &output)
  }

  private mutating func write(of port: Int, into output: inout [UInt8]) {
    for frame in frames {
      let direction = frame.direction ?? .fromDevice
      let bytes = asLines ? Array("\(frame.text(isText: form.isText))\n".utf8) : frame.bytes
      bytes.withUnsafeBytes {
        var record = LogRecord(
          moment: frame.moment, port: port,
          content: .bytes(
            // The line has an arrow already.
            asLines ? .fromDevice : direction, $0,
            by: direction == .toDevice ? ports[port]?.client : nil))
        if !asLines { record.frame = frame.decoded }
        encoder.encode(record, into: &output)
      }
    }
    frames.removeAll(keepingCapacity: true)
  }

  // MARK: Held-back bytes

  var heldCount: Int {
    ports.values.reduce(encoder.heldCount) { $0 + $1.line.waitingCount }
  }

  var deadline: MonotonicTime? {
    let deadlines = ports.values.compactMap { $0.line.deadline.map { $0 + Self.slack } }
    return (deadlines + [encoder.deadline].compactMap { $0 }).min()
  }

  mutating func tick(at now: MonotonicTime, into output: inout [UInt8]) {
    for number in ports.keys.sorted() {
      ports[number]?.line.tick(at: now, slack: Self.slack, into: &frames)
      write(of: number, into: &output)
    }
    encoder.tick(at: now, into: &output)
  }

  mutating func flush(into output: inout [UInt8]) {
    for number in ports.keys.sorted() { endFrames(of: number, into: &output) }
    encoder.flush(into: &output)
  }
}

extension LogRecord {
  /// Whether no frame continues after this record: bytes are missing, another program may have
  /// read them, or the times before it are those of another clock.
  fileprivate var endsFrames: Bool {
    switch content {
    case .gap: true
    case .event(let event): [.lost, .released, .clock].contains(event.kind)
    case .bytes, .port: false
    }
  }
}
