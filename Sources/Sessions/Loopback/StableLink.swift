import Glibc
import Posix
public import SystemPackage

/// A symbolic link with a fixed path to a node whose name changes from run to run.
///
/// The link exists as long as the object. It replaces only a dangling link, such as one that a
/// killed process has left behind. A link that leads to the new node counts as dangling too,
/// because the numbers of pseudo-terminals are reused. If another file has replaced the link
/// meanwhile, that file is kept.
///
/// The link is also removed if a signal ends the program `serialterm`; not by SIGKILL, which no
/// program can handle.
public final class StableLink {
  /// The path of the link.
  public let path: FilePath
  /// The path that it points to.
  public let target: FilePath
  private var guarded: GuardedLink?

  /// Creates the link. The corresponding C function is `symlink`.
  ///
  /// - Parameters:
  ///   - path: the path of the link. Its folder must exist.
  ///   - target: the path that it points to, preferably absolute.
  /// - Throws: ``StableLinkError`` if a file exists at the path, or a system call fails.
  public init(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // Called before the object is complete: its deinitialiser would remove the existing link
    // if this fails.
    let guarded = GuardedLink(at: path, to: target)
    try Self.makeLink(at: path, to: target)
    self.path = path
    self.target = target
    self.guarded = guarded
  }

  deinit { remove() }

  /// Whether the link is still there. Another program may have removed or replaced it.
  package var isPresent: Bool { path.linkTarget == target }

  /// Removes the link, unless another file has replaced it. Further calls do nothing.
  public func remove() {
    defer { guarded = nil }
    // In the open folder, because the folder's own path may lead elsewhere by now.
    guard let entry = try? NameInFolder(path), let identity = entry.identity,
      entry.path.linkTarget == target
    else { return }
    // A link that cannot be removed will dangle soon, and can then be replaced.
    _ = try? entry.remove(ifStill: identity)
  }

  private static func makeLink(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // symlink(2) never replaces a file. If none exists, this call is sufficient.
    do {
      try target.makeLink(at: path)
    } catch .fileExists {
      try refuseUnlessStale(path, apartFrom: target)
      try replaceStaleLink(at: path, by: target)
    } catch {
      throw StableLinkError(path: path, reason: .failed("symlink", error))
    }
  }

  /// Replaces the old link atomically.
  ///
  /// A file that is created in the microseconds between the check and rename(2) is lost, because
  /// rename(2) cannot check.
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

  /// Creates a link to the target next to the path, with an unused name.
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

  /// The file that must not be replaced; nil if there is no file or a dangling link.
  fileprivate func occupant() throws(Errno) -> StableLinkError.Occupant? {
    let type: FileType
    do { type = try stat(followTargetSymlink: false).type } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
    return switch type {
    case .regular: .file
    case .directory: .directory
    case .symbolicLink: isDangling ? nil : linkTarget.map { .link(to: $0) } ?? .special
    default: .special
    }
  }

  /// Whether the link is dangling; false if that cannot be determined.
  private var isDangling: Bool {
    do {
      _ = try stat()
      return false
    } catch {
      return error == .noSuchFileOrDirectory || error == .notDirectory
    }
  }
}
