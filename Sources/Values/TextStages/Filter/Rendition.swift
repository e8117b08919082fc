import TextTools

/// The present colours and styles: what the SGR sequences so far have set.
struct Rendition: Hashable, Sendable {
  /// A colour: the default one, one of the first 16, one of a palette of 256, or of three parts.
  struct Colour: Hashable, Sendable {
    private enum Kind {
      static let plain: UInt32 = 1 << 24
      static let palette: UInt32 = 2 << 24
      static let parts: UInt32 = 3 << 24
    }

    private var value: UInt32 = 0

    /// Creates the default colour.
    init() {}

    /// Creates one of the first 16 colours.
    init(plain number: Int) { value = Kind.plain | UInt32(number & 15) }

    /// Creates the colour that follows 38, 48 or 58: 5 and a number, or 2 and three parts.
    init?(_ numbers: [Int]) {
      switch (numbers.first, numbers.count) {
      case (5, 2...): value = Kind.palette | UInt32(numbers[1] & 0xFF)
      case (2, 4...):
        value = numbers[1...3].reduce(0) { $0 << 8 | UInt32($1 & 0xFF) } | Kind.parts
      default: return nil
      }
    }

    var isDefault: Bool { value == 0 }

    /// The parameters that set it.
    ///
    /// - Parameters:
    ///   - first: the parameter of the first colour: 30 or 40; nil if only 38, 48 or 58 exists.
    ///   - extended: 38, 48 or 58.
    func parameters(first: Int?, extended: Int) -> String {
      let number = Int(value & 0xFF_FFFF)
      switch value & ~0xFF_FFFF {
      case Kind.plain:
        guard let first else { return "" }
        return String(number < 8 ? first + number : first + 52 + number)
      // Older terminals would take the numbers after an underline's colour for functions.
      case Kind.palette: return extended == 58 ? "58:5:\(number)" : "\(extended);5;\(number)"
      default:
        let parts = [number >> 16, number >> 8 & 0xFF, number & 0xFF]
        return extended == 58
          ? "58:2::\(parts[0]):\(parts[1]):\(parts[2])"
          : "\(extended);2;\(parts[0]);\(parts[1]);\(parts[2])"
      }
    }
  }

  /// A style that one parameter switches on.
  private static let styles = [1, 2, 3, 5, 6, 7, 8, 9, 51, 52, 53]

  /// The bit of 7, which exchanges the colours of a character and its background.
  private static let reverse: UInt16 = 1 << 5

  /// The styles that are on: a bit for each of ``styles``.
  private var bits: UInt16 = 0
  /// 0 for none, 1 to 5 for those of `4:1` to `4:5`, 21 for the double one of ECMA-48.
  private var underline: UInt8 = 0
  private var foreground = Colour()
  private var background = Colour()
  private var underlineColour = Colour()

  /// The rendition of a cell that is erased now: only the background stays.
  var ofErasedCells: Rendition {
    var erased = Rendition()
    erased.background = background
    return erased
  }

  /// Applies the parameters of an SGR sequence. Others than those of colours and styles have no
  /// effect.
  mutating func apply(_ parameters: Parameters) {
    if parameters.isEmpty { return self = Rendition() }
    var all = parameters.makeIterator()
    while let parameter = all.next() {
      let number = parameter.number
      switch number {
      case 0: self = Rendition()
      case 4: underline = parameter.isCompound ? UInt8(clamping: parameter.numbers[1]) : 1
      case 21: underline = 21
      case 22: set([1, 2], false)
      case 23: set([3], false)
      case 24: underline = 0
      case 25: set([5, 6], false)
      case 27...29: set([number - 20], false)
      case 54: set([51, 52], false)
      case 55: set([53], false)
      case 30...37: foreground = Colour(plain: number - 30)
      case 90...97: foreground = Colour(plain: number - 82)
      case 39: foreground = Colour()
      case 40...47: background = Colour(plain: number - 40)
      case 100...107: background = Colour(plain: number - 92)
      case 49: background = Colour()
      case 59: underlineColour = Colour()
      case 38, 48, 58: setColour(number, parameter, &all)
      default: set([number], true)
      }
    }
  }

  private mutating func set(_ numbers: [Int], _ areOn: Bool) {
    for number in numbers {
      guard let index = Self.styles.firstIndex(of: number) else { continue }
      if areOn { bits |= 1 << index } else { bits &= ~(1 << index) }
    }
  }

  private mutating func setColour(
    _ number: Int, _ parameter: Parameters.Parameter, _ rest: inout Parameters.Iterator
  ) {
    var numbers: [Int]
    if parameter.isCompound {
      numbers = Array(parameter.numbers.dropFirst())
      // The colour space.
      if numbers.first == 2, numbers.count > 4 { numbers.remove(at: 1) }
    } else {
      numbers = rest.takeColour()
    }
    guard let colour = Colour(numbers) else { return }
    switch number {
    case 38: foreground = colour
    case 48: background = colour
    default: underlineColour = colour
    }
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

  /// The sequences that set them on a terminal with default attributes; empty if they are these.
  ///
  /// Parameters with colons have sequences of their own: older terminals discard these.
  var sequences: [UInt8] {
    if self == Rendition() { return [] }
    var plain = Self.styles.enumerated()
      .compactMap { bits & 1 << $0.offset == 0 ? nil : "\($0.element)" }
    var compound: [String] = []
    switch underline {
    case 0: break
    case 1: plain.append("4")
    case 21: plain.append("21")
    default: compound.append("4:\(underline)")
    }
    if !foreground.isDefault { plain.append(foreground.parameters(first: 30, extended: 38)) }
    if !background.isDefault { plain.append(background.parameters(first: 40, extended: 48)) }
    if !underlineColour.isDefault {
      compound.append(underlineColour.parameters(first: nil, extended: 58))
    }
    let all = (plain.isEmpty ? [] : [plain.joined(separator: ";")]) + compound
    return Array(all.map { "\u{1B}[\($0)m" }.joined().utf8)
  }

  /// Appends what brings a terminal from any colours and styles to these.
  func restore(into output: inout [UInt8]) {
    output.append("\u{1B}[0m")
    output += sequences
  }

  /// Whether erased cells would get a colour: of the background, or by reverse.
  var coloursBackground: Bool {
    !background.isDefault || bits & Self.reverse != 0
  }
}
