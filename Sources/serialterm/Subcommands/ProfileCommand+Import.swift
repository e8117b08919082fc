import ArgumentParser
import Configuration
import Glibc
import TerminalFrontEnd

extension ProfileCommand {
  struct ImportTio: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "import-tio",
      abstract: "Convert a configuration of tio, and print it.",
      discussion: """
        Settings that serialterm does not have are printed as comments, with the reason. Reads the \
        configuration of tio 1, 2 and 3.

        EXAMPLE:
          serialterm profile import-tio ~/.config/tio/config >> ~/.config/serialterm/config.toml
        """)

    @Argument(help: "tio's configuration file; - for standard input.", completion: .file())
    var file: String

    func execute(in context: CommandContext) throws -> ExitStatus {
      let document: [UInt8]
      do {
        document = try InputFile.read(file, atMost: TOMLReader.largestDocument)
      } catch {
        throw Failure(.usage, "\(file): \(error)")
      }
      let converted = TioImport(document, complaint: Self.complaint)
      try StandardStream.output.print(converted.text)
      if isatty(STDOUT_FILENO) == 1 {
        StandardStream.complain(
          "nothing is saved. To use it, append it to the configuration: see "
            + "'serialterm profile import-tio --help'.")
      }
      if converted.droppedCount > 0 {
        let count = converted.droppedCount == 1 ? "1 setting" : "\(converted.droppedCount) settings"
        StandardStream.complain("\(count) not imported; the comments say why.")
      }
      return .done
    }

    /// Why a configuration may not have an entry; nil if it may.
    static func complaint(_ key: String, _ value: Value) -> String? {
      let entry = Entry(key: key, value: value, line: 1)
      if let complaint = ProfileFile.complaint(about: entry, isDefault: false) { return complaint }
      guard let arguments = ProfileKey(named: key)?.arguments(for: value) else { return nil }
      do {
        _ = try ConnectCommand.parse(arguments)
        return nil
      } catch {
        return ConnectCommand.message(for: error)
      }
    }
  }
}
