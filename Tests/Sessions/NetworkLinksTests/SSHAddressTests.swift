import Testing

@testable import NetworkLinks

@Suite struct SSHAddressTests {
  @Test func addresses_areRead() throws {
    let simple = try #require(SSHAddress(parsing: "pi/ttyUSB0"))
    #expect(simple.user == nil && simple.host == "pi" && simple.port == nil)
    #expect(simple.target == "ttyUSB0")
    let full = try #require(SSHAddress(parsing: "ana@[fe80::1%eth0]:2222//dev/ttyUSB0"))
    #expect(full.user == "ana" && full.host == "fe80::1%eth0" && full.port == 2_222)
    #expect(full.target == "/dev/ttyUSB0")
  }

  @Test(arguments: [
    "", "pi", "pi/", "/x", "@pi/x", "-oProxyCommand=x/y", "ana@-x/y", "-ana@pi/y", "pi:0/x",
    "pi:x/y",
    "pi:/x", "a b/x", "$(x)/y", "pi/x\u{1B}[2J", "pi/x\ny", "[::1/x",
  ])
  func otherTexts_areRefused(_ text: String) { #expect(SSHAddress(parsing: text) == nil) }

  @Test func theCommand_quotesTheTarget_andAsksForNothing() throws {
    let address = try #require(SSHAddress(parsing: "ana@pi:22/serial:A 'B'; rm"))
    let words = address.command
    #expect(words.first == "ssh" && words.contains("BatchMode=yes"))
    #expect(
      words.suffix(4) == [
        "-p", "22", "ana@pi", #"serialterm serve --stdio -- 'serial:A '\''B'\''; rm'"#,
      ])
  }
}
