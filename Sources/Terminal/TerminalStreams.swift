import Glibc
import Posix
package import SystemPackage
package import TerminalWidgets

/// The streams between the program and its user, with the capabilities of the terminal behind them.
package struct TerminalStreams: Sendable {
  package let input: FileDescriptor
  package let output: FileDescriptor
  /// The stream for messages about the session.
  package let messages: FileDescriptor
  /// Whether output and messages go to the same file, such as a terminal.
  package let areShared: Bool
  /// The capabilities of the output.
  package let screenKind: ScreenKind
  /// The capabilities of the stream for messages.
  package let messageKind: ScreenKind
  /// Whether the terminal behind the output has an alternate screen.
  package let hasAlternateScreen: Bool
  package let outputStyle: TextStyle
  package let messageStyle: TextStyle
  /// Returns the size of the screen behind the output.
  package let screenSize: @Sendable () -> ScreenSize
  /// Returns the number of columns of the terminal for messages; nil for a file or a pipe.
  package let messageColumns: @Sendable () -> Int?

  /// Creates streams. The descriptors are borrowed.
  package init(
    input: FileDescriptor, output: FileDescriptor, messages: FileDescriptor, areShared: Bool,
    screenKind: ScreenKind, messageKind: ScreenKind = .none, hasAlternateScreen: Bool = true,
    outputStyle: TextStyle,
    messageStyle: TextStyle,
    screenSize: @escaping @Sendable () -> ScreenSize,
    messageColumns: @escaping @Sendable () -> Int?
  ) {
    (self.input, self.output, self.messages) = (input, output, messages)
    self.areShared = areShared
    (self.screenKind, self.messageKind) = (screenKind, messageKind)
    self.hasAlternateScreen = hasAlternateScreen
    (self.outputStyle, self.messageStyle) = (outputStyle, messageStyle)
    self.screenSize = screenSize
    self.messageColumns = messageColumns
  }

  /// The standard streams of the process.
  package static let standard = TerminalStreams(
    input: .standardInput, output: .standardOutput, messages: .standardError,
    areShared: areSame(.standardOutput, .standardError),
    screenKind: .of(.standardOutput), messageKind: .of(.standardError),
    hasAlternateScreen: TextStyle.hasAlternateScreen,
    outputStyle: TextStyle(for: STDOUT_FILENO), messageStyle: TextStyle(for: STDERR_FILENO),
    screenSize: { UserTerminal.screenSize(of: STDOUT_FILENO) },
    messageColumns: {
      FileDescriptor.standardError.isTerminal
        ? UserTerminal.screenSize(of: STDERR_FILENO).columns : nil
    })

  /// The standard streams as pipes, whatever they are: bytes of the device pass unchanged, and no
  /// message is on standard output.
  package static let pipes = TerminalStreams(
    input: .standardInput, output: .standardOutput, messages: .standardError, areShared: false,
    screenKind: .none, messageKind: standard.messageKind, outputStyle: .plain,
    messageStyle: TextStyle(for: STDERR_FILENO),
    screenSize: standard.screenSize, messageColumns: standard.messageColumns)

  /// Whether two descriptors are of the same file.
  package static func areSame(_ one: FileDescriptor, _ other: FileDescriptor) -> Bool {
    guard let one = try? one.stat(), let other = try? other.stat() else { return false }
    return one.deviceID == other.deviceID && one.inode == other.inode
  }
}

/// The kinds of a stream to the user.
package enum ScreenKind: Hashable, Sendable {
  /// Not a terminal.
  case none
  /// A terminal that can only print.
  case printing
  /// A terminal that can draw anywhere on its screen.
  case drawing

  /// The kind of a descriptor.
  static func of(_ descriptor: FileDescriptor) -> ScreenKind {
    descriptor.isTerminal ? (TextStyle.isDumb ? .printing : .drawing) : .none
  }
}
