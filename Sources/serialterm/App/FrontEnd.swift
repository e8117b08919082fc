/// What a person, or a script in a person's place, does with the sessions of an ``App``.
///
/// The methods are called in the order in which they are declared here; ``advance()`` before each turn of
/// the loop. After an error, and after a signal, the app goes on with ``stop()``.
protocol FrontEnd: AnyObject {
  /// The signals that the front end handles, besides those that end the program.
  var signals: [CInt] { get }

  /// Handles a signal.
  ///
  /// - Returns: whether it was handled; otherwise it ends the program.
  func take(signal: CInt) -> Bool

  /// Binds the sessions to their devices, and takes the user's terminal.
  ///
  /// - Throws: ``Failure``, and the errors of the system.
  func open() throws

  /// Begins: other programs can borrow the ports now.
  func begin() throws

  /// Does what is due before the next turn of the loop.
  func advance() throws

  /// Waits, after the end, for what must not be cut off; see ``App/goOn(while:)``.
  func finishOutput() throws

  /// Takes no more input.
  func stop()

  /// Writes what is left to show, and gives the user's terminal back. Nothing is sent any more.
  func giveBack()

  /// The outcome of the program: what went wrong on the way outweighs a good end.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure>
}

extension FrontEnd {
  /// None.
  var signals: [CInt] { [] }

  /// Handles none.
  func take(signal: CInt) -> Bool { false }

  /// Does nothing.
  func advance() {}

  /// Does nothing.
  func finishOutput() {}

  /// Does nothing.
  func stop() {}

  /// The outcome as it is.
  func verdict(on outcome: Result<ExitStatus, Failure>) -> Result<ExitStatus, Failure> { outcome }
}
