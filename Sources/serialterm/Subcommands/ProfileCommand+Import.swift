import ArgumentParser
import Configuration

extension ProfileCommand {
  struct ImportTio: Subcommand {
    static let configuration = CommandConfiguration(
      commandName: "import-tio",
      abstract: "Print a configuration of tio as one of ours.",
      discussion: """
        What has no counterpart is printed as a comment.

        EXAMPLE:
          serialterm profile import-tio ~/.config/tio/config >> ~/.config/serialterm/config.toml
        """)

    @Argument(help: "tio's configuration; - for standard input.", completion: .file())
    var file: String

    func execute() throws -> ExitStatus {
      let document: [UInt8]
      do {
        document = try InputFile.read(file, atMost: TOMLReader.largestDocument)
      } catch {
        throw Failure(.usage, "\(file): \(error)")
      }
      try StandardStream.output.print(TioImport.text(of: document))
      return .done
    }
  }
}
