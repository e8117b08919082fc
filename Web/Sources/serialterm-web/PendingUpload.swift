import NIOCore
import Synchronization

/// The file that a page sends at present, until the session has answered.
///
/// The task that reads the page's messages fills it, and the one that reads the session's events
/// removes it. The session opens a complete file by the number of its descriptor, which can be
/// another file's when it was closed: so it stays until the session has answered, or cannot open
/// it any more.
final class PendingUpload: Sendable {
  private let places: UploadPlaces
  private let upload = Mutex<Upload?>(nil)

  init(in places: UploadPlaces) { self.places = places }

  /// Begins a file, in place of one before that is not complete.
  ///
  /// - Returns: the command that sends it, if it is empty; otherwise nil.
  /// - Throws: `BrowserCommand.Refusal`.
  func begin(_ request: Upload.Request) throws(BrowserCommand.Refusal) -> String? {
    guard leave() else {
      throw BrowserCommand.Refusal(
        id: request.id, reason: "the file before is still being sent: wait for its end")
    }
    do throws(Upload.Trouble) {
      let begun = try Upload(request, in: places)
      upload.withLock { $0 = begun }
      return begun.isComplete ? begun.command : nil
    } catch {
      throw BrowserCommand.Refusal(id: request.id, reason: error.reason)
    }
  }

  /// Adds a piece. One that belongs to no file is dropped.
  ///
  /// - Returns: the command that sends the file, when all of it is here; otherwise nil.
  /// - Throws: `BrowserCommand.Refusal`.
  func add(_ piece: UnsafeRawBufferPointer) throws(BrowserCommand.Refusal) -> String? {
    guard let file = upload.withLock({ $0 }), !file.isComplete else { return nil }
    do throws(Upload.Trouble) {
      try file.add(piece)
    } catch {
      clear()
      throw BrowserCommand.Refusal(id: file.request.id, reason: error.reason)
    }
    return file.isComplete ? file.command : nil
  }

  /// The id of the page's command; nil while there is no file.
  var id: BrowserCommand.Scalar? { upload.withLock { $0?.request.id } }

  /// Removes the file if the session has answered its command.
  func note(_ event: SessionEvent) {
    if case .answered(let id) = event, id == self.id { clear() }
  }

  /// Removes the file, and gives its place back, unless the session may still open it.
  ///
  /// - Returns: whether there is no file any more.
  @discardableResult
  func leave() -> Bool { remove { !$0.isComplete } }

  /// Removes the file, and gives its place back. The session does not open it any more.
  func clear() { remove { _ in true } }

  @discardableResult
  private func remove(_ condition: (Upload) -> Bool) -> Bool {
    // Its end takes another lock.
    let (removed, isGone) = upload.withLock { (upload) -> (Upload?, Bool) in
      guard let present = upload else { return (nil, true) }
      guard condition(present) else { return (nil, false) }
      upload = nil
      return (present, true)
    }
    _ = removed
    return isGone
  }
}
