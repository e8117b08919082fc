/// What sequences do to cells. The names are those of ECMA-48 and of the VT510's manual.
extension ScreenCells {
  /// Obeys an escape sequence. One that does not draw has no effect.
  mutating func obey(escape bytes: UnsafeRawBufferPointer) {
    guard bytes.count == 2 else {
      // DECALN.
      if bytes.count == 3, bytes[1] == UInt8(ascii: "#"), bytes[2] == UInt8(ascii: "8") { fill() }
      return
    }
    switch Unicode.Scalar(bytes[1]) {
    case "7": saveCursor()
    case "8": restoreCursor()
    case "D": index()
    // NEL.
    case "E":
      move(toColumn: 0)
      index()
    case "M": reverseIndex()
    case "H": setTabStop(true)
    default: break
    }
  }

  /// Obeys a control sequence.
  mutating func obey(_ sequence: ControlSequence) {
    switch sequence.function {
    case .draws: draw(sequence)
    case .savesCursor: saveCursor()
    case .restoresCursor: restoreCursor()
    case .tabs:
      switch sequence.parameters.first {
      case 0: setTabStop(false)
      case 3: clearTabStops()
      default: break
      }
    case .modes(let isPrivate, let areOn):
      for parameter in sequence.parameters {
        if isPrivate {
          setPrivateMode(parameter.number, areOn)
        } else if parameter.number == 4 {
          setInsert(areOn)
        }
      }
    case .rendition, .softReset, .other: break
    }
  }

  private mutating func setPrivateMode(_ number: Int, _ isOn: Bool) {
    switch number {
    case 6: setOrigin(isOn)
    case 7: setWrap(isOn)
    case 47: showAlternate(isOn)
    case 1_047:
      if !isOn, isAlternate { clear() }
      showAlternate(isOn)
    case 1_048: if isOn { saveCursor() } else { restoreCursor() }
    case 1_049:
      if isOn {
        saveCursor()
        showAlternate(true)
        clear()
      } else {
        showAlternate(false, andRestores: true)
        restoreCursor()
      }
    default: break
    }
  }

  private mutating func draw(_ sequence: ControlSequence) {
    let first = sequence.parameters.first
    let count = max(1, first)
    switch (sequence.intermediate, sequence.final) {
    case (nil, "H"), (nil, "f"): note(row: first, column: sequence.parameters.second)
    case (nil, "G"), (nil, "`"): note(column: first)
    case (nil, "d"): note(row: first)
    case (nil, "r"): note(row: sequence.parameters.second)
    default: break
    }
    switch (sequence.intermediate, sequence.final) {
    case (nil, "@"): insertCells(count)
    case (nil, "A"): moveDown(-count)
    case (nil, "B"): moveDown(count)
    case (nil, "C"), (nil, "a"): moveRight(count)
    case (nil, "D"): moveRight(-count)
    case (nil, "E"):
      moveDown(count)
      move(toColumn: 0)
    case (nil, "F"):
      moveDown(-count)
      move(toColumn: 0)
    case (nil, "G"), (nil, "`"): move(toColumn: count - 1)
    case (nil, "H"), (nil, "f"):
      move(toRow: count - 1)
      move(toColumn: max(1, sequence.parameters.second) - 1)
    case (nil, "I"): moveTabs(count)
    case (nil, "Z"): moveTabs(-count)
    case (nil, "J"): eraseScreen(first)
    case (nil, "K"): eraseLine(first)
    case (nil, "L"): insertRows(count)
    case (nil, "M"): insertRows(-count)
    case (nil, "P"): deleteCells(count)
    case (nil, "S"): scroll(count)
    case (nil, "T"): scroll(-count)
    case (nil, "X"): eraseCells(count)
    case (nil, "b"): repeatLast(count)
    case (nil, "d"):
      move(toRow: count - 1)
      moveRight(0)
    case (nil, "e"): moveDownFreely(count)
    case (nil, "r"): setRegion(first, sequence.parameters.second)
    // SL and SR: few terminals know them.
    default: forget()
    }
  }
}
