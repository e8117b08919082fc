import TextTools

extension LineFields {
  /// The maximum depth of objects and arrays.
  private static let maximalDepth = 32

  /// Reads the numbers of a JSON object. The names of what contains a number are
  /// joined with points.
  ///
  /// ``JSON`` does not keep where the digits of a number are, and allocates memory for every value.
  /// As in Python's json, NaN and Infinity are numbers.
  mutating func readObject(_ line: UnsafeRawBufferPointer) -> Bool {
    clear()
    hasNameText = true
    var index = Self.skipBlanks(line, from: 0)
    guard index < line.count, line[index] == UInt8(ascii: "{"),
      readValue(line, &index, path: 0..<0, depth: 0),
      Self.skipBlanks(line, from: index) == line.count
    else { return false }
    return !fields.isEmpty
  }

  /// Reads a value. Its path is a range of ``nameText``.
  private mutating func readValue(
    _ line: UnsafeRawBufferPointer, _ index: inout Int, path: Range<Int>, depth: Int
  ) -> Bool {
    index = Self.skipBlanks(line, from: index)
    guard index < line.count, depth < Self.maximalDepth else { return false }
    switch line[index] {
    case UInt8(ascii: "{"): return readMembers(line, &index, path: path, depth: depth)
    case UInt8(ascii: "["): return readElements(line, &index, path: path, depth: depth)
    case UInt8(ascii: "\""): return Self.string(line, &index) != nil
    default:
      if let number = NumberText.number(in: line, from: index) {
        if !path.isEmpty {
          fields.append(Field(name: path, value: number.value, text: index..<number.end))
        }
        index = number.end
        return true
      }
      return ["true", "false", "null"].contains { (word: StaticString) in
        Self.consume(word, line, &index)
      }
    }
  }

  private mutating func readMembers(
    _ line: UnsafeRawBufferPointer, _ index: inout Int, path: Range<Int>, depth: Int
  ) -> Bool {
    if Self.consumeOpening(UInt8(ascii: "}"), line, &index) { return true }
    repeat {
      index = Self.skipBlanks(line, from: index)
      guard let name = Self.string(line, &index), Self.consume(":", line, &index) else {
        return false
      }
      let own = appendPath(path, of: line[name])
      guard let own, readValue(line, &index, path: own, depth: depth + 1) else { return false }
    } while Self.consume(",", line, &index)
    return Self.consume("}", line, &index)
  }

  private mutating func readElements(
    _ line: UnsafeRawBufferPointer, _ index: inout Int, path: Range<Int>, depth: Int
  ) -> Bool {
    if Self.consumeOpening(UInt8(ascii: "]"), line, &index) { return true }
    var number = 0
    repeat {
      guard let own = appendPath(path, of: "\(number)".utf8),
        readValue(line, &index, path: own, depth: depth + 1)
      else { return false }
      number += 1
    } while Self.consume(",", line, &index)
    return Self.consume("]", line, &index)
  }

  /// The maximum length of all paths in a line.
  private static let maximalPaths = 65_536

  /// Appends the path of a member to ``nameText``.
  ///
  /// - Returns: nil if the name is no valid string, or if the paths are too long.
  private mutating func appendPath(
    _ path: Range<Int>, of name: some Collection<UInt8>
  ) -> Range<Int>? {
    guard nameText.count + path.count + name.count < Self.maximalPaths else { return nil }
    let start = nameText.count
    if !path.isEmpty {
      for index in path { nameText.append(nameText[index]) }
      nameText.append(UInt8(ascii: "."))
    }
    if name.contains(UInt8(ascii: "\\")) {
      let quoted = [UInt8(ascii: "\"")] + name + [UInt8(ascii: "\"")]
      guard let text = (try? JSON(parsing: quoted[...]))?.string else { return nil }
      nameText += text.utf8
    } else {
      nameText += name
    }
    return start..<nameText.count
  }

  /// Reads a string.
  ///
  /// - Returns: its range without the quotation marks; nil if it does not end.
  private static func string(
    _ line: UnsafeRawBufferPointer, _ index: inout Int
  ) -> Range<Int>? {
    guard index < line.count, line[index] == UInt8(ascii: "\"") else { return nil }
    let start = index + 1
    index = start
    while index < line.count, line[index] != UInt8(ascii: "\"") {
      index += line[index] == UInt8(ascii: "\\") ? 2 : 1
    }
    guard index < line.count else { return nil }
    index += 1
    return start..<(index - 1)
  }

  /// Consumes an opening bracket, and the closing one if nothing is between them.
  private static func consumeOpening(
    _ closing: UInt8, _ line: UnsafeRawBufferPointer, _ index: inout Int
  ) -> Bool {
    index = skipBlanks(line, from: index + 1)
    guard index < line.count, line[index] == closing else { return false }
    index += 1
    return true
  }

  private static func consume(
    _ word: StaticString, _ line: UnsafeRawBufferPointer, _ index: inout Int
  ) -> Bool {
    let start = skipBlanks(line, from: index)
    guard line.dropFirst(start).starts(with: word.bytes) else { return false }
    index = start + word.utf8CodeUnitCount
    return true
  }
}
