/// The present request of ZMODEM's sender: when it is repeated, and when it is sent again because
/// the receiver has repeated its own.
struct ZmodemRequest {
  /// What to send again after the time of a round trip.
  enum Again { case request, data }

  /// The number of times that it was sent.
  private(set) var count = 0
  /// The time when it was sent, or the present frame begun.
  private(set) var time = Duration.zero
  /// The time to repeat it; nil until the port has taken it.
  private(set) var repeatTime: Duration?
  var interval = ZmodemPatience.request
  /// Set if the receiver has repeated its request so soon that it may not have received
  /// the answer yet.
  var again: Again?
  /// The time from the end of a frame to its acknowledgement. It is long until it was measured.
  private(set) var roundTrip = Duration.seconds(1)

  /// Forgets how often the last request was sent.
  mutating func reset() { count = 0 }

  /// Counts that it is sent, once more.
  mutating func isSent() {
    count += 1
    again = nil
    interval = ZmodemPatience.request
  }

  mutating func restart(at now: Duration) { time = now }

  mutating func schedule(on side: ZmodemSide) { repeatTime = side.time(for: interval) }

  /// The time at which the receiver must have received the last bytes, and its answer must have
  /// arrived; nil until the port has taken the bytes.
  ///
  /// - Parameter isStreaming: whether data are sent that the receiver does not acknowledge.
  func againTime(on side: ZmodemSide, isStreaming: Bool) -> Duration? {
    if side.unsentCount == 0 { return max(time, side.carriedTime) + roundTrip * 2 }
    return isStreaming ? time + roundTrip * 2 : nil
  }

  /// - Parameter isLonger: whether the result may be longer than the present value. A person may
  ///   answer an offer, which takes time.
  mutating func measureRoundTrip(on side: ZmodemSide, isLonger: Bool) {
    guard side.unsentCount == 0 else { return }
    let measured = max(side.now - max(time, side.carriedTime), .milliseconds(25))
    roundTrip = isLonger ? measured : min(measured, roundTrip)
  }
}
