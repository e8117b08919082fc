import Configuration
import Glibc
import Posix
import SystemPackage

extension ProfileFile {
  /// The reason why there is no configuration file to write to.
  static let noFolder = "there is no folder for the configuration: HOME is not set."

  /// Why a new profile cannot have a name: it is malformed, or the word stands for something
  /// else on a command line. Nil if it can.
  static func complaint(aboutNewName name: String) -> String? {
    let isCommand =
      name == "help"
      || Subcommands.all.contains { $0.name.split(separator: " ").first == name[...] }
    return ConfigurationFile.complaint(aboutName: name)
      ?? (isCommand ? "'\(name)' cannot be a profile's name: it is a command" : nil)
  }

  /// The bytes of a configuration file that will be changed; nil if it does not exist.
  ///
  /// - Throws: ``Failure`` if it cannot be read, or is not a regular file.
  static func present(at path: FilePath) throws(Failure) -> [UInt8]? {
    do throws(Errno) {
      guard try path.stat().type == .regular else { throw .invalidArgument }
      return try document(at: path)
    } catch .noSuchFileOrDirectory {
      return nil
    } catch {
      throw failure(error, at: path)
    }
  }

  /// The contents of a configuration file that will be changed; empty if it does not exist.
  ///
  /// - Throws: ``Failure`` if it cannot be read, or is not a configuration.
  static func contents(toChangeAt path: FilePath) throws(Failure) -> ConfigurationFile {
    try present(at: path) == nil ? ConfigurationFile() : ProfileFile(path).contents
  }

  /// Makes an edit of a profile's text.
  ///
  /// - Parameters:
  ///   - isNew: whether the file does not contain the profile yet.
  ///   - present: the file; nil if it does not exist.
  /// - Throws: ``Failure`` if the result would not be a valid configuration: nothing can be added
  ///   to an inline table `profile = {…}`.
  static func edit(
    of profile: String, isNew: Bool, in present: [UInt8]?, at path: FilePath,
    _ changes: [ProfileEdit.Change]
  ) throws(Failure) -> ProfileEdit {
    do throws(ConfigurationError) {
      return try ProfileEdit(of: profile, in: present ?? [], changes)
    } catch {
      let verb = isNew ? "added" : "changed"
      throw Failure(.usage, "\(path): the profile cannot be \(verb): \(error.what).")
    }
  }

  /// Replaces a configuration file atomically: another process reads either the old text or
  /// the new one.
  ///
  /// A symbolic link stays a link, and the mode of the file is kept.
  ///
  /// - Parameter present: the expected present contents; nil for no file.
  /// - Throws: ``Failure`` if the contents differ from `present`, or the file cannot be written. It
  ///   is then unchanged.
  static func replace(
    _ present: [UInt8]?, by document: [UInt8], at path: FilePath
  ) throws(Failure) {
    let isReplaced: Bool
    do throws(Errno) {
      isReplaced = try exchange(present, for: document, at: path.realPath ?? path)
    } catch {
      throw failure(error, at: path)
    }
    guard isReplaced else {
      throw Failure(
        .otherFailure, "\(path): the file has changed meanwhile; nothing was written. Save again.")
    }
  }

  /// - Returns: whether the file had the expected contents.
  private static func exchange(
    _ present: [UInt8]?, for document: [UInt8], at file: FilePath
  ) throws(Errno) -> Bool {
    try makeFolders(above: file)
    let entry = try NameInFolder(file)
    // Two processes that save at the same time would each discard the changes of the other.
    return try entry.locked(within: .zero) { () throws(Errno) in
      // In the open folder: its path may lead elsewhere by now.
      guard try Self.present(atWritable: entry.path) == present else { return false }
      // A name that no file of the user has. The lock protects this file too.
      let draft = FilePath(".\(entry.name).serialterm")
      let folder = entry.folderDescriptor
      do throws(Errno) {
        try write(document, to: NameInFolder.path(of: draft, in: folder), like: entry.path)
        try draft.rename(to: entry.name, in: folder)
      } catch {
        _ = draft.withPlatformString { unlinkat(folder.rawValue, $0, 0) }
        throw error
      }
      return true
    }
  }

  /// The bytes of a writable file; nil if it does not exist.
  private static func present(atWritable file: FilePath) throws(Errno) -> [UInt8]? {
    do throws(Errno) {
      // rename(2) would also replace a file that the user has write-protected.
      _ = try OwnedDescriptor.open(file, O_WRONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK)
      return try document(at: file)
    } catch .noSuchFileOrDirectory {
      return nil
    }
  }

  /// Writes a new file, with the mode and the owner of an old one.
  private static func write(
    _ document: [UInt8], to draft: FilePath, like file: FilePath
  ) throws(Errno) {
    // Removes the draft of a process that was killed.
    _ = draft.withPlatformString { unlink($0) }
    let new = try OwnedDescriptor.open(
      draft, O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW, permissions: 0o600)
    if let old = try? OwnedDescriptor.open(
      file, O_RDONLY | O_NOCTTY | O_NOFOLLOW | O_NONBLOCK)
    {
      var facts = Glibc.stat()
      try systemCall { fstat(old.borrowed.rawValue, &facts) }
      try systemCall { fchmod(new.borrowed.rawValue, facts.st_mode & 0o777) }
      // Only root can give a file to another user. Otherwise this user owns the new file.
      _ = fchown(new.borrowed.rawValue, facts.st_uid, facts.st_gid)
    }
    var rest = document[...]
    while !rest.isEmpty {
      let count: Result<Int, Errno> = rest.withUnsafeBytes { bytes in
        Result { () throws(Errno) in
          try systemCall { Glibc.write(new.borrowed.rawValue, bytes.baseAddress, bytes.count) }
        }
      }
      rest = rest.dropFirst(try count.get())
    }
    // Without fsync(2), a crash of the computer could leave an empty file in place of the old one.
    try systemCall { fsync(new.borrowed.rawValue) }
  }

  private static func failure(_ error: Errno, at path: FilePath) -> Failure {
    switch error {
    case .wouldBlock:
      Failure(.otherFailure, "\(path): another program saves a profile now; nothing was written.")
    default: Failure(with: path, error)
    }
  }

  private static func makeFolders(above path: FilePath) throws(Errno) {
    let folder = path.removingLastComponent()
    guard !folder.isEmpty, (try? folder.stat()) == nil else { return }
    try makeFolders(above: folder)
    do throws(Errno) {
      try systemCall { mkdir(folder.string, 0o700) }
    } catch .fileExists {
      // Another process created it in the meantime.
    }
  }
}
