import Testing

@testable import NetworkLinks

@Suite(.timeLimit(.minutes(30))) struct HostAddressTests {
  @Test(
    arguments: [
      ("lab.example:4001", "lab.example", 4_001), ("192.0.2.7:23", "192.0.2.7", 23),
      ("[2001:db8::7]:65535", "2001:db8::7", 65_535), ("[::1]:1", "::1", 1), ("a:007", "a", 7),
    ] as [(String, String, UInt16)])
  func addresses_areRead(_ text: String, _ host: String, _ port: UInt16) throws {
    #expect(try HostAddress(parsing: text) == HostAddress(host: host, port: port))
  }

  @Test(
    arguments: [
      ("", .noHost), (":1", .noHost), ("[]:1", .noHost), ("host", .noPort), ("host:", .noPort),
      ("[::1]", .noPort), ("host:0", .badPort), ("host:65536", .badPort), ("host:x", .badPort),
      ("host:-1", .badPort), ("host:+1", .badPort), ("host: 1", .badPort), ("::1:23", .bareIPv6),
      ("[::1:23", .noBracket), ("[::1]23", .noBracket), ("a b:1", .badHost), ("a/b:1", .badHost),
      ("a\u{1B}:1", .badHost), ("é:1", .badHost),
    ] as [(String, HostAddressError)])
  func others_nameTheMistake(_ text: String, _ error: HostAddressError) {
    #expect(throws: error) { try HostAddress(parsing: text) }
  }

  @Test func description_isReadAgain() throws {
    for text in ["host:1", "[::1]:23"] {
      #expect("\(try HostAddress(parsing: text))" == text)
    }
  }
}
