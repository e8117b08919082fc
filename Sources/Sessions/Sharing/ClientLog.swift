import Telnet

/// Sends the session's log to a client that asks for it, if the owner shares it.
final class ClientLog {
  private let member: ClientMember
  private let channel: ClientChannel
  private let download: LogDownload
  private var isReported = false

  init(_ download: LogDownload, for member: ClientMember, through channel: ClientChannel) {
    (self.download, self.member, self.channel) = (download, member, channel)
  }

  /// Sends a piece; see ``SharingMessage/readLog(offset:count:)``. The answer comes later.
  func send(_ count: UInt32, from offset: UInt64) {
    guard member.isPerson else { return }
    if let refusal = member.refusal(.sharedLog) {
      download.forget()
      isReported = false
      return fail(at: offset, because: refusal.text)
    }
    if !isReported {
      isReported = true
      member.report(.readsLog)
    }
    download.read(Int(count), from: Int(clamping: offset)) { [unowned self] in
      switch $0 {
      case .success(let piece): send(piece, at: offset)
      case .failure(let failure): fail(at: offset, because: failure.text)
      }
    }
  }

  private func send(_ piece: LogDownload.Piece, at offset: UInt64) {
    channel.update { server in
      var rest = piece.bytes[...]
      while !rest.isEmpty {
        server.send(.logBytes(Array(rest.prefix(SharingMessage.historyLimit))))
        rest = rest.dropFirst(SharingMessage.historyLimit)
      }
      server.send(.logPiece(offset: offset, size: UInt64(piece.size), name: piece.name))
    }
    channel.flush()
  }

  private func fail(at offset: UInt64, because reason: String) {
    member.sendMessage(.logFailed(offset: offset, reason))
  }
}
