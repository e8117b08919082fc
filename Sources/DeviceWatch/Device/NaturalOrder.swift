/// Whether a name comes before another one in natural order: `ttyUSB2` before `ttyUSB10`.
///
/// Runs of digits are compared as numbers of any length, everything else byte by byte. It is a
/// total order: leading zeros decide between names that are otherwise equal.
func naturallyPrecedes(_ left: String, _ right: String) -> Bool {
  var (a, b) = (Substring(left).utf8, Substring(right).utf8)
  while let first = a.first, let second = b.first {
    if isDigit(first) && isDigit(second) {
      let (x, y) = (readNumber(&a), readNumber(&b))
      if x.count != y.count { return x.count < y.count }
      if !x.elementsEqual(y) { return x.lexicographicallyPrecedes(y) }
    } else {
      if first != second { return first < second }
      a.removeFirst()
      b.removeFirst()
    }
  }
  guard a.isEmpty && b.isEmpty else { return a.isEmpty }
  return left.utf8.lexicographicallyPrecedes(right.utf8)
}

/// Removes the digits at the front, and returns them without leading zeros.
private func readNumber(_ text: inout Substring.UTF8View) -> Substring.UTF8View {
  let number = text.prefix(while: isDigit)
  text = text.dropFirst(number.count)
  return number.drop { $0 == UInt8(ascii: "0") }
}

private func isDigit(_ byte: UInt8) -> Bool {
  (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
}
