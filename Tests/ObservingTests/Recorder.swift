/// Writes down what it hears, and does something of its own each time.
final class Recorder {
  private(set) var heard: [Int] = []
  var onEvent: (Int) -> Void = { _ in }
  func hear(_ event: Int) {
    heard.append(event)
    onEvent(event)
  }
}
