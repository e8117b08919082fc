import TextTools
package import TextStages

/// A form of frames that a user can choose by name: `modbus-rtu`, `delimiter:0d0a`.
///
/// A new form is its framing and a row of ``all``.
package struct FrameForm: Sendable {
  /// The name, before the colon.
  package let name: String
  /// What stands after the colon, in capitals; nil for a form without an argument.
  package let argument: String?
  /// What it is, in a few words.
  package let summary: String
  /// Whether its frames are text, so that they are shown as text and not as numbers.
  package let isText: Bool
  fileprivate let end: End
  /// Parses the argument.
  fileprivate let parse: @Sendable (_ argument: String) throws(FrameFormError) -> Maker

  /// Makes the framing for a direction; nil if both directions are mixed or unknown.
  fileprivate typealias Maker = @Sendable (Direction?) -> any Framing<DecodedFrame>

  /// What ends a frame.
  fileprivate enum End {
    /// Its bytes.
    case marked
    /// Its length, which is counted, so that nothing marks the end.
    case counted
    case silence
  }

  /// A form without an argument.
  private init(
    _ name: String, _ summary: String, isText: Bool = false, make: @escaping Maker
  ) {
    self.name = name
    argument = nil
    self.summary = summary
    self.isText = isText
    end = .marked
    parse = { _ in make }
  }

  /// A form with an argument, the same for both directions.
  private init(
    _ name: String, _ summary: String, argument: String, end: End = .marked,
    parse: @escaping @Sendable (String) throws(FrameFormError) -> any Framing<DecodedFrame>
  ) {
    self.name = name
    self.argument = argument
    self.summary = summary
    isText = false
    self.end = end
    self.parse = { argument throws(FrameFormError) in
      let framing = try parse(argument)
      return { _ in framing }
    }
  }

  /// The form as users write it, such as `fixed:N`.
  package var usage: String { argument.map { "\(name):\($0)" } ?? name }

  /// All forms, in the order in which they are listed.
  package static let all: [FrameForm] = [
    FrameForm("lines", "lines of text", isText: true) { _ in PlainFrames(TextLineFraming()) },
    FrameForm("delimiter", "frames that end with these bytes", argument: "HEX") {
      argument throws(FrameFormError) in
      PlainFrames(DelimiterFraming(try bytes(argument)))
    },
    FrameForm("fixed", "frames of N bytes", argument: "N", end: .counted) {
      argument throws(FrameFormError) in
      PlainFrames(
        FixedLengthFraming(try number(argument, "1 to 65536", 1...65_536), silence: countedSilence))
    },
    FrameForm(
      "length", "frames with a length field: u8, u16be, u16le+2@3", argument: "TYPE",
      end: .counted
    ) { argument throws(FrameFormError) in try lengthFormat(argument)
    },
    FrameForm(
      "silence", "frames that end with a silence of MS milliseconds", argument: "MS", end: .silence
    ) {
      argument throws(FrameFormError) in
      PlainFrames(SilenceFraming(.milliseconds(try number(argument, "1 to 60000", 1...60_000))))
    },
    FrameForm("slip", "packets of SLIP") { _ in PlainFrames(SLIPFraming()) },
    FrameForm("cobs", "packets of COBS") { _ in PlainFrames(COBSFraming()) },
    FrameForm("modbus-rtu", "Modbus RTU, by function, length and CRC") { ModbusRTUFraming($0) },
    FrameForm("modbus-ascii", "Modbus ASCII", isText: true) { ModbusASCIIFraming($0) },
    FrameForm("nmea", "sentences of NMEA 0183", isText: true) { _ in NMEAFraming() },
  ]

  // MARK: Arguments

  private static func number(
    _ text: String, _ range: String, _ values: ClosedRange<Int>
  ) throws(FrameFormError) -> Int {
    guard let number = Int(text), values.contains(number) else {
      throw FrameFormError(text: text, expected: range)
    }
    return number
  }

  fileprivate static func bytes(_ text: String) throws(FrameFormError) -> [UInt8] {
    guard let bytes = try? HexText.parse(text), (1...64).contains(bytes.count) else {
      throw FrameFormError(text: text, expected: "1 to 64 bytes in hexadecimal, such as 0d0a")
    }
    return bytes
  }

  /// The silence that ends a frame whose length is counted. Only it shows where the next frame
  /// begins, after other bytes or a wrong length.
  private static let countedSilence = Duration.milliseconds(100)

  /// Reads `u16le+2@3`: the type of the length field, what is added to the length, and the number
  /// of bytes before the field.
  private static func lengthFormat(
    _ text: String
  ) throws(FrameFormError) -> any Framing<DecodedFrame> {
    let failure = FrameFormError(
      text: text, expected: "u8, u16be, u16le, u32be or u32le, then +N or -N, then @HEADER")
    var rest = text[...]
    var header = 0
    if let at = rest.firstIndex(of: "@") {
      guard let number = Int(rest[rest.index(after: at)...]), (0...4_096).contains(number) else {
        throw failure
      }
      (header, rest) = (number, rest[..<at])
    }
    var adjustment = 0
    if let sign = rest.firstIndex(where: { $0 == "+" || $0 == "-" }) {
      guard let number = Int(rest[sign...]), (-4_096...4_096).contains(number) else {
        throw failure
      }
      (adjustment, rest) = (number, rest[..<sign])
    }
    func format<Length: FixedWidthInteger & UnsignedInteger>(
      _ type: Length.Type, _ order: LengthPrefixFraming.ByteOrder
    ) -> any Framing<DecodedFrame> {
      PlainFrames(
        LengthPrefixFraming(
          type, order, adjustment: adjustment, headerLength: header, silence: countedSilence))
    }
    switch rest {
    case "u8": return format(UInt8.self, .bigEndian)
    case "u16be": return format(UInt16.self, .bigEndian)
    case "u16le": return format(UInt16.self, .littleEndian)
    case "u32be": return format(UInt32.self, .bigEndian)
    case "u32le": return format(UInt32.self, .littleEndian)
    default: throw failure
    }
  }
}

/// A form of frames with its argument, as a user chose it: `modbus-rtu`, or
/// `sync:94c3,length:u16be@2` for frames that begin with these bytes, among other bytes.
package struct ChosenFrameForm: Sendable, CustomStringConvertible {
  /// A beginning that a user can choose from: a form, or what stands before one.
  package struct Choice: Sendable {
    /// As users write it, such as `fixed:N`.
    package let usage: String
    /// The part that is always the same, such as `fixed:`.
    package let start: String
    /// What it is, in a few words.
    package let summary: String
    /// Whether more follows the start.
    package var isBeginning: Bool { usage != start }
  }

  /// All beginnings, in the order in which they are listed.
  package static let choices =
    FrameForm.all.map {
      Choice(
        usage: $0.usage, start: $0.argument == nil ? $0.name : "\($0.name):", summary: $0.summary)
    } + [
      Choice(
        usage: "sync:HEX,FORM", start: "sync:",
        summary: "frames that begin with these bytes, among others")
    ]

  /// The text that the user wrote.
  package let description: String
  /// The first bytes of each frame; empty if any bytes can begin one.
  private let sync: [UInt8]
  private let form: FrameForm
  private let make: FrameForm.Maker

  /// Parses the text of a user.
  ///
  /// - Throws: ``FrameFormError`` with what is expected.
  package init(parsing text: String) throws(FrameFormError) {
    description = text
    var rest = text[...]
    if text.hasPrefix("sync:") {
      guard let comma = text.firstIndex(of: ",") else {
        throw FrameFormError(text: text, expected: Self.choices.last?.usage ?? "")
      }
      do throws(FrameFormError) {
        sync = try FrameForm.bytes(String(text[..<comma].dropFirst("sync:".count)))
      } catch {
        throw FrameFormError(text: text, expected: error.expected)
      }
      rest = text[comma...].dropFirst()
    } else {
      sync = []
    }
    let parts = rest.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
    guard let form = FrameForm.all.first(where: { $0.name == parts[0] }) else {
      throw FrameFormError(
        text: text, expected: Self.choices.map(\.usage).joined(separator: ", "))
    }
    guard (form.argument != nil) == (parts.count > 1) else {
      throw FrameFormError(text: text, expected: form.usage)
    }
    self.form = form
    make = try form.parse(parts.count > 1 ? String(parts[1]) : "")
  }

  /// Whether its frames are text, so that they are shown as text and not as numbers.
  package var isText: Bool { form.isText }

  /// Whether only a silence ends a frame.
  package var dependsOnSilence: Bool { form.end == .silence }

  /// Makes a reader for a direction; nil if both directions are mixed or unknown.
  package func reader(_ direction: Direction?) -> FrameReader {
    FrameReader(format(direction), direction)
  }

  /// Makes the framing for a direction; nil if both directions are mixed or unknown.
  func format(_ direction: Direction?) -> any Framing<DecodedFrame> {
    let format = make(direction)
    return sync.isEmpty ? format : SyncFraming(sync, format, isCounted: form.end == .counted)
  }
}

extension ChosenFrameForm: Hashable {
  package static func == (first: Self, second: Self) -> Bool {
    first.description == second.description
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(description) }
}

/// A text that is not a form of frames.
package struct FrameFormError: Error, Hashable, Sendable, CustomStringConvertible {
  package let text: String
  package let expected: String

  package var description: String { "'\(text.harmless)'; expected \(expected)" }
}
