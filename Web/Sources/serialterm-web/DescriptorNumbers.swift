import Glibc
import SystemPackage

/// Numbers for files that other processes open by them, in `/proc/PID/fd`. One that was closed is
/// not used again soon, so that a process that comes late finds nothing, and not another file. A
/// value.
struct DescriptorNumbers {
  private let range: Range<CInt>
  private var next: CInt

  /// - Parameter range: the numbers, below the limit of open files.
  init(_ range: Range<CInt>) { (self.range, next) = (range, range.lowerBound) }

  /// Gives a file the next number that is free. If there is none, it keeps its own.
  ///
  /// The corresponding C function is `fcntl`, with `F_DUPFD_CLOEXEC`.
  mutating func move(_ file: FileDescriptor) -> FileDescriptor {
    var number = fcntl(file.rawValue, F_DUPFD_CLOEXEC, next)
    if number < 0 { number = fcntl(file.rawValue, F_DUPFD_CLOEXEC, range.lowerBound) }
    next = range.contains(number + 1) ? number + 1 : range.lowerBound
    guard number >= 0 else { return file }
    // It is open by its new number, whatever close(2) says.
    try? file.close()
    return FileDescriptor(rawValue: number)
  }
}
