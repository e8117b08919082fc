import ArgumentParser
import Glibc
import Scripting
import SessionKit
import SystemPackage

/// `serialterm send`: sends one command to a device and waits for its answer.
struct SendCommand: Subcommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Send a text or a file to a device, and print the answer.",
    discussion: """
      Sends TEXT followed by CR, as Enter does; or a file or standard input, exactly as it is. Ends \
      when the driver has sent everything. With --expect it then prints what the device sends, up \
      to the match; the exit status is 10 if there is none in time. For the form of TARGET see \
      'serialterm connect --help'.

      EXAMPLE:
        serialterm send loopback:board 'echo 42' \\
          --prompt 'board> ' --expect '(\\d+)\\r\\n' --print 1
      """)

  @Argument(
    help: "The device.", completion: Target.completion, transform: { try Target(parsing: $0) })
  var target: Target

  @Argument(help: "The text to send. Without it and --file, standard input is sent.")
  var text: String?

  @Option(help: "Send a file, or - for standard input.", completion: .file())
  var file: String?

  @Flag(
    help: """
      TEXT is bytes as hexadecimal numbers: '01 03 00 6b', '0103006b'. They are sent exactly, \
      without a line ending.
      """)
  var hex = false

  @Flag(
    help: """
      Replace \\r \\n \\t \\e \\0 \\\\ and \\xHH in TEXT. If TEXT then ends with CR or LF, no line \
      ending is added.
      """)
  var escapes = false

  @Option(help: "The end of TEXT: none, cr, lf or crlf.")
  var lineEnding = TextEnding.cr

  @Option(
    help: .init("Wait for matching text before sending.", valueName: "regex"),
    transform: { try Expression(parsing: $0) })
  var prompt: Expression?

  @Option(
    help: .init("Wait for an answer that matches.", valueName: "regex"),
    transform: { try Expression(parsing: $0) })
  var expect: Expression?

  @Option(help: "Seconds to wait for the prompt, and for the answer.")
  var timeout = 5.0

  @Option(
    help: .init(
      "Print only this group of the match; 0 is the whole match.",
      valueName: "group"))
  var print: Int?

  @OptionGroup
  var options: HeadlessOptions

  @OptionGroup(title: "CONFIGURATION")
  var profileOptions: ProfileOptions

  func validate() throws {
    if text != nil && file != nil { throw ValidationError("send TEXT or --file, not both") }
    if text == nil && hex { throw ValidationError("--hex is for TEXT") }
    if text == nil && escapes { throw ValidationError("--escapes is for TEXT") }
    if hex && escapes { throw ValidationError("--hex and --escapes exclude each other") }
    _ = try textBytes()
    guard (0.001...86_400).contains(timeout) else {
      throw ValidationError("'--timeout \(timeout)': expected seconds from 0.001 to 86400")
    }
    if let print {
      guard let expect else { throw ValidationError("--print needs --expect REGEX") }
      guard (0...expect.groupCount).contains(print) else {
        throw ValidationError(
          "'--print \(print)': '\(expect.text)' has \(expect.groupCount) groups")
      }
    }
  }

  func execute(in context: CommandContext) throws -> ExitStatus {
    let configuration = try configuration()
    let session = try HeadlessInterface(
      options.configuration(target: target), among: context.devices)
    let controller = SendController(configuration, session)
    if let late = context.late {
      session.configurationForDevice = { device in
        let command = try late.command(for: device, like: self)
        controller.configuration = try command.configuration()
        return command.options.configuration(target: target)
      }
    }
    return try controller.run()
  }

  private func configuration() throws -> SendConfiguration {
    SendConfiguration(
      source: try source(), warning: escapeWarning, prompt: prompt, expectation: expect,
      timeout: .seconds(timeout), printedGroup: print)
  }

  private func source() throws -> SendConfiguration.Source {
    if text != nil { return .bytes(try textBytes()) }
    if let file, file != "-" {
      let path = FilePath(file)
      // A port is not opened, and a board not reset, for a file that is not there.
      do { _ = try path.stat() } catch { throw Failure(.otherFailure, "\(path): \(error).") }
      return .file(path)
    }
    guard file != nil || isatty(STDIN_FILENO) == 0 else {
      throw Failure(.usage, "nothing to send: name a TEXT or a --file, or pipe something in.")
    }
    return .standardInput
  }

  private func textBytes() throws -> [UInt8] {
    guard let text else { return [] }
    if hex { return try HexText(text).bytes }
    guard escapes else { return text.utf8 + lineEnding.bytes }
    do {
      let bytes = try EscapedText.bytes(of: text)
      let hasEnding = bytes.last == 0x0D || bytes.last == 0x0A
      return hasEnding ? bytes : bytes + lineEnding.bytes
    } catch {
      throw ValidationError("TEXT: \(error)")
    }
  }

  /// The warning about a TEXT with a literal `\r` or `\n`, which shells do not replace.
  private var escapeWarning: String? {
    guard let text, !hex, !escapes else { return nil }
    guard let escape = [#"\r"#, #"\n"#].first(where: text.utf8.contains(sequence:)) else {
      return nil
    }
    return """
      TEXT contains \(escape), which is sent as two characters. To replace it, use --escapes; to \
      choose the end of TEXT, use --line-ending.
      """
  }
}

extension SendCommand: ProfiledCommand {
  static var profiledName: ProfiledCommandName { .send }

  var namedTarget: Target? {
    get { target }
    set { if let newValue { target = newValue } }
  }
}

extension String.UTF8View {
  fileprivate func contains(sequence: String) -> Bool {
    indices.contains { self[$0...].starts(with: sequence.utf8) }
  }
}
