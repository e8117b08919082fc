import Glibc
package import SystemPackage

/// Makes a system call, repeats it while signals interrupt it, and throws errno if it fails.
///
/// It reads errno on the line after the call, before other code can change it.
///
/// - Parameter call: makes the call and returns its result; -1 means that it failed.
/// - Returns: the result of the call, never -1.
/// - Throws: errno after the call, never `EINTR`.
@discardableResult
package func systemCall<Result: FixedWidthInteger>(
  _ call: () -> Result
) throws(Errno) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = Errno.last
    if error != .interrupted { throw error }
  }
}

extension Errno {
  /// The present value of errno, which the failed call on the previous line has set.
  static var last: Errno { Errno(rawValue: errno) }
}
