import Framing
import Encodings
import Options
import Terminal

/// The parameters for the bytes of texts, in all commands that send.
enum TextParameters {
  static let checksum = Setting.optional(
    .option(
      "checksum", "NAME",
      "Append a checksum to lines of --input-mode hex and to snippets: "
        + Checksum.allCases.map(\.name).joined(separator: ", ") + ".",
      completion: .oneOf(Checksum.allCases.map { Completion.Candidate($0.name) }),
      parse: { text throws(ValueError) in
        guard let checksum = Checksum(rawValue: text) else {
          throw ValueError(text, expected: ChecksumError.expected)
        }
        return checksum
      }),
    \.checksum, "append a checksum", or: ["crc", "crc16", "lrc", "xor", "sum"], needs: [.sending],
    argument: .oneOf(
      "checksum", [("none", nil)] + Checksum.allCases.map { ($0.name, $0) }
    ) { $0.checksum },
    none: "none", text: \.name,
    answer: {
      $0.map { "\($0.name) is appended to hexadecimal lines and to snippets." }
        ?? "no checksum is appended."
    })

  static let encoding = Setting.value(
    .option(
      "encoding", "NAME",
      "The encoding of the device's text, as iconv names it: CP437, SHIFT_JIS, GB18030 and others.",
      standard: .utf8, shown: "UTF-8",
      completion: .oneOf(
        CommonEncoding.all.map { Completion.Candidate($0.name, $0.summary) }),
      parse: { try Encoding($0) }),
    \.view.encoding, "set the encoding",
    or: ["charset", "codepage", "character set", "iconv", "latin1", "gbk", "shift-jis"],
    needs: [.screen],
    // A common one, or any other by its name.
    argument: .text(
      "encoding", expected: "a name of iconv",
      CommonEncoding.all.map { Suggestion(text: $0.name, detail: $0.summary) },
      now: { "\($0.view.encoding)" }, parse: { try Encoding($0) }),
    shown: { "\($0)" }, texts: { ["\($0)"] }, answer: { "the encoding is \($0)." })
}
