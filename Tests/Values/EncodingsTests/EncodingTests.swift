import Testing

@testable import Encodings

@Suite(.timeLimit(.minutes(30))) struct EncodingTests {
  @Test(arguments: CommonEncoding.all) func commonEncodingsExist(_ common: CommonEncoding) throws {
    #expect(try Encoding(common.name).name == common.name)
    #expect(!common.summary.isEmpty)
  }

  @Test func commonEncodingsHaveDifferentNames() {
    #expect(Set(CommonEncoding.all.map(\.name)).count == CommonEncoding.all.count)
  }

  @Test func caseDoesNotMatter() throws {
    #expect(try Encoding("gbk") == Encoding("GBK"))
    #expect(try Encoding("koi8-r").description == "KOI8-R")
  }

  @Test(arguments: ["UTF-8", "utf8", "utf-8"]) func utf8_needsNoConversion(_ name: String) throws {
    #expect(try Encoding(name).isUTF8)
    #expect(try !Encoding("GBK").isUTF8)
  }

  @Test(arguments: [
    ("GBK", true), ("GB18030", true), ("CP437", true), ("KOI8-R", true), ("EUC-JP", true),
    ("CP932", true), ("SHIFT_JIS", false), ("UTF-16LE", false), ("UTF-7", false),
    ("ISO-2022-JP", false), ("IBM037", false), ("TCVN", false),
  ]) func supersetsOfASCII(_ name: String, _ isSuperset: Bool) throws {
    #expect(try Encoding(name).isSupersetOfASCII == isSuperset)
  }

  @Test(
    arguments: [
      ("GBK", 1, []), ("UTF-16LE", 2, []), ("UTF-16", 2, [0xFF, 0xFE]), ("UTF-32BE", 4, []),
      ("ISO-2022-JP", 1, []), ("ISO-2022-KR", 1, [0x1B, 0x24, 0x29, 0x43]),
    ] as [(String, Int, [UInt8])])
  func unitsAndHeaders(_ name: String, _ unit: Int, _ header: [UInt8]) throws {
    let encoding = try Encoding(name)
    #expect(encoding.unit == unit)
    #expect(encoding.header == header)
  }

  @Test(arguments: [
    ("CP1258", true), ("CP1255", true), ("TCVN", true), ("CP437", false), ("GBK", false),
    ("ISO-2022-JP-3", false), ("UTF-7", false), ("UTF-16LE", false),
  ]) func encodingsThatHoldCharacters(_ name: String, _ holds: Bool) throws {
    #expect(try Encoding(name).holdsCharacters == holds)
  }

  @Test(arguments: [
    ("KOI8-S", EncodingError.unknown("KOI8-S", nearest: "KOI8-R")),
    ("shift-jsi", .unknown("SHIFT-JSI", nearest: "SHIFT_JIS")),
    ("GB18O30", .unknown("GB18O30", nearest: "GB18030")),
    ("iso-2022-cn-ext", .broken("ISO-2022-CN-EXT")), ("ISO2022CN", .broken("ISO2022CN")),
    ("nothing-like-it", .unknown("NOTHING-LIKE-IT", nearest: nil)),
    ("", .notName("")), ("GBK//IGNORE", .notName("GBK//IGNORE")), ("a,b", .notName("a,b")),
    ("\u{1B}[m", .notName("\u{1B}[m")), ("é", .notName("é")),
    (String(repeating: "A", count: 65), .notName(String(repeating: "A", count: 65))),
  ]) func otherNamesAreErrors(_ name: String, _ error: EncodingError) {
    #expect(throws: error) { try Encoding(name) }
  }

  @Test(arguments: [
    (
      EncodingError.unknown("KOI8R", nearest: "KOI8-R"),
      "unknown encoding KOI8R; did you mean KOI8-R?"
    ),
    (.unknown("X", nearest: nil), "unknown encoding X; iconv -l lists those of this system"),
    (
      .missing("GBK"),
      "this system's C library has no converter for GBK (Debian, Ubuntu: apt install "
        + "libc-gconv-modules-extra; Fedora: dnf install glibc-gconv-extra)"
    ),
    (.notName("\u{1B}"), "'\u{FFFD}' cannot be the name of an encoding"),
  ]) func errorsInWords(_ error: EncodingError, _ text: String) {
    #expect(error.description == text)
  }
}
