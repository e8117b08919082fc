import TerminalWidgets

extension ScreenModel {
  public mutating func write(_ text: String) { write(Array(text.utf8)) }

  /// Interprets bytes, which must be complete UTF-8 characters.
  public mutating func write(_ bytes: [UInt8]) {
    var text = ""
    for scalar in String(decoding: bytes, as: UTF8.self).unicodeScalars {
      if pending.isEmpty && scalar.value >= 0x20 {
        text.unicodeScalars.append(scalar)
      } else {
        printAll(&text)
        obey(scalar)
      }
    }
    printAll(&text)
  }

  private mutating func printAll(_ text: inout String) {
    for character in text { print(character) }
    text = ""
  }

  private mutating func obey(_ scalar: Unicode.Scalar) {
    guard pending.isEmpty else { return obeySequence(scalar) }
    switch scalar {
    case "\u{1B}": pending = [scalar]
    case "\n": index()
    case "\r": move(toColumn: 0)
    case "\u{8}": move(toColumn: place.column - 1)
    case "\t": tab()
    case "\u{E}": place.isShiftedOut = true
    case "\u{F}": place.isShiftedOut = false
    default: report(scalar.debugDescription)
    }
  }

  private mutating func move(toColumn column: Int) {
    place.wrapIsPending = false
    place.column = min(max(0, column), size.columns - 1)
  }

  private mutating func obeySequence(_ scalar: Unicode.Scalar) {
    pending.append(scalar)
    let sequence = String(String.UnicodeScalarView(pending)).dropFirst()
    if sequence == "[" || sequence == "(" { return }
    if sequence.first == "[" && !(0x40..<0x7F).contains(scalar.value) { return }
    pending = []
    switch sequence {
    case "7": save()
    case "8": restore()
    case "D": index()
    case "M": reverseIndex()
    case "(B": place.isLineDrawing = false
    case "(0": place.isLineDrawing = true
    case "[?6l": setOrigin(false)
    case "[?6h": setOrigin(true)
    case "[?7l": setWrap(false)
    case "[?7h": setWrap(true)
    case "[4l": setInsert(false)
    case "[4h": setInsert(true)
    case "[?1047l": break
    case "[?1049h": enterAlternateScreen()
    case "[?1049l": leaveAlternateScreen()
    case "[?25l": setCursorShown(false)
    case "[?25h": setCursorShown(true)
    default: obeyControl(sequence.dropFirst(), final: scalar)
    }
  }

  private mutating func setOrigin(_ isOn: Bool) {
    place.isOrigin = isOn
    move(toRow: 0, column: 0)
  }

  private mutating func obeyControl(_ sequence: Substring, final: Unicode.Scalar) {
    let numbers = sequence.dropLast().split(separator: ";", omittingEmptySubsequences: false)
      .map { Int($0) }
    let first = numbers.first ?? nil
    let second = numbers.dropFirst().first ?? nil
    switch final {
    case "A": moveDown(-max(1, first ?? 1))
    case "B": moveDown(max(1, first ?? 1))
    case "D": move(toColumn: place.column - max(1, first ?? 1))
    case "C": move(toColumn: place.column + max(1, first ?? 1))
    case "G": move(toColumn: max(1, first ?? 1) - 1)
    case "H": move(toRow: (first ?? 1) - 1, column: (second ?? 1) - 1)
    case "J" where first ?? 0 == 0: eraseToEndOfScreen()
    case "J" where first == 2: eraseScreen()
    case "X": eraseCells(max(1, first ?? 1))
    case "K" where first ?? 0 == 0: eraseToEndOfLine()
    case "K" where first == 2: eraseLine()
    case "L": insertLines(max(1, first ?? 1))
    case "M": deleteLines(max(1, first ?? 1))
    case "m": setAttributes(numbers.map { $0 ?? 0 })
    case "r": setRegion((first ?? 1) - 1..<(second ?? size.rows))
    default: report(String(sequence))
    }
  }

  private mutating func setAttributes(_ codes: [Int]) {
    for code in codes {
      if code == 0 { place.attributes = [] } else { place.attributes.insert(code) }
    }
  }
}
