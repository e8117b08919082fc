/// The series of a device by their names, a bounded number.
///
/// The bytes of a name are compared in place. A name with two units is two series, because their
/// numbers cannot share an axis; a value without unit belongs to any.
struct SeriesTable {
  private(set) var series: [SeriesName] = []
  private let limit: Int
  /// The bytes of all names, and those of each.
  private var bytes: [UInt8] = []
  private var names: [Range<Int>] = []
  private var units: [[UInt8]] = []

  init(limit: Int) { self.limit = limit }

  var isFull: Bool { series.count >= limit }

  /// Whether a series has a name and a unit. A series without a unit gets it.
  mutating func matches(
    _ number: Int, _ name: UnsafeRawBufferPointer, unit: UnsafeRawBufferPointer
  ) -> Bool {
    let range = names[number]
    guard range.count == name.count else { return false }
    let start = range.lowerBound
    for index in 0..<name.count where bytes[start + index] != name[index] { return false }
    guard !unit.isEmpty else { return true }
    if units[number].isEmpty {
      units[number] = Array(unit)
      series[number] = Self.shown(name, unit)
      return true
    }
    return units[number].elementsEqual(unit)
  }

  mutating func index(
    of name: UnsafeRawBufferPointer, unit: UnsafeRawBufferPointer
  ) -> Int? {
    for number in series.indices where matches(number, name, unit: unit) { return number }
    return nil
  }

  /// Adds a series, if there is room.
  mutating func add(_ name: UnsafeRawBufferPointer, unit: UnsafeRawBufferPointer) -> Int? {
    guard !isFull else { return nil }
    names.append(bytes.count..<(bytes.count + name.count))
    bytes += name
    units.append(Array(unit))
    series.append(Self.shown(name, unit))
    return series.count - 1
  }

  /// The series of a column of CSV, which is added if there is room.
  mutating func index(ofColumn name: [UInt8], unit: [UInt8]) -> Int? {
    name.withUnsafeBytes { name in
      unit.withUnsafeBytes { unit in index(of: name, unit: unit) ?? add(name, unit: unit) }
    }
  }

  private static func shown(
    _ name: UnsafeRawBufferPointer, _ unit: UnsafeRawBufferPointer
  ) -> SeriesName {
    SeriesName(
      String(decoding: name, as: UTF8.self),
      unit: unit.isEmpty ? nil : String(decoding: unit, as: UTF8.self))
  }
}
