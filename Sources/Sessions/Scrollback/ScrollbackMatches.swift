/// The newest lines of a scrollback that match a pattern, for another thread that searches.
package struct ScrollbackMatches: Sendable {
  /// A line that matches.
  package struct Line: Sendable {
    /// The number of the device's bytes before the line, including dropped ones.
    package let offset: Int
    /// The time of the line in milliseconds since 1970-01-01 UTC.
    package let time: UInt64
    /// The bytes of the line, with its line end.
    package let bytes: [UInt8]
  }

  /// The number of the device's bytes that were dropped before the first line.
  package let firstOffset: Int
  /// The newest lines that match, the oldest of them first.
  package var lines: [Line] = []
  /// The number of all lines that match, of those that were searched.
  package var total = 0
  /// The number of the device's bytes before the oldest line that was searched.
  package var searchedOffset = 0
  /// Whether all lines were searched.
  package var isComplete = true
}
