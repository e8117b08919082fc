import Configuration
import Options
import Posix
import SystemPackage
import Terminal

/// A configuration file of another program.
enum ImportedFile {
  /// Reads a file of a program, or standard input (`-`).
  ///
  /// - Throws: ``Failure``, also for a file of another program.
  static func read(_ name: String, of program: ImportedProgram) throws(Failure) -> [UInt8] {
    var document: [UInt8]
    do throws(InputFile.Problem) {
      document = try InputFile.read(name, atMost: TOMLReader.largestDocument)
    } catch .tooLarge(let limit) {
      throw Failure(
        .usage,
        "\(name) is larger than \(limit >> 20) MiB, and a configuration of serialterm may not be. "
          + "Divide it, and convert the parts.")
    } catch {
      throw Failure(.usage, "\(name): \(error.words).")
    }
    // A byte order mark has no meaning in UTF-8.
    if document.starts(with: [0xEF, 0xBB, 0xBF]) { document.removeFirst(3) }
    if let refusal = program.refusal(of: document, named: name, ownKeys: ProfileFile.keys) {
      throw Failure(.usage, "\(name): \(refusal)")
    }
    return document
  }
}

extension ProfileImport {
  /// Prints the converted configuration, and says what became of it.
  ///
  /// - Parameter command: the name of the command, for the advice on a terminal.
  /// - Throws: `OutputGone`.
  func print(by command: String) throws -> ExitStatus {
    try StandardStream.output.print(text)
    if FileDescriptor.standardOutput.isTerminal {
      StandardStream.complain(
        "nothing is saved. To use it, append it to the configuration: see "
          + "'serialterm \(command) --help'.")
    }
    if droppedCount > 0 {
      let count = droppedCount == 1 ? "1 setting" : "\(droppedCount) settings"
      StandardStream.complain("\(count) not imported; the comments say why.")
    }
    return .done
  }
}

extension ProfileFile {
  /// The keys of a profile.
  static var keys: Set<String> {
    let options = Subcommands.profiled.flatMap { $0.description.declarations }
      .filter(\.isConfigurable)
    return Set(options.flatMap { [$0.name, $0.oppositeName].compactMap(\.self) })
      .union(["target", "match"])
  }

  /// The reason why an imported entry is not allowed in a configuration; nil if it is allowed.
  static func complaint(aboutImported key: String, _ value: Value) -> String? {
    let entry = Entry(key: key, value: value, line: 1)
    if let complaint = complaint(about: entry, isDefault: false) { return complaint }
    let declarations = ConnectCommand.description.declarations
    guard let configured = declarations.configured(by: entry) else { return nil }
    do throws(UsageError) {
      _ = try ConnectCommand(Values(Given(), [configured], of: declarations))
      return nil
    } catch {
      return error.description
    }
  }
}
