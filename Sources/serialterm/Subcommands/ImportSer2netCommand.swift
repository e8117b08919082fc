import Configuration
import Logs
import Options
import Posix
import SystemPackage
import Terminal

/// `serialterm profile import-ser2net`: converts a configuration of ser2net(8).
struct ImportSer2netCommand: Subcommand {
  private static let file = Parameter<String?>.argument(
    "file",
    "ser2net's configuration file; - for standard input. Without it, the one that ser2net reads.",
    completion: .files, parse: { $0 })

  static let description = CommandDescription(
    "profile import-ser2net", "Convert a configuration of ser2net, and print it.",
    """
    Each connection becomes a profile with its port of TCP, for 'serialterm serve'. Settings that serialterm does \
    not have are printed as comments, with the reason. Reads ser2net.yaml of ser2net 4, and ser2net.conf of ser2net 3.
    """,
    example: """
      serialterm profile import-ser2net        # look at it first
      serialterm profile import-ser2net | sudo tee -a /etc/serialterm/config.toml
      """,
    sections: [ParameterSection("ARGUMENTS", [Self.file])])

  private let file: String?

  init(_ values: Values) { file = values[Self.file] }

  func execute(in context: CommandContext) throws -> ExitStatus {
    guard let file = file ?? Self.standardFile else {
      throw Failure(.usage, "ser2net has no configuration in its usual places. Name the FILE.")
    }
    let document = try ImportedFile.read(file, of: .ser2net)
    let converted: Ser2netImport
    do throws(YAMLError) {
      converted = try Ser2netImport(
        document, logFormat: { LogFormat(fileName: $0).rawValue },
        complaint: ProfileFile.complaint(aboutImported:_:))
    } catch {
      throw Failure(.usage, "\(file):\(error)")
    }
    if converted.profileCount == 0 { StandardStream.complain("\(file) has no connection.") }
    return try converted.print(by: Self.name)
  }

  /// The first file that exists of those that ser2net reads: that of its sources, that of Debian,
  /// and that of ser2net 3.
  private static var standardFile: String? {
    ["/etc/ser2net/ser2net.yaml", "/etc/ser2net.yaml", "/etc/ser2net.conf"]
      .first { (try? FilePath($0).stat()) != nil }
  }
}
