import Glibc
import Posix
import SystemPackage

extension OpenPort {
  /// Opens and locks a port, in this order:
  ///
  /// 1. The UUCP lock file, before the port is opened: open(2) asserts DTR and RTS.
  /// 2. flock(2), which other terminal programs respect. The lock belongs to the open file, so that
  ///    it excludes a second link in the same program too.
  /// 3. The modem lines, if the options set them: as the first request, so that the device sees the
  ///    kernel's choice as briefly as possible.
  /// 4. The attributes are read. This fails if it is not a terminal; closing restores them.
  /// 5. `TIOCEXCL`, which the kernel enforces for all users but root.
  ///
  /// - Throws: ``SerialError``; the device is as it was found then.
  convenience init(claiming path: FilePath, options: LinkOptions) throws(SerialError) {
    let node = try attempt("stat", at: path) { () throws(Errno) in try path.stat() }
    guard node.type == .characterSpecial else {
      throw SerialError(.notASerialPort, in: "stat", at: path)
    }
    let number = node.specialDeviceID
    try options.admission.check(number, at: path)
    let lockFile = try UUCPLock.lock(path, options: options)
    do { try self.init(path, lockedBy: lockFile) } catch {
      throw SerialError(opening: path, error, in: "open")
    }
    // The path may lead to another node since it was looked at, and the node to another terminal.
    if options.admission != .any, let opened = descriptor.terminalNumber, opened != number {
      try options.admission.check(opened, at: path)
    }
    if options.isExclusive { try lock() }
    // If it is not a terminal it has no lines either: the next request reports that.
    let linesError = setLines(of: options)
    var found = try attempt("TCGETS2", at: path) { () throws(Errno) in
      try TerminalAttributes(of: descriptor)
    }
    if let linesError { throw linesError }
    if options.isExclusive { excludeOthers() }
    if let hangsUp = options.hangsUpOnClose { found.hangsUpOnClose = hangsUp }
    beforeClosing { [found] in _ = try? found.set(on: $0) }
    wasHungUp = found.lineSettings.baudRate == 0
  }

  private func lock() throws(SerialError) {
    do { try systemCall { flock(descriptor.rawValue, LOCK_EX | LOCK_NB) } } catch {
      let code: SerialError.Code = error == .wouldBlock ? .busy : .system
      throw SerialError(code, in: "flock", at: path, errno: error)
    }
  }

  /// Sets the modem lines that the options name.
  ///
  /// - Returns: the error, if a request failed.
  func setLines(of options: LinkOptions) -> SerialError? {
    var request = "TIOCMBIC"
    do {
      try options.deasserting.deassert(on: descriptor)
      request = "TIOCMBIS"
      try options.asserting.assert(on: descriptor)
      return nil
    } catch {
      return SerialError(requesting: "modem lines", at: .tty(path), error, in: request)
    }
  }
}

/// Makes a system call while a port is being opened.
private func attempt<Result>(
  _ operation: String, at path: FilePath, _ call: () throws(Errno) -> Result
) throws(SerialError) -> Result {
  do { return try call() } catch { throw SerialError(opening: path, error, in: operation) }
}
