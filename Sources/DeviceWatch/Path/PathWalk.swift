import Posix
import SystemPackage

/// The directories and links that the kernel passes when it resolves a path now.
struct PathWalk: Equatable {
  /// The lookup of a name in a directory.
  struct Step: Hashable {
    /// The directory, without symbolic links in its path.
    let directory: FilePath
    /// The name in it.
    let name: String
  }

  /// The identity of a file. A file that was deleted and created again has a different one.
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

  /// The lookups, up to the first name that does not exist.
  private(set) var steps: [Step] = []
  /// The symbolic links on the path, and the file at its end; nil if the path leads nowhere.
  private(set) var destination: [FileID]?

  /// The number of links that the kernel follows; see path_resolution(7).
  private static let linkLimit = 40

  /// Walks a path.
  ///
  /// - Parameter path: an absolute path.
  init(_ path: FilePath) {
    var directory = FilePath("/")
    // In reverse order: the next component is the last element.
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
        guard linkCount <= Self.linkLimit, let target = entry.linkTarget else { return }
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
}
