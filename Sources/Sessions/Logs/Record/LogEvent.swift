public import Encodings
import TextTools
import Time

/// An event of a session, other than bytes, in a log.
public struct LogEvent: Hashable, Sendable {
  /// What happened.
  public let kind: Kind
  /// The port.
  public let path: String
  /// Details of the event.
  public let detail: Detail?

  /// The kinds of events. Logs contain the raw values.
  public enum Kind: String, Hashable, Sendable, CaseIterable {
    /// The port was opened, or was already open when the log started.
    case opened
    /// The line settings changed.
    case settings
    /// The device disappeared.
    case lost
    /// The device returned, and its port was opened.
    case back
    /// The port was released for another program.
    case released
    /// Modem lines changed.
    case lines
    /// The driver counted errors or breaks.
    case errors
    /// The user marked this moment.
    case mark
    /// A member joined the session, or was already there when the log started.
    case joined
    /// A member left the session.
    case left
    /// A member of the session has another name now: a client has identified itself.
    case renamed
    /// The pen (the right to write to the device) moved; or somebody had it when the log started.
    case pen
    /// A member discarded bytes of its own that were not sent.
    case discarded
    /// The device's text has this encoding from now on.
    case encoding
    /// The functions and source lines of an address in a line of the device.
    case symbols
    /// The wall clock was set. It concerns the whole log, and has no path.
    case clock
  }

  /// How the pen moved. Logs contain the raw values.
  public enum Handover: String, Hashable, Sendable, CaseIterable {
    /// It was free before.
    case taken
    /// Its holder gave it away.
    case given
    /// It was taken without asking.
    case forced
    /// Its holder left.
    case inherited
    /// It did not move: this is its holder when the log started.
    case held
  }

  /// The details of an event, as text.
  public enum Detail: Hashable, Sendable {
    /// The line settings, if the port is open.
    case settings(String)
    /// The asserted modem lines.
    case lines(old: String, new: String)
    /// The number of errors of each kind since the last event of this kind.
    case errors([ErrorCount])
    /// The number of the mark in its session, and its text; nil for none.
    case mark(Int, String?)
    /// The name of a member of the session.
    case name(String)
    /// The names of a member of the session.
    case names(old: String, new: String)
    /// The previous and the present holder of the pen; nil for nobody. Indirect, because a larger
    /// detail would make every record larger.
    indirect case pen(from: String?, to: String?, Handover)
    /// The encoding of the device's text, in both directions. Indirect for the same reason.
    indirect case encoding(Encoding)
    /// A number of bytes, and the name of the member who wrote them.
    case bytes(Int, by: String)
    /// An address as text, and its frames, the innermost one first. Indirect for the same reason.
    indirect case symbols(address: String, [Frame])
    /// The time of the wall clock in nanoseconds since 1970, before and after it was set. Indirect
    /// for the same reason.
    indirect case clock(old: UInt64, new: UInt64)
  }

  /// A function and a place in its source.
  public struct Frame: Hashable, Sendable {
    /// The name of the function.
    public let function: String
    /// `file:line`; nil if it is not known.
    public let place: String?

    /// Creates a frame.
    public init(_ function: String, at place: String?) {
      self.function = function
      self.place = place
    }
  }

  /// A number of errors of one kind.
  public struct ErrorCount: Hashable, Sendable {
    /// The kind: one word.
    public let name: String
    /// The number.
    public let count: Int

    /// Creates a count.
    public init(_ name: String, _ count: Int) {
      self.name = name
      self.count = count
    }
  }

  /// Creates an event.
  public init(_ kind: Kind, at path: String, _ detail: Detail? = nil) {
    self.kind = kind
    self.path = path
    self.detail = detail
  }
}

extension LogEvent: CustomStringConvertible {
  /// The event as text: `opened /dev/ttyUSB0 at 115200 8N1`. A mark belongs to the user, not to the
  /// port: `mark 3: reset`; an address belongs to the line before, and the clock to the computer.
  public var description: String {
    ([.mark, .symbols, .clock].contains(kind) ? kind.rawValue : "\(kind.rawValue) \(path)")
      + (detail.map(Self.words) ?? "")
  }

  private static func words(for detail: Detail) -> String {
    switch detail {
    case .settings(let settings): " at \(settings)"
    case .lines(let old, let new): ": \(new), before: \(old)"
    case .errors(let counts):
      ": " + counts.map { "\($0.count) \($0.name)" }.joined(separator: ", ")
    case .mark(let number, let text): " \(number)" + (text.map { ": \($0)" } ?? "")
    case .name(let name): ": \(name)"
    case .encoding(let encoding): ": \(encoding)"
    case .names(let old, let new): ": \(new), before: \(old)"
    case .bytes(let count, let name): ": \(count) bytes by \(name)"
    case .symbols(let address, let frames):
      " \(address): "
        + frames.map { $0.function + ($0.place.map { " at \($0)" } ?? "") }
        .joined(separator: ", inlined into ")
    case .clock(let old, let new):
      " set by \(Self.seconds(from: old, to: new)) s: \(UniversalTime.text(new)), before: "
        + UniversalTime.text(old)
    case .pen(_, let holder, .held): ": held by \(holder ?? "nobody")"
    case .pen(let old, let new, let handover):
      ": from \(old ?? "nobody") to \(new ?? "nobody"), \(handover.rawValue)"
    }
  }

  /// The time from one time to another in seconds, with a sign and six decimals.
  static func seconds(from old: UInt64, to new: UInt64) -> String {
    // As in the times, fractions of a microsecond are truncated.
    let (first, last) = (old / 1_000, new / 1_000)
    let microseconds = first < last ? last - first : first - last
    let fraction = "\(microseconds % 1_000_000)"
    return (first <= last ? "+" : "-") + "\(microseconds / 1_000_000)."
      + String(repeating: "0", count: 6 - fraction.utf8.count) + fraction
  }

  // A device can say that the clock was set, but it does not know the time of the record in which
  // it says that.

  /// The step of the clock in nanoseconds that an event describes as text; nil for any other text.
  ///
  /// - Parameter time: the time of the record in nanoseconds since 1970. The clock was set to it.
  static func clockStep(in text: Substring, at time: UInt64) -> Int64? {
    guard text.hasPrefix("\(Kind.clock.rawValue) set by "),
      let colon = text.firstRange(ofText: " s: "),
      let comma = text[colon.upperBound...].firstRange(ofText: ", before: ")
    else { return nil }
    return clockStep(
      from: text[comma.upperBound...], to: text[colon.upperBound..<comma.lowerBound], at: time)
  }

  /// The step of the clock in nanoseconds between two times as text; nil for any other text, and if
  /// the clock was not set to the time of the record, to the microsecond.
  static func clockStep(
    from old: some StringProtocol, to new: some StringProtocol, at time: UInt64
  ) -> Int64? {
    guard let old = UniversalTime.nanoseconds(parsing: old),
      let new = UniversalTime.nanoseconds(parsing: new), new / 1_000 == time / 1_000
    else { return nil }
    return Int64(clamping: new).subtractingClamped(Int64(clamping: old))
  }

  /// The step of the clock in nanoseconds that a line of a text log describes; nil for any other
  /// line.
  ///
  /// - Parameters:
  ///   - line: the line without its time.
  ///   - stamp: its time, with the brackets and the space: `[2026-11-21T07:31:00.123456+01:00] `.
  static func clockStep(
    in line: ArraySlice<UInt8>, behind stamp: ArraySlice<UInt8>
  ) -> Int64? {
    let stamp = String(decoding: stamp.dropFirst().dropLast(2), as: UTF8.self)
    guard line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]"),
      let time = UniversalTime.nanoseconds(parsing: stamp)
    else { return nil }
    let text = String(decoding: line.dropFirst().dropLast(), as: UTF8.self)
    return clockStep(in: text[...], at: time)
  }

  /// Whether a line of a text log is an event or a gap, and not a line of the
  /// device: `[lost /dev/ttyUSB0]`.
  ///
  /// - Parameters:
  ///   - line: the line without its time.
  ///   - stamp: its time, with the brackets and the space.
  static func isText(_ line: ArraySlice<UInt8>, behind stamp: ArraySlice<UInt8>) -> Bool {
    guard line.first == UInt8(ascii: "["), line.last == UInt8(ascii: "]") else { return false }
    let word = line.dropFirst().prefix { $0 != UInt8(ascii: " ") }
    if word.elementsEqual(Kind.clock.rawValue.utf8) {
      return clockStep(in: line, behind: stamp) != nil
    }
    return word.elementsEqual("gap:".utf8)
      || Kind.allCases.contains { word.elementsEqual($0.rawValue.utf8) }
  }

  /// A gap as text.
  static func gapText(_ count: Int) -> String { "gap: \(count) bytes not logged" }
}
