/// Output that is shown later, up to a limit. Bytes above the limit are dropped and counted.
final class WithheldOutput {
  private var backlog = Backlog()

  /// Keeps bytes.
  ///
  /// - Parameter isMessage: whether they are a message, which is never dropped.
  package func append(_ bytes: UnsafeRawBufferPointer, isMessage: Bool) {
    backlog.append(bytes, isMessage: isMessage)
  }

  /// Writes the kept bytes and the number of dropped ones, and clears both.
  ///
  /// - Returns: whether bytes were dropped.
  package func write(to output: (UnsafeRawBufferPointer, _ isMessage: Bool) -> Void) -> Bool {
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
