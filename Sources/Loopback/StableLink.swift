import Glibc
import Posix
public import SystemPackage

/// A symbolic link with a fixed path to a node whose name changes from run to run.
///
/// The link exists as long as the object. It replaces nothing but a dangling link, which a killed
/// process leaves behind. A link that leads to the new node counts as dangling too, because numbers of
/// pseudo-terminals are reused. If something else has replaced the link meanwhile, that is kept.
public final class StableLink {
  /// The path of the link.
  public let path: FilePath
  /// The path that it points to.
  public let target: FilePath

  /// Creates the link. The corresponding C function is `symlink`.
  ///
  /// - Parameters:
  ///   - path: The path of the link; its folder must exist.
  ///   - target: The path that it points to, preferably absolute.
  /// - Throws: ``StableLinkError`` if something exists at the path, or a system call fails.
  public init(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // A fully initialised object would remove the existing link when this fails.
    try Self.makeLink(at: path, to: target)
    self.path = path
    self.target = target
  }

  deinit { remove() }

  /// Removes the link, unless something else has replaced it. Further calls do nothing.
  public func remove() {
    guard (try? path.linkTarget()) == target else { return }
    // A link that cannot be removed will dangle soon, and can then be replaced.
    _ = path.withPlatformString { unlink($0) }
  }

  private static func makeLink(at path: FilePath, to target: FilePath) throws(StableLinkError) {
    // symlink(2) never replaces anything; if nothing exists, it is sufficient.
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
  /// A file created in the microseconds between the check and rename(2) is lost: rename(2) cannot
  /// compare.
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

  /// The target of the symbolic link. The corresponding C function is `readlink`.
  fileprivate func linkTarget() throws(Errno) -> FilePath {
    var buffer = [CChar](repeating: 0, count: Int(PATH_MAX) + 1)
    let capacity = buffer.count - 1
    try systemCall { withPlatformString { readlink($0, &buffer, capacity) } }
    return FilePath(platformString: buffer)
  }

  /// The occupant that must not be replaced; nil for nothing and for a dangling link.
  fileprivate func occupant() throws(Errno) -> StableLinkError.Occupant? {
    let type: FileType
    do { type = try stat(followTargetSymlink: false).type } catch {
      if error == .noSuchFileOrDirectory { return nil }
      throw error
    }
    return switch type {
    case .regular: .file
    case .directory: .directory
    case .symbolicLink: isDangling ? nil : .link(to: try linkTarget())
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
