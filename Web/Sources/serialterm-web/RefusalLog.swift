import NIOHTTP1

/// Which refused requests are in the log: each reason once, and not many, as anybody can send requests.
/// A value.
struct RefusalLog {
  private var seen: Set<String> = []

  /// The most reasons. The session that has started the server reports the first 20 lines of the log.
  static let limit = 8

  /// Notes a refused request.
  ///
  /// - Returns: the lines for the log.
  mutating func lines(about reason: String) -> [String] {
    guard seen.count < Self.limit, seen.insert(reason).inserted else { return [] }
    return [reason]
      + (seen.count < Self.limit ? [] : ["Further refused requests are not logged."])
  }
}
