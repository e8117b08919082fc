/// The user of an ``App``'s sessions: a person, or a script in place of a person.
///
/// The methods are called in the order in which they are declared here. ``advance()`` is called
/// before each turn of the loop. After an error or a signal, the app continues with ``stop()``.
protocol FrontEnd: AnyObject {
  /// The signals that the front end handles, besides those that end the program.
  var signals: [CInt] { get }

  /// Handles a signal.
  ///
  /// - Returns: whether it was handled; otherwise it ends the program.
  func handle(signal: CInt) -> Bool

  /// Binds the sessions to their devices, and takes the user's terminal.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func open() throws

  /// Starts. Other programs can borrow the ports from now on.
  func begin() throws

  /// Performs work that is due before the next turn of the loop.
  func advance() throws

  /// Waits, after the end, for operations that must not be cut off; see ``App/runOn(while:)``.
  func finishOutput() throws

  /// Accepts no more input.
  func stop()

  /// Writes the remaining output, and restores the user's terminal. Nothing is sent any more.
  func finishDisplay()

  /// Returns the final outcome of the program. A failure during the session replaces
  /// a successful end.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure>
}

extension FrontEnd {
  /// None.
  var signals: [CInt] { [] }

  /// Handles none.
  func handle(signal: CInt) -> Bool { false }

  /// Does nothing.
  func advance() {}

  /// Does nothing.
  func finishOutput() {}

  /// Does nothing.
  func stop() {}

  /// Returns the outcome unchanged.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> { outcome }
}
