import Glibc
public import SystemPackage

/// Makes a system call again until a signal no longer interrupts it, and throws what errno says.
///
/// The one place where errno is read: on the line after the call, before anything can change it.
///
/// - Parameter call: returns what the C function returned; -1 means that it failed.
/// - Returns: the call's result, never -1.
/// - Throws: errno as the call left it, never `EINTR`.
@discardableResult
public func systemCall<Result: FixedWidthInteger>(
  _ call: () -> Result
) throws(Errno) -> Result {
  while true {
    let result = call()
    if result != -1 { return result }
    let error = Errno(rawValue: errno)
    if error != .interrupted { throw error }
  }
}
