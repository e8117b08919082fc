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
    // SL and SR: few terminals know them.
    guard sequence.intermediate == nil else { return forget() }
    let (first, second) = (sequence.parameters.first, sequence.parameters.second)
    let count = max(1, first)
    switch sequence.final {
    case "@": insertCells(count)
    case "A": moveDown(-count)
    case "B": moveDown(count)
    case "C", "a": moveRight(count)
    case "D": moveRight(-count)
    case "E":
      moveDown(count)
      move(toColumn: 0)
    case "F":
      moveDown(-count)
      move(toColumn: 0)
    case "G", "`":
      note(column: first)
      move(toColumn: count - 1)
    case "H", "f":
      note(row: first, column: second)
      move(toRow: count - 1)
      move(toColumn: max(1, second) - 1)
    case "I": moveTabs(count)
    case "Z": moveTabs(-count)
    case "J": eraseScreen(first)
    case "K": eraseLine(first)
    case "L": insertRows(count)
    case "M": insertRows(-count)
    case "P": deleteCells(count)
    case "S": scroll(count)
    case "T": scroll(-count)
    case "X": eraseCells(count)
    case "b": repeatLast(count)
    case "d":
      note(row: first)
      move(toRow: count - 1)
      moveRight(0)
    case "e": moveDownFreely(count)
    case "r":
      note(row: second)
      setRegion(first, second)
    default: forget()
    }
  }
}
