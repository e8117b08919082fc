import Posix

/// What is to be shown later, as far as there is room; the rest is counted.
final class WithheldOutput {
  private var queue = ByteQueue(capacity: 524_288)
  private var leftOut = 0

  /// Keeps bytes. Once something had to be left out, all that follows is: no gap is hidden.
  func append(_ bytes: UnsafeRawBufferPointer) {
    if leftOut > 0 || !queue.append(bytes) { leftOut += bytes.count }
  }

  /// Writes what was kept, and how much was not; nothing is kept any more.
  func write(to output: OutputChannel) {
    while !queue.isEmpty {
      let front = queue.front
      output.write(front)
      queue.removeFirst(front.count)
    }
    if leftOut > 0 { output.write(OutputChannel.notShown(leftOut)) }
  }
}
