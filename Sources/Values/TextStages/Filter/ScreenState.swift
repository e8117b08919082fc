import TextTools

/// What the sequences of a device that passed have changed at the user's terminal.
struct ScreenState {
  /// A mode that may be switched.
  struct Mode: Hashable {
    /// Its number: of a private mode (DECSET) above 0, of a mode of ECMA-48 below.
    let number: Int
    /// Whether it is on at first.
    var isOnAtFirst: Bool { number == 7 || number == 25 }

    /// The sequence that switches it.
    func sequence(isOn: Bool) -> String {
      number > 0
        ? "\u{1B}[?\(number)\(isOn ? "h" : "l")" : "\u{1B}[\(-number)\(isOn ? "h" : "l")"
    }
  }

  /// The modes that may be switched: the keys of the cursor send other sequences (1), the screen is
  /// reversed (5), lines wrap (7), the cursor is visible (25), text is inserted (4 of ECMA-48).
  private static let modes = [1, 5, 7, 25, -4].map(Mode.init)
  /// DECOM: rows count from the scroll region. It is apart, because it moves the cursor.
  private static let origin = Mode(number: 6)
  private static let wrap = Mode(number: 7)
  /// The modes that are not in their original state.
  private var switched: [Mode] = []
  /// Whether lines may not wrap although ``switched`` says that they do: not every terminal
  /// restores that with the cursor.
  private var isWrapDoubtful = false
  /// The same for rows that count from the scroll region.
  private var isOriginDoubtful = false
  /// The modes of the alternate screen that are on: 47, 1047, and 1049, which saves the cursor,
  /// too.
  private var alternateScreens: [Int] = []
  /// Whether it is shown. Each of the modes shows and leaves it.
  private var isAlternate = false
  private var rendition = Rendition()
  /// Whether attributes may have changed.
  private var hasAttributes = false
  /// The parameters of the scroll region.
  private var region: [UInt8] = []
  private var hasKeypad = false
  private var hasTabs = false
  /// Whether the device wants to know what is pasted. The terminal marks it then.
  private var marksPastes = false
  private var saved = Saved()

  /// What terminals save with the cursor (DECSC): the attributes, and origin mode; many also the
  /// automatic wrap.
  private struct Saved {
    var rendition = Rendition()
    /// Until the device has saved a cursor, the state is unknown, because the terminal's saved
    /// cursor is older than the session.
    var hasAttributes = true
    var switched: [Mode] = []
  }

  /// Records that attributes have changed.
  ///
  /// - Parameter parameters: those of the SGR sequence that passes.
  mutating func note(rendition parameters: Parameters) {
    rendition.apply(parameters)
    hasAttributes = !parameters.allSatisfy { $0.number == 0 }
  }

  /// Records a scroll region.
  mutating func note(region parameters: Parameters) { region = Array(parameters.bytes) }

  /// Whether there is a scroll region.
  var hasRegion: Bool { !region.isEmpty }

  /// Records that tab stops have changed.
  mutating func noteTabs() { hasTabs = true }

  /// Records the mode of the keypad: DECKPAM, DECKPNM.
  mutating func note(keypad isOn: Bool) { hasKeypad = isOn }

  /// Records a mode.
  ///
  /// - Returns: whether its sequence may pass.
  mutating func note(_ number: Int, isPrivate: Bool, isOn: Bool) -> Bool {
    let mode = Mode(number: isPrivate ? number : -number)
    if isPrivate {
      switch number {
      case 1049:
        if isOn { saveCursor() }
        note(alternateScreen: number, isOn: isOn)
        if !isOn { restoreCursor() }
        return true
      case 47, 1047:
        note(alternateScreen: number, isOn: isOn)
        return true
      case 1048:
        if isOn { saveCursor() } else { restoreCursor() }
        return true
      case 2004:
        marksPastes = isOn
        return false
      default: break
      }
    }
    guard Self.modes.contains(mode) || mode == Self.origin else { return false }
    switched.removeAll { $0 == mode }
    if isOn != mode.isOnAtFirst { switched.append(mode) }
    if mode == Self.wrap { isWrapDoubtful = false }
    if mode == Self.origin { isOriginDoubtful = false }
    return true
  }

  private mutating func note(alternateScreen number: Int, isOn: Bool) {
    isAlternate = isOn
    alternateScreens.removeAll { $0 == number }
    if isOn { alternateScreens.append(number) }
  }

  mutating func saveCursor() {
    saved = Saved(
      rendition: rendition, hasAttributes: hasAttributes,
      switched: switched.filter { $0 == Self.origin || $0 == Self.wrap })
  }

  /// Restores the state. It is not certain that a terminal restores everything that was saved, so
  /// attributes count as changed if they are now or were when the cursor was saved.
  mutating func restoreCursor() {
    rendition = saved.rendition
    hasAttributes = hasAttributes || saved.hasAttributes
    isWrapDoubtful = isWrapDoubtful || switched.contains(Self.wrap)
    isOriginDoubtful = isOriginDoubtful || switched.contains(Self.origin)
    switched.removeAll { $0 == Self.origin || $0 == Self.wrap }
    switched += saved.switched
  }

  /// What others must know of it.
  var switchedModes: DeviceModes {
    var modes: DeviceModes = marksPastes ? .markedPastes : []
    if switched.contains(Mode(number: 25)) { modes.insert(.hiddenCursor) }
    if isAlternate { modes.insert(.alternateScreen) }
    if countsFromRegion { modes.insert(.origin) }
    if hasTabs { modes.insert(.tabs) }
    return modes
  }

  // MARK: Sequences

  /// The sequences that undo all changes; empty if there are none.
  ///
  /// - Parameter columns: the number of columns of the screen, for tab stops.
  func restoration(columns: Int) -> [UInt8] {
    guard isAlternate, alternateScreens.contains(1049) else {
      return leavingAlternateScreen + restorationOfScreen(columns: columns)
    }
    // Leaving restores the cursor, with what was saved with it. Not every terminal does that.
    var main = self
    main.restoreCursor()
    return leavingAlternateScreen + main.restorationOfScreen(columns: columns)
  }

  /// What undoes all but the alternate screen, which is left before.
  private func restorationOfScreen(columns: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    for mode in switched where mode != Self.origin {
      bytes.append(mode.sequence(isOn: mode.isOnAtFirst))
    }
    if isWrapDoubtful, !switched.contains(Self.wrap) {
      bytes.append(Self.wrap.sequence(isOn: true))
    }
    if hasKeypad { bytes.append("\u{1B}>") }
    if hasAttributes { bytes.append("\u{1B}[0m") }
    // DECOM moves the cursor to the upper left corner. It is saved with the cursor, and so is
    // reset before.
    if countsFromRegion { bytes.append(Self.origin.sequence(isOn: false)) }
    // So does DECSTBM: the cursor is saved and restored.
    if !region.isEmpty { bytes.append("\u{1B}7\u{1B}[r\u{1B}8") }
    // The last row is the best place.
    if countsFromRegion { bytes.append("\u{1B}[9999H") }
    if hasTabs { bytes += Self.tabs(columns: columns) }
    return bytes
  }

  /// Each mode is switched off, because terminals may know them apart.
  private var leavingAlternateScreen: [UInt8] {
    var bytes: [UInt8] = []
    // 1049 comes last. It moves the cursor to where it was saved.
    if alternateScreens.contains(1049), !isAlternate { bytes.append("\u{1B}7") }
    for number in alternateScreens.sorted() { bytes.append("\u{1B}[?\(number)l") }
    return bytes
  }

  /// Whether rows count, or may count, from the scroll region.
  var countsFromRegion: Bool { isOriginDoubtful || switched.contains(Self.origin) }

  /// Undoes what DECSTR undoes: not the alternate screen, the reversed screen and the tab stops.
  ///
  /// - Returns: the sequences.
  mutating func softReset() -> [UInt8] {
    var (undone, rest) = (self, ScreenState())
    (rest.alternateScreens, rest.isAlternate) = (alternateScreens, isAlternate)
    (rest.hasTabs, rest.marksPastes) = (hasTabs, marksPastes)
    rest.switched = switched.filter { $0.number == 5 }
    undone.hasTabs = false
    undone.switched.removeAll { $0.number == 5 }
    rest.saved = saved
    var bytes = undone.restorationOfScreen(columns: 0)
    // Where the cursor was saved stays, unless this mode would come back with it.
    if saved.switched.contains(Self.origin) {
      rest.saveCursor()
      bytes.append("\u{1B}7")
    }
    self = rest
    return bytes
  }

  /// Undoes all changes, and clears the screen, as RIS does.
  ///
  /// - Returns: the sequences.
  mutating func reset(columns: Int) -> [UInt8] {
    defer {
      self = ScreenState()
      saveCursor()
    }
    return restoration(columns: columns) + "\u{1B}[H\u{1B}[2J\u{1B}7".utf8
  }

  /// The sequences that bring a terminal from any state into this state. The content of an
  /// alternate screen is lost.
  func screenState(columns: Int) -> [UInt8] {
    var bytes: [UInt8] = []
    // The main screen, without moving the cursor.
    bytes.append("\u{1B}[?1047l")
    if isAlternate, let number = alternateScreens.last { bytes.append("\u{1B}[?\(number)h") }
    if switched.contains(Self.origin) { bytes.append(Self.origin.sequence(isOn: false)) }
    // DECSTBM moves the cursor to the upper left corner, so the cursor is saved and restored.
    bytes.append("\u{1B}7\u{1B}[")
    bytes += region
    bytes.append("r\u{1B}8")
    if switched.contains(Self.origin) { bytes.append(Self.origin.sequence(isOn: true)) }
    for mode in Self.modes {
      bytes.append(mode.sequence(isOn: mode.isOnAtFirst != switched.contains(mode)))
    }
    bytes.append(hasKeypad ? "\u{1B}=" : "\u{1B}>")
    bytes.append("\u{1B}[0m")
    return bytes + rendition.sequences
  }

  /// The sequences that set a tab stop in every eighth column.
  static func tabs(columns: Int) -> [UInt8] {
    tabs(at: stride(from: CursorPlace.tabDistance, to: columns, by: CursorPlace.tabDistance))
  }

  /// The sequences that set tab stops in these columns, counted from 0, and in no others.
  static func tabs(at columns: some Sequence<Int>) -> [UInt8] {
    var bytes: [UInt8] = []
    bytes.append("\u{1B}7\u{1B}[3g")
    for column in columns { bytes.append("\u{1B}[\(column + 1)G\u{1B}H") }
    bytes.append("\u{1B}8")
    return bytes
  }
}
