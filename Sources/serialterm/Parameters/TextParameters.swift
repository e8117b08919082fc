import Checksums
import Encodings
import Options

/// The parameters for the bytes of texts, in all commands that send.
enum TextParameters {
  static let checksum = Parameter<Checksum?>.option(
    "checksum", "NAME",
    "Append a checksum to lines of --input-mode hex and to snippets: "
      + Checksum.allCases.map(\.name).joined(separator: ", ") + ".",
    inSession: "append a checksum",
    completion: .oneOf(Checksum.allCases.map { Completion.Candidate($0.name) }),
    parse: { text throws(ValueError) in
      guard let checksum = Checksum(rawValue: text) else {
        throw ValueError(text, expected: ChecksumError.expected)
      }
      return checksum
    })

  static let encoding = Parameter<Encoding>.option(
    "encoding", "NAME",
    "The encoding of the device's text, as iconv names it: CP437, SHIFT_JIS, GB18030 and others.",
    inSession: "set the encoding", standard: .utf8, shown: "UTF-8",
    completion: .oneOf(
      CommonEncoding.all.map { Completion.Candidate($0.name, $0.summary) }),
    parse: { try Encoding($0) })
}
