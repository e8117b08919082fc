import TextTools

/// An invalid item in a list `name=value,name=value`.
public struct ItemParsingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Its position in the list, from 1.
  public let position: Int
  /// The item, as it was written.
  public let item: String
  /// What is expected, in words.
  public let expected: String

  /// The item that is wrong, and what is expected.
  public var description: String { "item \(position), '\(item)': expected \(expected)" }
}

/// An item of such a list: `name=value`, or a name alone.
struct ListItem {
  let position: Int
  let text: String
  let name: Substring
  let value: Substring?

  /// The items of a list, with the blanks around them left out.
  static func items(of list: some StringProtocol) -> [ListItem] {
    list.split(separator: ",", omittingEmptySubsequences: false).enumerated().map { index, item in
      let text = String(item.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
      let parts = text.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
      return ListItem(
        position: index + 1, text: text, name: parts[0], value: parts.count == 2 ? parts[1] : nil)
    }
  }

  /// `on` or `off`.
  func flag() throws(ItemParsingError) -> Bool {
    switch value {
    case "on": return true
    case "off": return false
    default: throw error("\(name)=on or \(name)=off")
    }
  }

  /// A whole number of milliseconds, or a time with its unit: `100`, `100ms`, `2s`.
  func milliseconds(_ range: ClosedRange<Int>) throws(ItemParsingError) -> Int {
    // Double.init accepts a sign, which makes no sense in a duration.
    guard let value, value.utf8.first.map({ (0x30...0x39).contains($0) }) == true,
      let number = WrittenTime(String(value), unit: 0.001)?.wholeMilliseconds,
      range.contains(number)
    else { throw error("\(name)=MS, milliseconds from \(range.lowerBound) to \(range.upperBound)") }
    return number
  }

  /// A baud rate.
  func baudRate() throws(ItemParsingError) -> UInt32 {
    guard let value, let rate = try? LineSettings.baudRate(parsing: value) else {
      throw error("\(name)=RATE, a whole number from 1 to \(LineSettings.baudRates.upperBound)")
    }
    return rate
  }

  func error(_ expected: String) -> ItemParsingError {
    ItemParsingError(position: position, item: text, expected: expected)
  }
}
