import TextTools
public import Time

/// Lets a device draw on the user's terminal, and do nothing else there.
///
/// ## Principles of operation
///
/// - **What only draws passes:** text, movements, erasing, scrolling, colours, and the modes that
///   drawing needs, such as the alternate screen. Programs look as on the user's own terminal. The
///   modes are recorded, so that they can be undone.
/// - **What commands, asks or outlasts the device is dropped:** titles, the clipboard, the
///   palette, the mouse, windows, questions, resets. It leaves no trace on the screen, because
///   programs do not count its columns. ``droppedCount`` counts it.
/// - **Character sets are translated** to Unicode, and a reset of the terminal becomes a reset of
///   what the device has changed.
/// - **Noise is visible:** sequences that are malformed, cut off or too long, control characters
///   that do nothing (`^A`), C1 (`<9b>`), bytes that are not UTF-8 (U+FFFD). A pause ends a
///   sequence.
///
/// See ``Tokenizer`` for the grammar, and ``ControlSequence/function`` for the list.
public struct EscapeFilter: ByteStage {
  private var tokenizer = Tokenizer()
  private var screen = ScreenState()
  private var sets = CharacterSets() {
    didSet { tokenizer.decodesUTF8 = !sets.isCodePage }
  }
  /// The number of sequences that were dropped, and that had no effect.
  public private(set) var droppedCount = 0
  /// The parameters of SGR that pass.
  private var kept: [UInt8] = []
  private var corner = CornerWatch()
  private var questions: [TerminalQuestion] = []

  /// Whether the terminal can show UTF-8. Otherwise characters beyond ASCII are shown by their code
  /// points, and invalid bytes by their values: `<e9>`.
  private let showsUTF8: Bool
  private let permission: Permission
  private let size: () -> (columns: Int, rows: Int)

  /// The number of questions that are kept. A terminal that answers each of many is no help.
  private static let mostQuestions = 16

  /// The sequences that pass. The others are dropped.
  public enum Permission: Hashable, Sendable {
    /// All that draw.
    case drawing
    /// Colours and styles only: text that shares its lines with other text must not
    /// move the cursor.
    case colours
    /// None: the terminal can only print.
    case none
  }

  /// Creates a filter for the beginning of a stream.
  ///
  /// - Parameters:
  ///   - showsUTF8: whether the terminal can show UTF-8; otherwise the output is ASCII.
  ///   - permission: the sequences that pass.
  ///   - size: returns the size of the screen, to restore its tab stops, and to know its corner.
  public init(
    showsUTF8: Bool = true, permitting permission: Permission = .drawing,
    size: @escaping () -> (columns: Int, rows: Int) = { (80, 24) }
  ) {
    self.showsUTF8 = showsUTF8
    self.permission = permission
    self.size = size
  }

  /// The width of the screen.
  var columns: Int { size().columns }

  /// The sequences that undo the device's changes of the terminal; empty if there are none.
  public var restoration: [UInt8] { screen.restoration(columns: columns) }

  /// The sequences that bring a terminal from any state into the state that the device has set.
  public var screenState: [UInt8] { screen.screenState(columns: columns) }

  /// The sequences that bring a terminal from any state into its original state.
  public static var originalScreenState: [UInt8] { ScreenState().screenState(columns: 0) }

  /// What the device has switched.
  public var switched: DeviceModes { screen.switchedModes }

  /// What a device would have sent, whatever it sent before, so that a terminal behind another
  /// filter shows cells, and goes on as the one behind this filter. None if the device believes
  /// that its screen is larger.
  ///
  /// - Parameter hasMain: whether the main screen is painted, too, if the alternate one is shown.
  public func replay(_ cells: ScreenCells, withMain hasMain: Bool) -> [UInt8] {
    if cells.isTooSmall { return [] }
    var bytes = CharacterSets().sequences
    if hasMain, let main = cells.main {
      bytes.append("\u{1B}[?1047l")
      bytes += main.redrawn
    }
    bytes += screenState
    bytes.append("\u{1B}[?2004\(switched.contains(.markedPastes) ? "h" : "l")")
    bytes += cells.tabs
    // Its reader then knows every cell.
    bytes.append(ScreenCells.beforePainting + "\u{1B}[H\u{1B}[2J")
    var cells = cells
    cells.sets = sets
    return bytes + cells.redrawn + tokenizer.unfinished
  }

  /// Removes and returns the questions of the device so far. Of many, only the first are kept.
  public mutating func takeQuestions() -> [TerminalQuestion] {
    defer { questions.removeAll(keepingCapacity: true) }
    return questions
  }

  /// Transforms a piece; see ``ByteStage/transform(_:at:into:)``.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, into output: inout [UInt8]
  ) -> StageResult {
    var index = 0
    let start = output.count
    while index < bytes.count {
      if !tokenizer.isWaiting, sets.isASCII {
        let end = PlainText.end(in: bytes, from: index, isUTF8: showsUTF8)
        if end > index { corner.reset() }
        if end - index == bytes.count, output.count == start { return .unchanged }
        output.append(bytes, in: index..<end)
        index = end
      }
      guard let token = tokenizer.next(in: bytes, from: &index) else { break }
      token.withBytes(in: bytes) { handle(token.kind, $0, into: &output) }
    }
    return .changed
  }

  /// Whether a sequence or a character is incomplete.
  public var isWaiting: Bool { tokenizer.isWaiting }

  /// Shows the incomplete sequence or character.
  public mutating func flush(into output: inout [UInt8]) {
    guard let token = tokenizer.flush() else { return }
    token.withBytes { handle(token.kind, $0, into: &output) }
  }

  private mutating func handle(
    _ kind: Tokenizer.Kind, _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) {
    switch kind {
    case .sequence, .string: break
    default: corner.reset()
    }
    switch kind {
    case .text: show(text: bytes, into: &output)
    case .control: if !sets.obey(bytes) { handle(control: bytes[0], into: &output) }
    case .escape: if !sets.obey(bytes) { handle(escape: bytes, into: &output) }
    case .sequence: handle(sequence: bytes, into: &output)
    case .string: droppedCount += 1
    case .mark, .invalid: show(other: kind, bytes, into: &output)
    case .malformed: show(malformed: bytes, into: &output)
    }
  }

  // MARK: Text

  private mutating func show(text: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    if sets.isASCII, showsUTF8 { return output.append(contentsOf: text) }
    for scalar in String(decoding: text, as: UTF8.self).unicodeScalars {
      show(sets.translate(scalar), into: &output)
    }
  }

  private func show(_ scalar: Unicode.Scalar, into output: inout [UInt8]) {
    if showsUTF8 || scalar.isASCII {
      output.append(contentsOf: String(scalar).utf8)
    } else if let graphic = scalar.asciiGraphic {
      output.append(UInt8(ascii: graphic))
    } else {
      output.append(markOf: scalar.value)
    }
  }

  /// Shows a character that is not text as its number, and bytes that are not UTF-8 by one mark.
  private func show(
    other kind: Tokenizer.Kind, _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) {
    if kind == .mark {
      for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
        output.append(markOf: scalar.value)
      }
    } else if sets.isCodePage {
      for byte in bytes { show(sets.codePageCharacter(byte), into: &output) }
    } else if showsUTF8 {
      output.append("\u{FFFD}")
    } else {
      for byte in bytes { output.append(markOf: UInt32(byte)) }
    }
  }

  /// Shows a sequence instead of passing it: `^[` and its remaining bytes.
  private mutating func show(malformed bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    output.append("^[")
    let rest = UnsafeRawBufferPointer(rebasing: bytes.dropFirst())
    // There is no ESC among them, except for the last one of a string that a pause has ended.
    var (index, tokens) = (0, Tokenizer())
    while let token = tokens.next(in: rest, from: &index) ?? tokens.flush() {
      token.withBytes(in: rest) { part in
        switch token.kind {
        case .text where showsUTF8: output.append(contentsOf: part)
        case .control: Self.show(control: part[0], into: &output)
        case .text:
          for scalar in String(decoding: part, as: UTF8.self).unicodeScalars {
            show(scalar, into: &output)
          }
        case .malformed: Self.show(control: .escape, into: &output)
        default: show(other: token.kind, part, into: &output)
        }
      }
    }
  }

  private static func show(control byte: UInt8, into output: inout [UInt8]) {
    output.append(UInt8(ascii: "^"))
    output.append(byte ^ 0x40)
  }

  // MARK: Control characters and escape sequences

  private mutating func handle(control byte: UInt8, into output: inout [UInt8]) {
    switch byte {
    // Padding, which terminals ignore.
    case .null, .delete: break
    // ENQ is a question.
    case 0x05: droppedCount += 1
    // VT and FF move the cursor like LF.
    case .verticalTab, .formFeed: output.append(.lineFeed)
    case _ where PlainText.isPlain(control: byte): output.append(byte)
    case 0x18, 0x1A: Self.show(control: byte, into: &output)
    case _ where sets.isCodePage: show(sets.codePageCharacter(byte), into: &output)
    default: Self.show(control: byte, into: &output)
    }
  }

  private mutating func handle(escape bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    guard bytes.count == 2 else {
      // DECALN.
      if bytes.dropFirst().elementsEqual("#8".utf8) {
        pass(bytes, into: &output)
      } else {
        droppedCount += 1
      }
      return
    }
    let final = bytes[1]
    switch Unicode.Scalar(final) {
    // IND, NEL, RI.
    case "D", "E", "M": pass(bytes, into: &output)
    // DECSC, DECRC.
    case "7": if pass(bytes, into: &output) { saveCursor() }
    case "8": if pass(bytes, into: &output) { restoreCursor() }
    // HTS.
    case "H": if pass(bytes, into: &output) { screen.noteTabs() }
    // DECKPAM, DECKPNM.
    case "=", ">":
      if pass(bytes, into: &output) { screen.note(keypad: final == UInt8(ascii: "=")) }
    // RIS.
    case "c": reset(into: &output)
    // DECID.
    case "Z": drop(asking: .attributes)
    default: droppedCount += 1
    }
  }

  private var isAtCorner: Bool {
    let (columns, rows) = size()
    return corner.isAtCorner(rows: rows, columns: columns)
  }

  /// Drops a sequence, and records the question that it asks.
  private mutating func drop(asking question: TerminalQuestion?) {
    droppedCount += 1
    guard permission == .drawing, let question, questions.count < Self.mostQuestions else { return }
    questions.append(question)
  }

  /// Passes a sequence that draws, if it is permitted here.
  @discardableResult
  private mutating func pass(_ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) -> Bool {
    guard permission == .drawing else {
      droppedCount += 1
      return false
    }
    output.append(contentsOf: bytes)
    return true
  }

  private mutating func saveCursor() {
    screen.saveCursor()
    sets.save()
  }

  private mutating func restoreCursor() {
    screen.restoreCursor()
    sets.restore()
  }

  /// Undoes what the device has changed, and clears the screen.
  private mutating func reset(into output: inout [UInt8]) {
    sets = CharacterSets()
    guard permission == .drawing else { return }
    output += screen.reset(columns: columns)
  }

  // MARK: Control sequences

  private mutating func handle(sequence bytes: UnsafeRawBufferPointer, into output: inout [UInt8]) {
    guard let sequence = ControlSequence(bytes) else {
      return show(malformed: bytes, into: &output)
    }
    switch sequence.function {
    case .draws(let count): draw(sequence, bytes, atMost: count, into: &output)
    case .savesCursor: if pass(bytes, into: &output) { saveCursor() }
    case .restoresCursor:
      corner.reset()
      if pass(bytes, into: &output) { restoreCursor() }
    case .tabs: if draw(sequence, bytes, atMost: 1, into: &output) { screen.noteTabs() }
    case .rendition: setRendition(sequence.parameters, bytes, into: &output)
    case .modes(let isPrivate, let areOn):
      setModes(sequence.parameters, isPrivate, areOn, into: &output)
    case .softReset:
      sets.reset()
      if permission == .drawing { output += screen.softReset() }
    case .other:
      drop(asking: TerminalQuestion(sequence, isAtCorner: isAtCorner))
    }
  }

  /// Passes a sequence that draws, with no more and no larger numbers than terminals need.
  @discardableResult
  private mutating func draw(
    _ sequence: ControlSequence, _ bytes: UnsafeRawBufferPointer, atMost count: Int,
    into output: inout [UInt8]
  ) -> Bool {
    let parameters = sequence.parameters
    if parameters.areShortNumbers(atMost: count) {
      guard pass(bytes, into: &output) else { return false }
    } else {
      guard permission == .drawing else {
        droppedCount += 1
        return false
      }
      output.append("\u{1B}[")
      if let mark = sequence.mark { output.append(UInt8(ascii: mark)) }
      for (index, parameter) in parameters.prefix(count).enumerated() {
        if index > 0 { output.append(UInt8(ascii: ";")) }
        output.append(decimal: UInt64(parameter.number))
      }
      if let intermediate = sequence.intermediate { output.append(UInt8(ascii: intermediate)) }
      output.append(UInt8(ascii: sequence.final))
    }
    if sequence.final == "r" { screen.note(region: parameters) }
    corner.note(
      sequence, hasRegion: screen.hasRegion, countsFromRegion: screen.countsFromRegion)
    return true
  }

  /// Passes the modes that drawing needs.
  private mutating func setModes(
    _ parameters: Parameters, _ isPrivate: Bool, _ areOn: Bool, into output: inout [UInt8]
  ) {
    guard permission == .drawing, !parameters.isEmpty else { return droppedCount += 1 }
    // Some move the cursor.
    corner.reset()
    for parameter in parameters {
      let number = parameter.number
      guard screen.note(number, isPrivate: isPrivate, isOn: areOn) else {
        if number != 2_004 || !isPrivate { droppedCount += 1 }
        continue
      }
      if isPrivate, number == 1_048 || number == 1_049 {
        if areOn { sets.save() } else { sets.restore() }
      }
      output.append(isPrivate ? "\u{1B}[?" : "\u{1B}[")
      output.append(decimal: UInt64(number))
      output.append(areOn ? "h" : "l")
    }
  }

  /// Passes colours and styles, and translates the characters of fonts.
  ///
  /// The parameters 10 to 20 select fonts. On the Linux console, 11 and 12 select another character
  /// set, and 0 does not reset that (console_codes(4)).
  private mutating func setRendition(
    _ parameters: Parameters, _ bytes: UnsafeRawBufferPointer, into output: inout [UInt8]
  ) {
    guard permission != .none else { return droppedCount += 1 }
    kept.removeAll(keepingCapacity: true)
    var (count, isChanged) = (0, !parameters.allSatisfy(\.isShort))
    var all = parameters.makeIterator()
    while let parameter = all.next() {
      let number = parameter.number
      switch number {
      case 10...20:
        isChanged = true
        if number <= 12 { sets.chooseFont(number - 10) }
        continue
      case 38 where !parameter.isCompound, 48 where !parameter.isCompound,
        58 where !parameter.isCompound:
        let colour = all.takeColour()
        guard !colour.isEmpty else {
          isChanged = true
          continue
        }
        if count > 0 { kept.append(UInt8(ascii: ";")) }
        kept.append(decimal: UInt64(number))
        // Older terminals would take the numbers after an underline's colour for functions.
        let separator = number == 58 ? ":" : ";"
        isChanged = isChanged || number == 58
        for (index, value) in colour.enumerated() {
          // The colour space is omitted.
          kept += (number == 58 && index == 1 && colour[0] == 2 ? "::" : separator).utf8
          kept.append(decimal: UInt64(value))
        }
      case _ where !parameter.isShort:
        isChanged = true
        continue
      default:
        if count > 0 { kept.append(UInt8(ascii: ";")) }
        kept.append(contentsOf: parameter.bytes)
      }
      count += 1
    }
    if isChanged {
      guard count > 0 else { return }
      output.append("\u{1B}[")
      output += kept
      output.append("m")
    } else {
      output.append(contentsOf: bytes)
    }
    let kept = kept
    kept.withUnsafeBytes { screen.note(rendition: Parameters($0[...])) }
  }
}
