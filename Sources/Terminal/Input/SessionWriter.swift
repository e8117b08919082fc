package import Encodings
import EventLoop
import SerialCore
package import TextStages

/// Writes for a shared session, and is notified of bytes that are accepted or refused.
package protocol SessionWriterDelegate: AnyObject {
  /// Writes bytes to a session that others write to as well; see ``SessionWriter/isShared``.
  ///
  /// - Returns: whether they were accepted, all of them or none.
  func writer(_ writer: SessionWriter, writeShared bytes: UnsafeRawBufferPointer) -> Bool

  /// Typed bytes were accepted. They are in the form in which they were typed.
  func writer(_ writer: SessionWriter, didAccept bytes: UnsafeRawBufferPointer)

  /// Bytes were written to the session. They are in the form in which they are sent.
  func writer(_ writer: SessionWriter, didWrite bytes: UnsafeRawBufferPointer)

  /// A typed character is not sent, because the encoding of the device does not have it.
  func writer(_ writer: SessionWriter, didRefuse character: UnencodableText)

  /// Typed bytes are not sent.
  ///
  /// - Parameter count: their number.
  func writer(_ writer: SessionWriter, didRefuse count: Int)
}

/// Sends to the session what a user types, or what a pipe contains, in the form that the device
/// expects. Each piece is queued as a whole or refused.
package final class SessionWriter {
  package weak var delegate: (any SessionWriterDelegate)?
  /// The session that gets the bytes. No byte for one device is sent to another one: a byte that
  /// waits is refused when this changes.
  var session: Session {
    willSet { if newValue !== session { refuseWaiting() } }
  }
  /// Whether all bytes are refused.
  var isRefusing: Bool
  /// Whether others write to the session as well. The delegate writes then.
  package var isShared = false

  /// The character maps for sent bytes.
  package var mapList: MapList {
    get { form.mapList }
    set {
      guard newValue != form.mapList else { return }
      flush()
      form.mapList = newValue
    }
  }

  /// The encoding of the device. What a program sends is not converted.
  package var encoding: Encoding {
    get { form.encoding }
    set {
      guard isTerminal, newValue != form.encoding else { return }
      flush()
      form.encoding = newValue
    }
  }

  /// The bytes to send for Enter, which a terminal sends as CR. The map applies to them.
  package var lineEnding: LineEnding {
    get { form.lineEnding }
    set { form.lineEnding = newValue }
  }

  /// Whether a user types.
  let isTerminal: Bool
  private let author: Author
  private let loop: IOLoop
  private var form: SentForm
  /// Sends the byte that waits in the map.
  private var mapTimer: LoopTimer?

  /// The time that a map waits for the second byte of a typed pair. A terminal sends both at once.
  private static let mapPause = Duration.milliseconds(50)

  /// The user or the pipe becomes the owner of the session.
  ///
  /// - Parameter isTerminal: whether a user types.
  init(to session: Session, isTerminal: Bool, isRefusing: Bool, on loop: IOLoop) {
    (self.session, self.isTerminal, self.isRefusing) = (session, isTerminal, isRefusing)
    self.loop = loop
    form = SentForm(endsLines: isTerminal)
    author = isTerminal ? .keyboard : .pipe
    session.owner = author
  }

  /// The maximum number of bytes that are sent for one.
  var growth: Int { form.growth }

  /// Passes bytes to the session, all of them or none.
  func send(_ bytes: UnsafeRawBufferPointer) {
    if !isRefusing, queue(bytes) {
      delegate?.writer(self, didAccept: bytes)
    } else {
      delegate?.writer(self, didRefuse: bytes.count)
    }
  }

  package func send(_ bytes: [UInt8]) { bytes.withUnsafeBytes { send($0) } }

  /// Passes text to the session that was not typed, such as a snippet. A CR in it is not replaced
  /// by the line ending of Enter. Bytes that are not UTF-8 are not converted.
  ///
  /// - Parameter suffix: returns what follows the bytes that are sent, such as their checksum.
  /// - Returns: whether it was passed, all of it or nothing.
  /// - Throws: ``UnencodableText``. Nothing is passed then.
  package func send(
    text bytes: [UInt8], followedBy suffix: ([UInt8]) -> [UInt8] = { _ in [] }
  ) throws(UnencodableText) -> Bool {
    flush()
    let encoded = try form.encoded(bytes)
    return send(exactly: bytes, as: encoded + suffix(encoded))
  }

  /// Passes bytes to the session that are neither mapped nor converted.
  ///
  /// - Returns: whether they were passed, all of them or none.
  package func send(exactly bytes: [UInt8]) -> Bool {
    flush()
    return send(exactly: bytes, as: bytes)
  }

  private func send(exactly bytes: [UInt8], as sent: [UInt8]) -> Bool {
    guard !isRefusing, sent.withUnsafeBytes({ $0.isEmpty || write($0) }) else { return false }
    bytes.withUnsafeBytes { delegate?.writer(self, didAccept: $0) }
    return true
  }

  /// - Returns: whether there was room for all of them.
  private func queue(_ bytes: UnsafeRawBufferPointer) -> Bool {
    guard let ended = form.ended(bytes) else { return map(bytes) }
    return ended.withUnsafeBytes { map($0) }
  }

  private func map(_ bytes: UnsafeRawBufferPointer) -> Bool {
    if form.mapsBytes {
      let mapped = form.map(bytes)
      reportRefusals()
      mapTimer = form.isWaiting && isTerminal ? scheduleFlush() : nil
      if let mapped { return write(mapped: mapped) }
    }
    return write(bytes)
  }

  private func write(mapped: [UInt8]) -> Bool {
    mapped.withUnsafeBytes { $0.isEmpty || write($0) }
  }

  private func write(_ bytes: UnsafeRawBufferPointer) -> Bool {
    let isAccepted =
      isShared
      ? delegate?.writer(self, writeShared: bytes) ?? false
      : (try? session.write(bytes.bytes, by: author)) != nil
    guard isAccepted else { return false }
    delegate?.writer(self, didWrite: bytes)
    return true
  }

  /// Schedules the end of the map's wait. A user who types Enter types no second byte; the next
  /// bytes of a pipe may come later.
  private func scheduleFlush() -> LoopTimer? {
    loop.schedule(after: Self.mapPause) { [unowned self] in flush() }
  }

  /// Sends a byte that waits for a second one, which may never come.
  func flush() {
    mapTimer = nil
    let bytes = form.flush()
    reportRefusals()
    if isRefusing || !write(mapped: bytes) { refuse(bytes) }
  }

  private func refuseWaiting() {
    mapTimer = nil
    refuse(form.flush())
  }

  private func refuse(_ bytes: [UInt8]) {
    if !bytes.isEmpty { delegate?.writer(self, didRefuse: bytes.count) }
  }

  private func reportRefusals() {
    for character in form.takeRefusals() { delegate?.writer(self, didRefuse: character) }
  }
}
