import NetworkLinks
package import Observing
import SerialCore
import Telnet

/// The members of a session and its pen, as the local user sees them.
///
/// A user who has joined a session in another program deals with the members there; otherwise with
/// those who have joined here.
package final class UserSharing {
  /// The members and the pen: those of ``control``.
  @Observed package private(set) var sharing = Sharing()
  /// The members of the session at the far end; nil if the far end is not a session.
  package private(set) var remote: RemoteSharing?
  /// The events of the session at the far end, also after the link to it was made again.
  package let remoteNews = Observable<RemoteSharing.News>()
  /// Whether no member may send; see ``SharingController/isReadOnly``. A session in another program
  /// gets its pen back.
  package var isReadOnly: Bool {
    get { local.isReadOnly }
    set {
      local.isReadOnly = newValue
      remote?.isReadOnly = newValue
    }
  }

  private let local: SharingController
  private let download: LogDownload
  /// The name that the user has chosen during the session; nil if none.
  private var chosenName: String?
  private var localChanges: ObservationToken<Change<Sharing>>?
  private var remoteChanges: ObservationToken<Change<Sharing>>?

  /// - Parameters:
  ///   - local: the members who have joined here.
  ///   - log: the log of the session here.
  init(of local: SharingController, _ log: SessionLogger) {
    self.local = local
    download = LogDownload(of: log)
    localChanges = local.$sharing.observe { [unowned self] _ in update() }
  }

  /// Where the user asks for the pen: at the far end, if that is a session in which the user may
  /// not write; otherwise here.
  package var control: any PenControl {
    guard let remote, remote.isShared else { return local }
    return remote.sharing.pen != .mine || local.sharing.others.isEmpty ? remote : local
  }

  /// Starts to observe the session at the far end of a new link, in place of an earlier one.
  func observe(_ link: any Link) {
    guard let link = link as? NetworkLink else { return }
    if let chosenName { link.introduction.name = chosenName }
    let remote = RemoteSharing(
      of: link, isJoined: link.endpoint.kind == .session, news: remoteNews)
    self.remote = remote
    remoteChanges = remote.$sharing.observe { [unowned self] _ in update() }
    remote.isReadOnly = isReadOnly
    // A user who has joined a session has the pen only when that session has said so.
    update()
  }

  /// Changes the user's name for the other members: here, and in the session at the far end, also
  /// after the link to it was made again. An empty name is the one of the account or connection.
  package func rename(_ name: String) {
    chosenName = name
    local.rename(name)
    remote?.rename(name)
  }

  /// Reads a piece of the session's log: that of the far end, if the user has joined a session; see
  /// ``LogDownload/read(_:from:answer:)``.
  package func readLog(
    _ count: Int, from offset: Int, answer: @escaping LogDownload.Answer
  ) {
    if let remote, remote.sharing.isJoined {
      remote.readLog(count, from: offset, answer: answer)
    } else {
      download.read(count, from: offset, answer: answer)
    }
  }

  private func update() {
    var new = control.sharing
    // They are about the port, not about the pen.
    new.refusals = remote?.sharing.refusals ?? [:]
    sharing = new
  }
}
