package import SerialCore
package import SystemPackage
package import Time

/// Sends a file or another source unchanged, at the device's pace.
///
/// Bytes that were typed earlier are sent first.
package struct PlainFile: Exchange {
  /// How sending ended.
  package enum End: Hashable, Sendable {
    /// The driver has taken all of it.
    case done
    /// The user stopped it.
    case stopped
    /// The session ended, or lost its port.
    case cutOff
    /// The file could not be read to its end.
    case unreadable(Errno)
  }

  /// The file's name, without its folder.
  package let name: String
  /// The file's size when it was opened, in bytes. It may shrink or grow.
  package let size: Int
  /// The number of bytes that were sent. While the file is sent, this is what the driver has taken;
  /// at the end, without the bytes that it gave back.
  package private(set) var sentCount = 0
  package let author: Author?
  package let reception = ExchangeReception.nothing
  package let reportsUnsent = true

  private var writtenCount = 0
  private var isRead = false
  private var isLeaving = false

  private static let piece = 32_768

  /// Creates the exchange; nothing is sent yet.
  ///
  /// - Parameter author: the author of what is sent; nil for the file itself.
  package init(_ name: String, size: Int, by author: Author? = nil) {
    self.name = name
    self.size = size
    self.author = author ?? .file(name)
  }

  /// Reports ``sentCount``.
  package mutating func handle(
    _ event: ExchangeEvent, at now: MonotonicTime
  ) -> [ExchangeAction<Int, End>] {
    switch event {
    case .begun: return [.report(0), .read(atMost: Self.piece)]
    case .read(let bytes):
      writtenCount += bytes.count
      return [.send(bytes), .read(atMost: Self.piece)]
    case .endOfSource:
      isRead = true
      return endIfSent
    case .sourceFailed(let error): return [.withdraw, .finish(.unreadable(error))]
    case .sent(let count):
      sentCount += count
      return [.report(sentCount)] + endIfSent
    case .stopped: return [.withdraw, .finish(.stopped)]
    case .leaving:
      isLeaving = true
      return [.withdraw]
    case .cutOff(let sent):
      sentCount = sent
      return [.finish(.cutOff)]
    case .sendFailed: return [.finish(.cutOff)]
    case .received, .drained, .standstill, .performed, .woken, .resumed, .room, .stored,
      .storageFailed, .lost, .regained:
      return []
    }
  }

  private var endIfSent: Actions {
    isRead && !isLeaving && sentCount == writtenCount ? [.finish(.done)] : []
  }
}

/// A file that is being sent.
package typealias FileTransfer = ExchangeRunner<PlainFile>

extension PlainFile {
  /// The exchange that sends an open file.
  package init(_ path: FilePath, _ source: FileSource) {
    self.init(path.lastComponent?.string ?? path.string, size: source.size)
  }
}
