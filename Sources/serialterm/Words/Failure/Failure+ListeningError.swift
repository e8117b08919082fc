import NetworkLinks
import Posix
import Sessions
import SystemPackage
import TextTools

extension Failure {
  /// Describes why clients cannot be accepted at a place.
  init(_ error: ListeningError, listeningAt listenAddress: PortServer.ListenAddress) {
    self.init(
      .otherFailure,
      "cannot listen at \(listenAddress.name): \(error.words(at: listenAddress.place)).")
  }
}

extension ListeningError {
  fileprivate func words(at place: PortServer.ListenAddress.Place) -> String {
    switch (errno, place) {
    case (.addressInUse, .path(let path)):
      let type = try? path.stat(followTargetSymlink: false).type
      return type == .socket
        ? "another program listens at this socket" : "there is a file of that name"
    case (.addressInUse, _): return "another program uses this port"
    case (.addressNotAvailable, _): return "this computer does not have that address"
    case (.noSuchFileOrDirectory, .path) where !Procfs.isMounted:
      return "a socket needs /proc, which is not mounted here"
    case (.noSuchFileOrDirectory, .path): return "there is no such folder"
    case (.permissionDenied, .host): return "only root may use ports below 1024"
    default: return reason.harmless
    }
  }
}
