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
    /// It is a pipe, and only a file is read.
    case pipe
    /// It has more bytes than this limit, which is a number of MiB.
    case tooLarge(Int)
    /// The deadline has passed. A pipe has no end before all of its writers have closed it.
    case timedOut
  }

  /// Reads a file or a pipe to its end, or standard input (`-`).
  ///
  /// - Parameters:
  ///   - limit: the maximum number of bytes, in whole MiB. A larger file is refused, never cut.
  ///   - deadline: the time limit; nil for none.
  /// - Throws: ``Problem``.
  static func read(
    _ name: String, atMost limit: Int, by deadline: MonotonicTime? = nil
  ) throws(Problem) -> [UInt8] {
    guard name != "-" else { return try whole(.standardInput, atMost: limit, by: deadline) }
    let file = try open(FilePath(name))
    return try whole(file.borrowed, atMost: limit, by: deadline)
  }

  /// Reads a file that was found in a folder, and never waits: a pipe there may have no writer.
  ///
  /// - Parameter limit: the maximum number of bytes, in whole MiB. A larger file is refused.
  /// - Throws: ``Problem``.
  static func read(found path: FilePath, atMost limit: Int) throws(Problem) -> [UInt8] {
    let file = try open(path, mayBePipe: false)
    return try whole(file.borrowed, atMost: limit, by: nil)
  }

  /// Reads the beginning of a file, and never waits.
  ///
  /// - Parameter count: the number of bytes; fewer if the file is shorter.
  /// - Throws: ``Problem``.
  static func beginning(of path: FilePath, count: Int) throws(Problem) -> [UInt8] {
    let file = try open(path, mayBePipe: false)
    return Array(try read(file.borrowed, upTo: count, by: nil).prefix(count))
  }

  private static func whole(
    _ descriptor: FileDescriptor, atMost limit: Int, by deadline: MonotonicTime?
  ) throws(Problem) -> [UInt8] {
    // One byte more than the limit is enough to refuse the file.
    let bytes = try read(descriptor, upTo: limit + 1, by: deadline)
    guard bytes.count <= limit else { throw .tooLarge(limit) }
    return bytes
  }

  private static func open(
    _ path: FilePath, mayBePipe: Bool = true
  ) throws(Problem) -> OwnedDescriptor {
    // A device is only named, not opened.
    let named = try checked { () throws(Errno) in
      try OwnedDescriptor.open(path, OwnedDescriptor.forPath)
    }
    let node = named.borrowed
    let status = try checked { () throws(Errno) in try node.stat() }
    // /dev/null is the usual empty file.
    let null = DeviceID(majorNumber: 1, minorNumber: 3)
    let isNull = status.type == .characterSpecial && status.specialDeviceID == null
    if !isNull, let problem = Problem(status.type, mayBePipe: mayBePipe) { throw problem }
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

  /// Reads to the end, or until there are enough bytes. There may be up to a piece more.
  private static func read(
    _ descriptor: FileDescriptor, upTo count: Int, by deadline: MonotonicTime?
  ) throws(Problem) -> [UInt8] {
    let piece = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 16)
    defer { piece.deallocate() }
    var bytes: [UInt8] = []
    while bytes.count < count {
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
  fileprivate init?(_ type: FileType, mayBePipe: Bool) {
    switch type {
    case .characterSpecial, .blockSpecial: self = .device
    case .directory: self = .folder
    case .socket: self = .socket
    case .fifo where !mayBePipe: self = .pipe
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
    case .pipe: "is a pipe"
    case .tooLarge(let limit): "is larger than \(limit >> 20) MiB"
    case .timedOut: "has no end yet"
    }
  }
}
