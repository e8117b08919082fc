import Configuration
import Options
import Posix
import SystemPackage

/// `serialterm profile import-minicom`: converts a configuration of minicom(1).
struct ImportMinicomCommand: Subcommand {
  private static let file = Parameter<String?>.argument(
    "file",
    "minicom's configuration file; - for standard input. Without it, those that minicom reads.",
    completion: .files, parse: { $0 })

  static let description = CommandDescription(
    "profile import-minicom", "Convert a configuration of minicom, and print it.",
    """
    minirc.NAME becomes the profile NAME, and minirc.dfl the profile minicom. Settings that serialterm \
    does not have are printed as comments, with the reason. Without 'pu rtscts No', minicom has \
    hardware flow control, and so has the profile.
    """,
    example: """
      serialterm profile import-minicom        # look at it first
      serialterm profile import-minicom >> ~/.config/serialterm/config.toml
      """,
    sections: [ParameterSection("ARGUMENTS", [Self.file])])

  private let file: String?

  init(_ values: Values) { file = values[Self.file] }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let files = file.map { [$0] } ?? Self.standardFiles
    guard let last = files.last else {
      throw Failure(.usage, "minicom has no configuration in its usual places. Name the FILE.")
    }
    var document: [UInt8] = []
    for file in files { document += try ImportedFile.read(file, of: .minicom) + [0x0A] }
    return try MinicomImport(
      document, named: last, complaint: ProfileFile.complaint(aboutImported:_:)
    )
    .print(by: Self.name)
  }

  /// The files that minicom reads, one after the other: that of all users, and the user's own.
  private static var standardFiles: [String] {
    ["/etc/minicom/minirc.dfl", ProfileFile.home?.appending(".minirc.dfl")].compactMap(\.self)
      .filter { (try? $0.stat()) != nil }.map(\.string)
  }
}
