import Glibc
import SystemPackage

/// The way that the kernel takes to a path's end, link by link, as it is at the moment.
struct PathWalk: Equatable {
  /// One name that was looked up in one directory.
  struct Step: Hashable {
    /// The directory; no symbolic link leads to it.
    let directory: FilePath
    /// The name in it.
    let name: String
  }

  /// Which file something is: what was deleted and made again under its name is another.
  struct FileID: Hashable {
    private let deviceID: DeviceID
    private let inode: Inode
    private let specialDeviceID: DeviceID

    init(_ file: Stat) {
      deviceID = file.deviceID
      inode = file.inode
      specialDeviceID = file.specialDeviceID
    }
  }

  /// The names that were looked up, up to the first that is not there.
  private(set) var steps: [Step] = []
  /// The symbolic links on the way, and what is at its end; nil if the way leads nowhere.
  private(set) var destination: [FileID]?

  /// How many links the kernel follows; see path_resolution(7).
  private static let linkLimit = 40

  /// Walks a path.
  ///
  /// - Parameter path: absolute.
  init(_ path: FilePath) {
    var directory = FilePath("/")
    // The next component last.
    var remaining = Array(path.components.reversed())
    var files: [FileID] = []
    var linkCount = 0
    while let component = remaining.popLast() {
      switch component.kind {
      case .currentDirectory: continue
      case .parentDirectory:
        directory.removeLastComponent()
        continue
      case .regular: break
      }
      steps.append(Step(directory: directory, name: component.string))
      let entry = directory.appending(component)
      guard let file = try? entry.stat(followTargetSymlink: false) else { return }
      if file.type == .symbolicLink {
        linkCount += 1
        guard linkCount <= Self.linkLimit, let target = Self.target(of: entry) else { return }
        files.append(FileID(file))
        if target.isAbsolute { directory = FilePath("/") }
        remaining += target.components.reversed()
      } else if remaining.isEmpty {
        files.append(FileID(file))
      } else {
        directory = entry
      }
    }
    destination = files
  }

  /// The corresponding C function is `readlink`.
  private static func target(of link: FilePath) -> FilePath? {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(PATH_MAX) + 1) { buffer in
      guard let start = buffer.baseAddress else { return nil }
      let count = link.withPlatformString { readlink($0, start, Int(PATH_MAX)) }
      guard count > 0 else { return nil }
      start[count] = 0
      return FilePath(platformString: start)
    }
  }
}
