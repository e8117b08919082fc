import TextTools

/// The present colours and styles: the SGR sequences since the last one that reset them all.
struct Rendition {
  /// The sequences that restore them on a terminal with default attributes.
  private(set) var sequences: [UInt8] = []

  /// The maximum length in bytes. Above it, replaced values are removed, because a stream may never
  /// reset its attributes.
  private static let limit = 256

  /// Applies the parameters of an SGR sequence.
  mutating func apply(_ parameters: Parameters) {
    if parameters.first == 0 { sequences.removeAll(keepingCapacity: true) }
    if parameters.allSatisfy({ $0.number == 0 }) { return }
    append(parameters.bytes)
    if sequences.count > Self.limit { compact() }
  }

  /// Applies the SGR sequences in a text for the screen.
  mutating func apply(sequencesIn text: UnsafeRawBufferPointer) {
    for part in ScreenParts(text) where part.kind == .style {
      if let sequence = part.sequence { apply(sequence.parameters) }
    }
  }

  /// Applies the SGR sequences in a text for the screen.
  mutating func apply(sequencesIn text: [UInt8]) {
    text.withUnsafeBytes { apply(sequencesIn: $0) }
  }

  /// Appends what brings a terminal from any colours and styles to these.
  func restore(into output: inout [UInt8]) {
    output.append("\u{1B}[0m")
    output += sequences
  }

  /// Whether erased cells would get a colour: of the background, or by reverse.
  var coloursBackground: Bool {
    let values = values
    return values[.background] != nil || values[.reverse] != nil
  }

  private mutating func append(_ parameters: some Sequence<UInt8>) {
    sequences.append("\u{1B}[")
    sequences.append(contentsOf: parameters)
    sequences.append(UInt8(ascii: "m"))
  }

  /// Keeps only the last value of each attribute.
  private mutating func compact() {
    let values = values
    sequences.removeAll(keepingCapacity: true)
    for attribute in Attribute.allCases {
      if let value = values[attribute] { append(value) }
    }
  }

  /// The last value of each attribute.
  private var values: [Attribute: [UInt8]] {
    var values: [Attribute: [UInt8]] = [:]
    for sequence in sequences.split(separator: UInt8(ascii: "m")) {
      var rest = sequence.dropFirst(2)
        .split(separator: UInt8(ascii: ";"), omittingEmptySubsequences: false)[...]
      while let first = rest.popFirst() {
        var value = Array(first)
        let number = Self.number(first)
        // The numbers of a colour follow it.
        if [38, 48, 58].contains(number), value.count == 2, let kind = rest.first {
          let count = Self.number(kind) == 5 ? 2 : 4
          value = Array(([first] + rest.prefix(count)).joined(separator: [UInt8(ascii: ";")]))
          rest = rest.dropFirst(count)
        }
        for attribute in Attribute.ended(by: number) { values[attribute] = nil }
        if let attribute = Attribute(setBy: number) { values[attribute] = value }
      }
    }
    return values
  }

  private static func number(_ parameter: ArraySlice<UInt8>) -> Int {
    parameter.prefix { $0 != UInt8(ascii: ":") }
      .reduce(0) { min($0 * 10 + Int($1) - Int(UInt8(ascii: "0")), Parameters.largestNumber) }
  }

  /// An attribute that one parameter sets and another resets.
  private enum Attribute: CaseIterable {
    case bold, dim, italic, underline, blink, reverse, concealed, struckOut
    case foreground, background, framed, overlined, underlineColour

    init?(setBy number: Int) {
      switch number {
      case 1: self = .bold
      case 2: self = .dim
      case 3: self = .italic
      case 4, 21: self = .underline
      case 5, 6: self = .blink
      case 7: self = .reverse
      case 8: self = .concealed
      case 9: self = .struckOut
      case 30...38, 90...97: self = .foreground
      case 40...48, 100...107: self = .background
      case 51, 52: self = .framed
      case 53: self = .overlined
      case 58: self = .underlineColour
      default: return nil
      }
    }

    static func ended(by number: Int) -> [Attribute] {
      switch number {
      case 0: allCases
      case 22: [.bold, .dim]
      case 23: [.italic]
      case 24: [.underline]
      case 25: [.blink]
      case 27: [.reverse]
      case 28: [.concealed]
      case 29: [.struckOut]
      case 39: [.foreground]
      case 49: [.background]
      case 54: [.framed]
      case 55: [.overlined]
      case 59: [.underlineColour]
      default: []
      }
    }
  }
}
