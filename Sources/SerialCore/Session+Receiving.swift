import Posix

extension Session {
  /// Reads once, so that other descriptors have their turn.
  func receive() {
    guard let link else { return }
    do throws(SerialError) {
      switch try read(from: link) {
      case .bytes(let count): take(received: count, from: link)
      case .wouldBlock: break
      case .endOfFile: loseLink(SerialError(.lost, in: "read", at: link.path))
      }
    } catch {
      loseLink(error)
    }
  }

  /// Reads the bytes that are left, then closes the link.
  func loseLink(_ error: SerialError) {
    let lost = link
    while let link, link === lost, case .bytes(let count)? = try? read(from: link) {
      take(received: count, from: link)
    }
    if link === lost { tellUnfinished() }
    if link === lost { take(.linkLost(error)) }
  }

  private func read(from link: any Link) throws(SerialError) -> ReadOutcome {
    try link.read(into: UnsafeMutableRawBufferPointer(rebasing: readBuffer[unfinishedCount...]))
  }

  /// Notifies observers of the bytes that were read after the unfinished ones.
  private func take(received count: Int, from link: any Link) {
    let end = unfinishedCount + count
    guard link.marksErrors else { return tellReceived(0..<end) }
    var decoder = ErrorMarkDecoder(UnsafeMutableRawBufferPointer(rebasing: readBuffer[..<end]))
    // An observer may close the port: the rest is not wanted then.
    while self.link === link, let piece = decoder.next() {
      switch piece {
      case .bytes(let range): tellReceived(range)
      case .error(let error): notify(.lineError(error))
      }
    }
    guard self.link === link else { return }
    unfinishedCount = decoder.unfinished.count
    readBuffer.copyMemory(
      from: UnsafeRawBufferPointer(rebasing: readBuffer[decoder.unfinished]))
  }

  /// Notifies observers of an unfinished mark as data: its rest will not come.
  private func tellUnfinished() {
    guard unfinishedCount > 0 else { return }
    tellReceived(0..<unfinishedCount)
    unfinishedCount = 0
  }

  private func tellReceived(_ range: Range<Int>) {
    notify(.received(UnsafeRawBufferPointer(rebasing: readBuffer[range])))
  }
}
