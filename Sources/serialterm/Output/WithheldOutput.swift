/// What is to be shown later, as far as there is room; the rest is counted.
final class WithheldOutput {
  private var backlog = Backlog()

  /// Keeps bytes.
  ///
  /// - Parameter isMessage: whether they are ours, and never left out.
  func append(_ bytes: UnsafeRawBufferPointer, isMessage: Bool) {
    backlog.append(bytes, isMessage: isMessage)
  }

  /// Writes what was kept, and how much was not; nothing is kept any more.
  ///
  /// - Returns: whether anything is missing.
  func write(to output: (UnsafeRawBufferPointer, _ isMessage: Bool) -> Void) -> Bool {
    writeQueue(to: output, areMessages: false)
    let missing = backlog.settle(saying: OutputChannel.notShown)
    writeQueue(to: output, areMessages: true)
    return missing > 0
  }

  private func writeQueue(
    to output: (UnsafeRawBufferPointer, _ isMessage: Bool) -> Void, areMessages: Bool
  ) {
    while !backlog.front.isEmpty {
      let front = backlog.front
      output(front, areMessages)
      backlog.removeFirst(front.count)
    }
  }
}
