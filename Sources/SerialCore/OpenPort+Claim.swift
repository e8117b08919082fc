import Glibc
import Posix
import SystemPackage

extension OpenPort {
  /// Opens a port for one user, in this order:
  ///
  /// 1. The UUCP lock file, before anything touches the port: an open asserts DTR and RTS.
  /// 2. flock(2), which other programs of this field respect. It belongs to the open file, so that
  ///    two links of one program exclude each other too.
  /// 3. The modem lines, when they are to be other than the kernel sets them at an open: the first
  ///    request, so that the device sees the kernel's choice as briefly as possible.
  /// 4. The attributes are read, which tells whether it is a terminal, and put back when it is
  ///    closed.
  /// 5. `TIOCEXCL`, which the kernel enforces on everybody but root.
  ///
  /// - Throws: ``SerialError``; the device is as it was found then.
  convenience init(claiming path: FilePath, options: LinkOptions) throws(SerialError) {
    let node = try attempt("stat", at: path) { () throws(Errno) in try path.stat() }
    guard node.type == .characterSpecial else {
      throw SerialError(.notASerialPort, in: "stat", at: path)
    }
    let lockFile = try UUCPLock.lock(path, options: options)
    do { try self.init(path, lockedBy: lockFile) } catch {
      throw SerialError(opening: path, error, in: "open")
    }
    if options.isExclusive { try lock() }
    // What is no terminal has no lines either, and is told as that.
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

  /// Every terminal has it; a driver that does not is still protected by the flock. The flag
  /// belongs to the terminal, not to the open file: it would outlive a close while anybody else has
  /// the terminal open. The flock ends with the descriptor.
  private func excludeOthers() {
    _ = ioctl(descriptor.rawValue, UInt(TIOCEXCL), 0 as CInt)
    beforeClosing { _ = ioctl($0.rawValue, UInt(TIOCNXCL), 0 as CInt) }
  }

  /// Sets the modem lines as they are asked for, if they are.
  ///
  /// - Returns: what kept them from it.
  func setLines(of options: LinkOptions) -> SerialError? {
    var request = "TIOCMBIC"
    do {
      try options.deasserting.deassert(on: descriptor)
      request = "TIOCMBIS"
      try options.asserting.assert(on: descriptor)
      return nil
    } catch {
      return SerialError(requesting: "modem lines", at: path, error, in: request)
    }
  }
}

/// Makes a call on the way to an open port.
private func attempt<Result>(
  _ operation: String, at path: FilePath, _ call: () throws(Errno) -> Result
) throws(SerialError) -> Result {
  do { return try call() } catch { throw SerialError(opening: path, error, in: operation) }
}
