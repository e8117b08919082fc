import Posix

extension Session {
  /// Reads once, so that other descriptors have their turn.
  func receive() {
    guard let link else { return }
    do throws(SerialError) {
      if case .endOfFile = try read(from: link, isLast: false) {
        lose(link, SerialError(.lost, in: "read", at: link.endpoint))
      }
    } catch {
      lose(link, error)
    }
  }

  /// Reads the bytes that are left, then closes the link. A link that is being opened has failed.
  func lose(_ lost: any Link, _ error: SerialError) {
    if opening?.link === lost {
      take(.openFailed(error))
      return
    }
    while link === lost, case .bytes? = try? read(from: lost, isLast: true) {}
    if link === lost { take(.linkLost(error)) }
  }

  private func read(from link: any Link, isLast: Bool) throws(SerialError) -> ReadOutcome {
    try link.read(into: readBuffer, isLast: isLast) { input in
      switch input {
      case .bytes(let bytes):
        receivedByteCount += bytes.count
        notify(.received(bytes))
      case .error(let error): notify(.lineError(error))
      }
      // An observer may close the port: the rest is not wanted then.
      return self.link === link
    }
  }
}
