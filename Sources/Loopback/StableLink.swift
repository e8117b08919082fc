import Glibc
import Posix
public import SystemPackage

/// A symbolic link at a path of one's own choice to a node whose name changes from run to run.
///
/// The link lasts as long as the object. It never takes the place of anything but a link that leads
/// nowhere, as one is left behind by a process that was killed, or would if our node did not exist
/// by now: pseudo-terminals get the numbers of those that have gone. What has taken *its* place
/// meanwhile is left alone.
public final class StableLink {
  /// Where the link is.
  public let path: FilePath
  /// What it leads to.
  public let target: FilePath

  /// Creates the link. The corresponding C function is `symlink`.
  ///
  /// - Parameters:
  ///   - path: where; its folder must exist.
  ///   - target: what it leads to, best absolute.
  /// - Throws: ``StableLinkError``, if something is there, or what a system call says.
  public init(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // An object that is whole would remove the link that is there when this fails.
    try Self.makeLink(at: path, to: target)
    self.path = path
    self.target = target
  }

  deinit { remove() }

  /// Removes the link, unless something else is there by now. Calling it again does nothing.
  public func remove() {
    guard (try? path.linkTarget()) == target else { return }
    // One that cannot be removed soon leads nowhere, and does not stop the next from being made.
    _ = path.withPlatformString { unlink($0) }
  }

  private static func makeLink(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // symlink(2) never replaces anything: with nothing there it is all that is needed.
    do {
      try target.makeLink(at: path)
    } catch .fileExists {
      try refuseUnlessStale(path, apartFrom: target)
      try replaceStaleLink(at: path, by: target)
    } catch {
      throw StableLinkError(path: path, reason: .failed("symlink", error))
    }
  }

  /// Puts a link to the target in the place of the old one: at no time there is none.
  ///
  /// What somebody puts there after the old one was looked at, some microseconds before, is lost:
  /// rename(2) knows no "only if it is still the same".
  private static func replaceStaleLink(
    at path: FilePath, by target: FilePath
  ) throws(StableLinkError) {
    let temporary = try makeTemporaryLink(beside: path, to: target)
    do {
      try systemCall {
        temporary.withPlatformString { old in
          path.withPlatformString { rename(old, $0) }
        }
      }
    } catch {
      _ = temporary.withPlatformString { unlink($0) }
      throw StableLinkError(path: path, reason: .failed("rename", error))
    }
  }

  /// Creates a link to the target beside the path, under a name that nothing has.
  private static func makeTemporaryLink(
    beside path: FilePath, to target: FilePath
  ) throws(StableLinkError) -> FilePath {
    while true {
      let suffix = UInt32.random(in: .min ... .max)
      let temporary = FilePath(path.string + "." + String(suffix, radix: 36))
      do {
        try target.makeLink(at: temporary)
        return temporary
      } catch .fileExists {
        continue
      } catch {
        throw StableLinkError(path: temporary, reason: .failed("symlink", error))
      }
    }
  }

  private static func refuseUnlessStale(
    _ path: FilePath, apartFrom target: FilePath
  ) throws(StableLinkError) {
    let occupant: StableLinkError.Occupant?
    do { occupant = try path.occupant() } catch {
      throw StableLinkError(path: path, reason: .failed("stat", error))
    }
    guard let occupant, occupant != .link(to: target) else { return }
    throw StableLinkError(path: path, reason: .occupied(by: occupant))
  }
}

@available(*, unavailable)
extension StableLink: Sendable {}

extension FilePath {
  /// Makes a symbolic link to this path. The corresponding C function is `symlink`.
  fileprivate func makeLink(at path: FilePath) throws(Errno) {
    try systemCall {
      withPlatformString { target in path.withPlatformString { symlink(target, $0) } }
    }
  }

  /// What the symbolic link says. The corresponding C function is `readlink`.
  fileprivate func linkTarget() throws(Errno) -> FilePath {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let capacity = buffer.count - 1
    try systemCall { withPlatformString { readlink($0, &buffer, capacity) } }
    return FilePath(platformString: buffer)
  }

  /// What is here that must not be replaced: nil for nothing, and for a link that leads nowhere.
  fileprivate func occupant() throws(Errno) -> StableLinkError.Occupant? {
    let type: FileType
    do { type = try stat(followTargetSymlink: false).type } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
    return switch type {
    case .regular: .file
    case .directory: .directory
    case .symbolicLink: leadsNowhere ? nil : .link(to: try linkTarget())
    default: .special
    }
  }

  /// Whether following the link ends at a name that nothing has; not if that cannot be told.
  private var leadsNowhere: Bool {
    do {
      _ = try stat()
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory
    }
  }
}
