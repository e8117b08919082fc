/// A text prepared for searching: it ignores case, and `-` and `_` equal a space.
///
/// Both preparing and searching take time linear in the text: lists are searched at every key that
/// a user types.
struct SearchText {
  /// One number for each character. Equal characters have equal numbers.
  let characters: [UInt64]
  /// The number of the word of each character; 0 between words.
  private let words: [Int]

  /// How a word matches a text, the closest first.
  enum Closeness: Int, Comparable {
    /// It is a word of the text.
    case word
    /// A word of the text begins with it.
    case wordStart
    /// Its characters begin words of the text, or follow one another: `sf` in `send-file`.
    case initials
    /// It is inside a word.
    case inside
    /// Its characters occur in order in a word of the text that begins with the first of them:
    /// `cfg` in `configuration`.
    case abbreviation

    static func < (one: Closeness, other: Closeness) -> Bool { one.rawValue < other.rawValue }
  }

  /// A match of a word.
  struct Match: Hashable {
    let closeness: Closeness
    /// The indices of the matching characters, ascending.
    let positions: [Int]

    /// The number of other characters between the matching ones.
    var gapCount: Int {
      guard let first = positions.first, let last = positions.last else { return 0 }
      return last - first + 1 - positions.count
    }
  }

  init(_ text: some StringProtocol) {
    var characters: [UInt64] = []
    var words: [Int] = []
    characters.reserveCapacity(text.utf8.count)
    words.reserveCapacity(text.utf8.count)
    var previous = Kind.other
    var word = 0
    func add(_ number: UInt64, _ kind: Kind) {
      characters.append(number)
      if kind.beginsWord(after: previous) { word += 1 }
      words.append(kind == .other ? 0 : word)
      previous = kind
    }
    // Splitting a text into characters is slow. In ASCII without CR LF, each byte is a character.
    if text.utf8.allSatisfy({ (0x20..<0x7F).contains($0) }) {
      for byte in text.utf8 { add(Self.folded(byte), Kind(byte)) }
    } else {
      for character in text { add(Self.folded(character), Kind(character)) }
    }
    self.characters = characters
    self.words = words
  }

  /// The kind of a character, which determines where words begin.
  private enum Kind {
    case lower, upper, digit, other

    init(_ byte: UInt8) {
      self =
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"): .lower
        case UInt8(ascii: "A")...UInt8(ascii: "Z"): .upper
        case UInt8(ascii: "0")...UInt8(ascii: "9"): .digit
        default: .other
        }
    }

    init(_ character: Character) {
      self =
        character.isNumber
        ? .digit : !character.isLetter ? .other : character.isUppercase ? .upper : .lower
    }

    /// Whether a word begins here: after a character that is no letter or digit, at a digit after a
    /// letter, or at a capital after a small letter.
    func beginsWord(after previous: Kind) -> Bool {
      switch self {
      case .other: false
      case .digit: previous != .digit
      case .lower: previous == .other
      case .upper: previous == .other || previous == .lower
      }
    }
  }

  private static func folded(_ byte: UInt8) -> UInt64 {
    switch byte {
    case UInt8(ascii: "A")...UInt8(ascii: "Z"): UInt64(byte | 0x20)
    case UInt8(ascii: "-"), UInt8(ascii: "_"): UInt64(UInt8(ascii: " "))
    default: UInt64(byte)
    }
  }

  private static func folded(_ character: Character) -> UInt64 {
    if let byte = character.asciiValue { return folded(byte) }
    // Equal strings have equal hash values, for any encoding of their accents.
    return UInt64(bitPattern: Int64(character.lowercased().hashValue)) | 1 << 63
  }

  // MARK: Searching

  /// Whether the text begins with another text.
  func hasPrefix(_ other: SearchText) -> Bool { characters.starts(with: other.characters) }

  /// Whether a word begins at an index.
  private func beginsWord(at index: Int) -> Bool {
    words[index] > 0 && (index == 0 || words[index] != words[index - 1])
  }

  /// Finds the closest match of a word; nil if there is none.
  ///
  /// - Parameter pieceCount: the number of the text's first characters in which the word may match
  ///   in pieces.
  func match(_ word: SearchWord, inPiecesOfFirst pieceCount: Int) -> Match? {
    guard let first = word.characters.first, characters.count >= word.characters.count else {
      return nil
    }
    let run = place(of: word)
    if let run, run.closeness <= .wordStart { return run }
    if let positions = initials(word.characters, first, before: pieceCount) {
      return Match(closeness: .initials, positions: positions)
    }
    return run
      ?? abbreviation(word.characters, before: pieceCount).map {
        Match(closeness: .abbreviation, positions: $0)
      }
  }

  /// The first place of a word as a word of the text; otherwise at the beginning of one; otherwise
  /// its first place.
  ///
  /// It uses the algorithm of Knuth, Morris and Pratt, which examines each character of
  /// the text once.
  private func place(of word: SearchWord) -> Match? {
    let length = word.characters.count
    var best: (closeness: Closeness, start: Int)?
    var matched = 0
    for (index, character) in characters.enumerated() {
      while matched > 0 && character != word.characters[matched] {
        matched = word.borders[matched - 1]
      }
      if character == word.characters[matched] { matched += 1 }
      guard matched == length else { continue }
      let closeness = closeness(ofRun: index + 1 - length...index)
      if best.map({ closeness < $0.closeness }) ?? true { best = (closeness, index + 1 - length) }
      if closeness == .word { break }
      matched = word.borders[matched - 1]
    }
    return best.map {
      Match(closeness: $0.closeness, positions: Array($0.start..<$0.start + length))
    }
  }

  private func closeness(ofRun run: ClosedRange<Int>) -> Closeness {
    guard beginsWord(at: run.lowerBound) else { return .inside }
    let next = run.upperBound + 1
    return next == words.count || words[next] != words[run.upperBound] ? .word : .wordStart
  }

  /// The match in which each character of the word begins a word of the text or follows the
  /// previous character. Each is taken at its first place, also where a later one would match.
  private func initials(_ word: [UInt64], _ first: UInt64, before end: Int) -> [Int]? {
    guard word.count <= end else { return nil }
    var positions: [Int] = []
    for index in 0..<end where characters[index] == word[positions.count] {
      guard beginsWord(at: index) || (index > 0 && positions.last == index - 1) else { continue }
      positions.append(index)
      if positions.count == word.count { return positions }
    }
    return nil
  }

  /// The first match in which the characters of the word are in one word of the text, whose first
  /// character is that of the word.
  private func abbreviation(_ word: [UInt64], before end: Int) -> [Int]? {
    var positions: [Int] = []
    for index in 0..<end {
      if beginsWord(at: index) { positions = [] }
      guard characters[index] == word[positions.count],
        beginsWord(at: index) || (words[index] > 0 && !positions.isEmpty)
      else { continue }
      positions.append(index)
      if positions.count == word.count { return positions }
    }
    return nil
  }
}

/// A word of a query, prepared for searching.
struct SearchWord {
  let characters: [UInt64]
  /// For each prefix of the word, the length of its longest proper prefix that is also its suffix.
  let borders: [Int]

  init(_ word: some StringProtocol) {
    characters = SearchText(word).characters
    var borders = [Int](repeating: 0, count: characters.count)
    var length = 0
    for index in characters.indices.dropFirst() {
      while length > 0 && characters[index] != characters[length] { length = borders[length - 1] }
      if characters[index] == characters[length] { length += 1 }
      borders[index] = length
    }
    self.borders = borders
  }
}
