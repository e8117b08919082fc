/// The characters with their styles on a screen that is one column wider than any output.
struct Paper: Equatable, CustomStringConvertible {
  private(set) var rows: [[Cell]] = [[]]
  private var column = 0
  private var style: [String] = []

  struct Cell: Equatable {
    var character: Unicode.Scalar
    var style: [String]
  }

  /// Interprets output for a terminal: only text, CR, LF, TAB, BS, SGR, CUB and CUF.
  init(_ bytes: [UInt8]) {
    var scalars = String(decoding: bytes, as: UTF8.self).unicodeScalars[...]
    while let scalar = scalars.popFirst() {
      switch scalar {
      case "\r": column = 0
      case "\n": rows.append([])
      case "\t": column = (column / 8 + 1) * 8
      case "\u{8}": column = max(0, column - 1)
      case "\u{1B}":
        scalars.removeFirst()
        let parameters = scalars.prefix { !("A"..."z").contains($0) }
        scalars = scalars[parameters.endIndex...]
        apply(String(parameters), scalars.removeFirst())
      default: put(scalar)
      }
    }
  }

  private mutating func apply(_ parameters: String, _ final: Unicode.Scalar) {
    switch final {
    case "m":
      for parameter in parameters.split(separator: ";", omittingEmptySubsequences: false) {
        if parameter.isEmpty || parameter == "0" {
          style = []
        } else if style.last != String(parameter) {
          style.append(String(parameter))
        }
      }
    case "D": column = max(0, column - (Int(parameters) ?? 1))
    case "C": column += Int(parameters) ?? 1
    default: preconditionFailure("\(final)")
    }
  }

  private mutating func put(_ scalar: Unicode.Scalar) {
    let row = rows.count - 1
    while rows[row].count <= column { rows[row].append(Cell(character: " ", style: [])) }
    rows[row][column] = Cell(character: scalar, style: style)
    column += 1
  }

  /// The rows. The style of a text follows it in braces: `red{31}`.
  var description: String {
    rows.map { row in
      var text = ""
      var before: [String] = []
      for cell in row + [Cell(character: "\n", style: [])] {
        if cell.style != before, !before.isEmpty { text += "{\(before.joined(separator: ";"))}" }
        text.unicodeScalars.append(cell.character)
        before = cell.style
      }
      return text
    }.joined()
  }
}
