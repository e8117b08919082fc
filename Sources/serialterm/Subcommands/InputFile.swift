import Glibc
import Posix
import SystemPackage
import Time

/// A file that is read completely before the command does anything else.
enum InputFile {
  /// Why a file was not read.
  enum Problem: Error, Equatable {
    /// An error of open(2), poll(2) or read(2).
    case system(Errno)
    /// It is neither a file nor a pipe. Opening a serial port can reset its device, so it
    /// is not opened.
    case device, folder, socket
    /// The deadline has passed. A pipe has no end before all of its writers have closed it.
    case timedOut
  }

  /// Reads a file or a pipe to its end, or standard input (`-`).
  ///
  /// - Parameters:
  ///   - limit: the number of bytes after which reading stops. One piece more may be read, so that
  ///     the caller detects a larger file.
  ///   - deadline: the time limit; nil for none.
  /// - Throws: ``Problem``.
  static func read(
    _ name: String, atMost limit: Int, by deadline: MonotonicTime? = nil
  ) throws(Problem) -> [UInt8] {
    guard name != "-" else { return try read(.standardInput, atMost: limit, by: deadline) }
    let file = try open(FilePath(name))
    return try read(file.borrowed, atMost: limit, by: deadline)
  }

  private static func open(_ path: FilePath) throws(Problem) -> OwnedDescriptor {
    // A device is only named, not opened.
    let named = try checked { () throws(Errno) in
      try OwnedDescriptor.open(path, OwnedDescriptor.forPath)
    }
    let node = named.borrowed
    let status = try checked { () throws(Errno) in try node.stat() }
    // /dev/null is the usual empty file.
    let null = DeviceID(majorNumber: 1, minorNumber: 3)
    let isNull = status.type == .characterSpecial && status.specialDeviceID == null
    if !isNull, let problem = Problem(status.type) { throw problem }
    return try checked { () throws(Errno) in
      // The same file, whatever the path leads to by now. Without O_NONBLOCK, a named pipe without
      // a writer would block.
      try OwnedDescriptor.open(
        FilePath("/proc/self/fd/\(node.rawValue)"), O_RDONLY | O_NOCTTY | O_NONBLOCK)
    }
  }

  private static func checked<Result: ~Copyable>(
    _ call: () throws(Errno) -> Result
  ) throws(Problem) -> Result {
    do throws(Errno) { return try call() } catch { throw .system(error) }
  }

  private static func read(
    _ descriptor: FileDescriptor, atMost limit: Int, by deadline: MonotonicTime?
  ) throws(Problem) -> [UInt8] {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count <= limit {
      // Nothing else is running yet. To read(2), but not to poll(2), a named pipe that had no
      // writer yet looks like one at its end.
      try wait(for: descriptor, until: deadline)
      do throws(Errno) {
        let count = try systemCall {
          Glibc.read(descriptor.rawValue, piece.baseAddress, piece.count)
        }
        guard count > 0 else { break }
        bytes += piece[..<count]
      } catch .wouldBlock {
        // Another reader of the pipe was faster.
      } catch {
        throw .system(error)
      }
    }
    return bytes
  }

  /// Waits until a descriptor can be read. The corresponding C function is `poll`.
  private static func wait(
    for descriptor: FileDescriptor, until deadline: MonotonicTime?
  ) throws(Problem) {
    while true {
      let rest = deadline.map { max(0, ($0 - .now).nanoseconds) }
      // Rounded up, so that the last millisecond does not spin.
      let wait = rest.map { CInt(clamping: ($0 + 999_999) / 1_000_000) } ?? -1
      var entry = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
      do throws(Errno) {
        if try systemCall({ poll(&entry, 1, wait) }) > 0 { return }
      } catch {
        throw .system(error)
      }
      if rest == 0 { throw .timedOut }
    }
  }
}

extension InputFile.Problem {
  /// Why a file of this type is not read; nil if it can be.
  fileprivate init?(_ type: FileType) {
    switch type {
    case .characterSpecial, .blockSpecial: self = .device
    case .directory: self = .folder
    case .socket: self = .socket
    default: return nil
    }
  }

  /// The problem as the end of a sentence: `is a folder`.
  var words: String {
    switch self {
    case .system(let error): "cannot be read (\(error))"
    case .device: "is a device"
    case .folder: "is a folder"
    case .socket: "is a socket"
    case .timedOut: "has no end yet"
    }
  }
}
