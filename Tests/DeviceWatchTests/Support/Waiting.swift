import Glibc
import SystemPackage
import Testing
import Time

/// Calls a handler whenever a descriptor is readable, until a condition is met. A deadline, not a
/// sleep, ends a test that hangs.
func handle(
  _ descriptor: FileDescriptor, with handler: () -> Void, until condition: () -> Bool,
  within limit: Duration = .seconds(60), sourceLocation: SourceLocation = #_sourceLocation
) {
  let deadline = MonotonicTime.now + limit
  while !condition() {
    let left = (deadline - .now).nanoseconds / 1_000_000
    guard left > 0 else {
      Issue.record("nothing came within \(limit)", sourceLocation: sourceLocation)
      return
    }
    var request = pollfd(fd: descriptor.rawValue, events: Int16(POLLIN), revents: 0)
    if poll(&request, 1, CInt(left)) > 0 { handler() }
  }
}

/// Runs code as a user to whom permissions apply.
///
/// Root becomes `nobody` meanwhile, only in this thread and only for file systems: see setfsuid(2).
func unprivileged<Result>(_ body: () throws -> Result) throws -> Result {
  guard geteuid() == 0 else { return try body() }
  typealias SetUser = @convention(c) (uid_t) -> CInt
  let symbol = try #require(dlsym(nil, "setfsuid"))
  let setUser = unsafeBitCast(symbol, to: SetUser.self)
  _ = setUser(65_534)
  defer { _ = setUser(0) }
  return try body()
}
