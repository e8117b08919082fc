/// The modes of a terminal that a device has switched, where all of its sequences pass (`--raw`).
///
/// They are those of ECMA-48, the VT500 series, xterm's `ctlseqs` and kitty's keyboard protocol
/// whose original state is known; also tab stops, and the colours of the palette. Titles stay.
public struct SwitchedModes: Hashable, Sendable {
  /// A mode, or a group of functions that is reset together.
  fileprivate struct Mode: Sendable {
    /// Whether a sequence switches it: nil if it does neither. A control sequence is without `ESC
    /// [`, an escape sequence without `ESC`.
    let isSwitched: @Sendable (_ sequence: ArraySlice<UInt8>, _ isControl: Bool) -> Bool?
    /// What brings it into its original state.
    let reset: String
    /// Whether every terminal understands or ignores the reset. Older ones show a part
    /// of the others.
    var isUniversal = true
    /// Whether the reset moves the cursor to the upper left corner, even if the mode is off.
    var isHoming = false
  }

  /// The numbers of the modes in ``table`` that are not in their original state.
  private var switched: [Int] = []
  private var hasTabs = false
  /// The numbers of OSC that have changed colours: of the palette (4 and 5), of the text, the
  /// cursor and others (10 to 19).
  private var colours: Set<Int> = []
  /// Whether the palette of the Linux console has changed.
  private var hasConsolePalette = false
  /// The number of states of the keyboard that were pushed (kitty's protocol), on the main and on
  /// the alternate screen.
  private var (pushes, alternatePushes) = (0, 0)

  /// Creates the state of a terminal that nothing was switched on.
  public init() {}

  /// The private modes that are off at first. The alternate screen comes first, so that the others
  /// are reset on the main one.
  private static let offModes = [
    1049, 1047, 47, 1, 5, 6, 9, 66, 69, 1000, 1001, 1002, 1003, 1004, 1005, 1006, 1015, 1016, 2004,
    2026,
  ]
  /// The private modes that are on at first: lines wrap, the cursor is visible.
  private static let onModes = [7, 25]

  private static let table: [Mode] = {
    var table = offModes.map { Mode.privateMode($0, isOnAtFirst: false) }
    table += onModes.map { Mode.privateMode($0, isOnAtFirst: true) }
    return table + otherModes
  }()

  private static let otherModes: [Mode] = [
    // The locked keyboard; insert mode; line feed as a new line.
    .ansiMode(2), .ansiMode(4), .ansiMode(20),
    // DECKPAM, DECKPNM.
    .escapes(on: ["="], off: [">"], reset: "\u{1B}>"),
    // The character sets of G0 and G1, and the use of another one than G0.
    .characterSet("("), .characterSet(")"),
    .escapes(on: ["\u{E}", "n", "o"], off: ["\u{F}"], reset: "\u{F}"),
    // Bytes that are not UTF-8; answers with controls of 8 bits.
    .escapes(on: ["%@"], off: ["%G"], reset: "\u{1B}%G", isUniversal: false),
    .escapes(on: [" G"], off: [" F"], reset: "\u{1B} F", isUniversal: false),
    // DECSTBM. It moves the cursor to the upper left corner, so the cursor is saved and restored.
    .control("r", reset: "\u{1B}7\u{1B}[r\u{1B}8"),
    // DECSCUSR: the shape of the cursor.
    .control(" q", reset: "\u{1B}[0 q"),
    // The same on the Linux console.
    .control("c", prefix: "?", reset: "\u{1B}[?0c", isUniversal: false),
    // xterm's modifyOtherKeys, kitty's keyboard protocol.
    .control("m", prefix: ">", reset: "\u{1B}[>4m", isUniversal: false),
    .control("u", prefix: "=", reset: "\u{1B}[=0u", isUniversal: false),
    // SGR.
    .control("m", reset: "\u{1B}[0m"),
  ]

  /// Records a complete escape or control sequence, a string, or a shift of the character set.
  mutating func note(_ bytes: UnsafeRawBufferPointer) {
    let isControl = bytes.count > 2 && bytes[1] == UInt8(ascii: "[")
    // Most sequences move the cursor.
    if isControl, let final = bytes.last, !"hlrqmupcgW".utf8.contains(final) { return }
    let start = isControl ? 2 : bytes[0] == .escape ? 1 : 0
    // The beginning of a string says what it does.
    let sequence = Array(bytes[start...].prefix(64))
    if !isControl, sequence.first == UInt8(ascii: "]") { return note(string: sequence) }
    note(sequence[...], isControl: isControl)
  }

  /// Records colours that an OSC has changed or reset.
  private mutating func note(string: [UInt8]) {
    switch string.dropFirst().first {
    case UInt8(ascii: "P"): hasConsolePalette = true
    case UInt8(ascii: "R"): hasConsolePalette = false
    default: break
    }
    let fields = string.dropFirst().prefix { (0x20..<0x7F).contains($0) }
      .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)
      .map { String(decoding: $0, as: UTF8.self) }
    guard let number = fields.first.flatMap({ Int($0) }) else { return }
    let values = fields.dropFirst()
    switch number {
    // Pairs of an index and a colour. A question changes nothing.
    case 4, 5:
      if zip(0..., values).contains(where: { $0 % 2 == 1 && $1 != "?" }) { colours.insert(number) }
    // Each further colour belongs to the next number.
    case 10...19:
      for (offset, value) in zip(0..., values) where value != "?" && number + offset <= 19 {
        colours.insert(number + offset)
      }
    case 104, 105, 110...119: if values.isEmpty { colours.remove(number - 100) }
    default: break
    }
  }

  /// - Parameters:
  ///   - sequence: the bytes after `ESC [`, or after `ESC`; or a shift of the character set alone.
  ///   - isControl: whether it began with `ESC [`.
  private mutating func note(_ sequence: ArraySlice<UInt8>, isControl: Bool) {
    // RIS, DECSTR.
    if sequence.elementsEqual(isControl ? "!p".utf8 : "c".utf8) {
      // A soft reset leaves the screen and the mouse.
      guard isControl else { return self = SwitchedModes() }
      switched.removeAll { Self.offModes.count <= $0 }
      return
    }
    switch sequence.last {
    // TBC, CTC.
    case UInt8(ascii: "g") where isControl, UInt8(ascii: "W") where isControl: hasTabs = true
    // HTS.
    case UInt8(ascii: "H") where sequence.count == 1: hasTabs = true
    case UInt8(ascii: "u") where isControl: notePush(sequence)
    default: break
    }
    for (number, mode) in Self.table.enumerated() {
      guard let isSwitched = mode.isSwitched(sequence, isControl) else { continue }
      switched.removeAll { $0 == number }
      if isSwitched { switched.append(number) }
    }
  }

  /// Records a state of the keyboard that is pushed or popped.
  private mutating func notePush(_ sequence: ArraySlice<UInt8>) {
    let number = Int(String(decoding: sequence.dropFirst().dropLast(), as: UTF8.self)) ?? 1
    let change =
      switch sequence.first {
      case UInt8(ascii: ">"): 1
      case UInt8(ascii: "<"): -min(number, Self.mostPushes)
      default: 0
      }
    if isAlternate {
      alternatePushes = min(max(0, alternatePushes + change), Self.mostPushes)
    } else {
      pushes = min(max(0, pushes + change), Self.mostPushes)
    }
  }

  /// More pushes than a terminal keeps.
  private static let mostPushes = 999

  private var isAlternate: Bool { areSwitched([1049, 1047, 47]) }

  /// What others must know of it.
  var deviceModes: DeviceModes {
    var modes: DeviceModes = []
    if isAlternate { modes.insert(.alternateScreen) }
    if areSwitched([2004]) { modes.insert(.markedPastes) }
    if areSwitched([25]) { modes.insert(.hiddenCursor) }
    if areSwitched([6]) { modes.insert(.origin) }
    if hasTabs { modes.insert(.tabs) }
    if hasConsolePalette || !colours.isEmpty || pushes + alternatePushes > 0
      || switched.contains(where: { !Self.table[$0].isUniversal })
    {
      modes.insert(.others)
    }
    return modes
  }

  /// Whether one of these private modes is switched.
  private func areSwitched(_ numbers: [Int]) -> Bool {
    // The table begins with them.
    zip(0..., Self.offModes + Self.onModes).contains { index, number in
      numbers.contains(number) && switched.contains(index)
    }
  }

  /// The sequences that bring the modes into their original state; empty if they are.
  ///
  /// - Parameter columns: the number of columns of the screen, for tab stops.
  public func restoration(columns: Int) -> [UInt8] {
    // Each screen has its own states of the keyboard.
    var text = isAlternate && alternatePushes > 0 ? "\u{1B}[<\(alternatePushes)u" : ""
    var bytes = Array(text.utf8) + Self.resets(switched.sorted())
    text = pushes > 0 ? "\u{1B}[<\(pushes)u" : ""
    for number in colours.sorted() { text += "\u{1B}]\(number + 100)\u{1B}\\" }
    if hasConsolePalette { text += "\u{1B}]R\u{1B}\\" }
    bytes += text.utf8
    return bytes + (hasTabs ? ScreenState.tabs(columns: columns) : [])
  }

  /// The sequences that bring all modes into their original state, whatever was switched. Two do
  /// not belong to them: those that some terminals would show, and mode 1049, which moves the
  /// cursor even if it is off.
  public static var everything: [UInt8] {
    table.dropFirst().filter(\.isUniversal).flatMap { mode in
      // The cursor is saved and restored.
      Array((mode.isHoming ? "\u{1B}7\(mode.reset)\u{1B}8" : mode.reset).utf8)
    }
  }

  private static func resets(_ numbers: some Sequence<Int>) -> [UInt8] {
    numbers.flatMap { Array(table[$0].reset.utf8) }
  }
}

extension SwitchedModes.Mode {
  /// A private mode: `ESC [ ? N h`.
  fileprivate static func privateMode(_ number: Int, isOnAtFirst: Bool) -> Self {
    Self(
      isSwitched: { bytes, isControl in
        guard isControl, bytes.first == UInt8(ascii: "?"), let isOn = isSet(by: bytes),
          concerns(bytes.dropFirst().dropLast(), number)
        else { return nil }
        return isOn != isOnAtFirst
      }, reset: "\u{1B}[?\(number)\(isOnAtFirst ? "h" : "l")",
      // DECOM.
      isHoming: number == 6)
  }

  /// A mode of ECMA-48 that is off at first: `ESC [ N h`.
  fileprivate static func ansiMode(_ number: Int) -> Self {
    Self(
      isSwitched: { bytes, isControl in
        guard isControl, let isOn = isSet(by: bytes), concerns(bytes.dropLast(), number) else {
          return nil
        }
        return isOn
      }, reset: "\u{1B}[\(number)l")
  }

  private static func concerns(_ parameters: ArraySlice<UInt8>, _ number: Int) -> Bool {
    parameters.split(separator: UInt8(ascii: ";")).contains { $0.elementsEqual("\(number)".utf8) }
  }

  private static func isSet(by bytes: ArraySlice<UInt8>) -> Bool? {
    switch bytes.last {
    case UInt8(ascii: "h"): true
    case UInt8(ascii: "l"): false
    default: nil
    }
  }

  /// A state that sequences of two bytes switch.
  fileprivate static func escapes(
    on: [String], off: [String], reset: String, isUniversal: Bool = true
  ) -> Self {
    Self(
      isSwitched: { bytes, isControl in
        guard !isControl else { return nil }
        if on.contains(where: { bytes.elementsEqual($0.utf8) }) { return true }
        return off.contains { bytes.elementsEqual($0.utf8) } ? false : nil
      }, reset: reset, isUniversal: isUniversal)
  }

  /// The character set that an escape sequence with an intermediate byte designates.
  fileprivate static func characterSet(_ intermediate: Unicode.Scalar) -> Self {
    Self(
      isSwitched: { bytes, isControl in
        !isControl && bytes.first == UInt8(ascii: intermediate)
          ? bytes.last != UInt8(ascii: "B") : nil
      }, reset: "\u{1B}\(intermediate)B")
  }

  /// A function whose parameters select the state. Without parameters, or with zeros, it is
  /// the original one.
  ///
  /// - Parameters:
  ///   - ending: the intermediate and the final byte.
  ///   - prefix: the private mark; empty for none.
  fileprivate static func control(
    _ ending: String, prefix: String = "", reset: String, isUniversal: Bool = true
  ) -> Self {
    Self(
      isSwitched: { bytes, isControl in
        guard isControl, bytes.starts(with: prefix.utf8),
          bytes.suffix(ending.utf8.count).elementsEqual(ending.utf8)
        else { return nil }
        let parameters = bytes.dropFirst(prefix.utf8.count).dropLast(ending.utf8.count)
        // Another private mark, or another intermediate byte, is another function.
        guard parameters.allSatisfy({ (0x30...0x3B).contains($0) }) else { return nil }
        return parameters.contains { (UInt8(ascii: "1")...UInt8(ascii: "9")).contains($0) }
      }, reset: reset, isUniversal: isUniversal)
  }
}
