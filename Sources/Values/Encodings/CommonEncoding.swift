/// An encoding that devices use, for a list to choose from.
public struct CommonEncoding: Hashable, Sendable {
  /// The name, as the C library knows it.
  public let name: String
  /// What it is for, in a few words.
  public let summary: String

  private init(_ name: String, _ summary: String) {
    self.name = name
    self.summary = summary
  }

  /// All of them: UTF-8, then by language.
  public static let all: [CommonEncoding] = [
    CommonEncoding("UTF-8", "Unicode; nothing is converted"),
    CommonEncoding("GB18030", "Chinese, all characters"),
    CommonEncoding("GBK", "Chinese, simplified; includes GB2312"),
    CommonEncoding("BIG5", "Chinese, traditional"),
    CommonEncoding("BIG5-HKSCS", "Chinese, Hong Kong"),
    CommonEncoding("CP932", "Japanese, Shift JIS of Windows, with \\ and ~"),
    CommonEncoding("SHIFT_JIS", "Japanese, with the yen sign in the place of \\"),
    CommonEncoding("EUC-JP", "Japanese, Unix"),
    CommonEncoding("ISO-2022-JP", "Japanese, 7 bits"),
    CommonEncoding("EUC-KR", "Korean"),
    CommonEncoding("CP949", "Korean, Windows"),
    CommonEncoding("KOI8-R", "Russian"),
    CommonEncoding("KOI8-U", "Ukrainian"),
    CommonEncoding("CP1251", "Cyrillic, such as Russian, Windows"),
    CommonEncoding("CP866", "Cyrillic, such as Russian, DOS"),
    CommonEncoding("CP855", "Cyrillic, older DOS"),
    CommonEncoding("ISO-8859-5", "Cyrillic, ISO"),
    CommonEncoding("ISO-8859-1", "Western Europe, Latin-1"),
    CommonEncoding("ISO-8859-15", "Western Europe, with the euro sign"),
    CommonEncoding("CP1252", "Western Europe, Windows"),
    CommonEncoding("CP850", "Western Europe, DOS"),
    CommonEncoding("CP858", "Western Europe, DOS, with the euro sign"),
    CommonEncoding("CP437", "United States, DOS, with frames"),
    CommonEncoding("ISO-8859-2", "Central Europe, Latin-2"),
    CommonEncoding("CP1250", "Central Europe, Windows"),
    CommonEncoding("CP852", "Central Europe, DOS"),
    CommonEncoding("CP775", "Baltic, DOS"),
    CommonEncoding("CP1257", "Baltic, Windows"),
    CommonEncoding("CP1253", "Greek, Windows"),
    CommonEncoding("CP737", "Greek, DOS"),
    CommonEncoding("ISO-8859-7", "Greek, ISO"),
    CommonEncoding("CP1254", "Turkish, Windows"),
    CommonEncoding("CP857", "Turkish, DOS"),
    CommonEncoding("ISO-8859-9", "Turkish, Latin-5"),
    CommonEncoding("CP1255", "Hebrew, Windows"),
    CommonEncoding("CP862", "Hebrew, DOS"),
    CommonEncoding("ISO-8859-8", "Hebrew, ISO"),
    CommonEncoding("CP1256", "Arabic, Windows"),
    CommonEncoding("CP864", "Arabic, DOS"),
    CommonEncoding("ISO-8859-6", "Arabic, ISO"),
    CommonEncoding("TIS-620", "Thai"),
    CommonEncoding("CP874", "Thai, Windows"),
    CommonEncoding("CP1258", "Vietnamese, Windows"),
    CommonEncoding("UTF-16LE", "Unicode, 2 bytes, low byte first"),
    CommonEncoding("UTF-16BE", "Unicode, 2 bytes, high byte first"),
    CommonEncoding("UTF-32LE", "Unicode, 4 bytes, low byte first"),
    CommonEncoding("IBM037", "EBCDIC, United States"),
  ]

  /// Whether there is such an encoding, on systems with all converters.
  static func isKnown(_ name: String) -> Bool { all.contains { $0.name == name } }
}
