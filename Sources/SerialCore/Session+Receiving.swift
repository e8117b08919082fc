import Posix

extension Session {
  /// Reads once: another descriptor may be waiting for its turn.
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

  /// Reads what is left, then lets go of the link.
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

  /// Tells observers of bytes that were read behind the unfinished ones.
  private func take(received count: Int, from link: any Link) {
    let end = unfinishedCount + count
    guard link.marksErrors else { return tellReceived(0..<end) }
    var decoder = ErrorMarkDecoder(UnsafeMutableRawBufferPointer(rebasing: readBuffer[..<end]))
    // An observer may close the port: what it has not heard by then it does not want.
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

  /// A mark whose rest will not come is no mark.
  private func tellUnfinished() {
    guard unfinishedCount > 0 else { return }
    tellReceived(0..<unfinishedCount)
    unfinishedCount = 0
  }

  private func tellReceived(_ range: Range<Int>) {
    notify(.received(UnsafeRawBufferPointer(rebasing: readBuffer[range])))
  }
}
