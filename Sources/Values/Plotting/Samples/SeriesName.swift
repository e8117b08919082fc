import TextTools

/// A series of numbers, as the device names it.
public struct SeriesName: Hashable, Sendable {
  /// The maximum number of characters of a name, and of a unit.
  public static let maximalLength = 64

  /// The name. It is harmless to show.
  public let name: String
  /// The unit of the numbers, harmless too; nil if the device sends none.
  public let unit: String?

  /// Creates a name from texts of a device.
  ///
  /// Characters that control a terminal become U+FFFD; what is beyond the maximum length
  /// is left out.
  public init(_ name: String, unit: String? = nil) {
    self.name = Self.shown(name)
    self.unit = unit.map(Self.shown)
  }

  private static func shown(_ text: String) -> String {
    String(String.UnicodeScalarView(text.unicodeScalars.prefix(maximalLength))).harmless
  }
}
