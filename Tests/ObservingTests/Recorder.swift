/// Records the received events, and calls a closure for each.
final class Recorder {
  private(set) var heard: [Int] = []
  var onEvent: (Int) -> Void = { _ in }
  func hear(_ event: Int) {
    heard.append(event)
    onEvent(event)
  }
}
