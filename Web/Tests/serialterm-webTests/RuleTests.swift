import Glibc
import NIOCore
import NIOHTTP1
import SystemPackage
import Testing

@testable import serialterm_web

struct RequestRulesTests {
  private let rules = RequestRules(
    host: "127.0.0.1", proxies: ["lab.example.org", "rack.example.org:8443"].map { .init($0)! })

  private func refusal(host: String?, origin: String? = nil) -> HTTPResponseStatus? {
    var headers = HTTPHeaders()
    if let host { headers.add(name: "Host", value: host) }
    if let origin { headers.add(name: "Origin", value: origin) }
    return rules.refusal(
      of: HTTPRequestHead(version: .http1_1, method: .GET, uri: "/", headers: headers))?.status
  }

  @Test(arguments: [
    "localhost:8080", "127.0.0.1:8080", "[::1]:8080", "192.168.1.5:8080", "LOCALHOST",
    "lab.example.org",
    "Lab.Example.Org.:443",
  ])
  func ownNamesAreAnswered(host: String) { #expect(refusal(host: host) == nil) }

  @Test(arguments: [
    "evil.example", "evil.example:8080", "localhost.evil.example", "127.0.0.1.evil.example",
    "lab.example.org.evil.example",
  ])
  func foreignNamesAreMisdirected(host: String) {
    #expect(refusal(host: host) == .misdirectedRequest)
  }

  @Test(arguments: [
    "", ":8080", "a b", "localhost:0", "localhost:99999", "a@localhost", "[::1", "x:y:1",
  ])
  func nonsenseIsABadRequest(host: String) { #expect(refusal(host: host) == .badRequest) }

  @Test func aRequestWithoutHostIsBad() { #expect(refusal(host: nil) == .badRequest) }

  @Test(arguments: [
    ("localhost:8080", "http://localhost:8080"), ("127.0.0.1:8080", "HTTP://127.0.0.1:8080"),
    ("[::1]:8080", "http://[::1]:8080"), ("localhost", "http://localhost:80"),
    // A tunnel has a port of its own.
    ("localhost:9000", "http://localhost:9000"),
    // Proxies leave out the port, or the name.
    ("lab.example.org", "https://lab.example.org"),
    ("127.0.0.1:8080", "https://lab.example.org"), ("127.0.0.1:8080", "http://lab.example.org:80"),
    ("rack.example.org", "https://rack.example.org:8443"),
    ("rack.example.org:8443", "https://rack.example.org:8443"),
    ("lab.example.org:8443", "https://lab.example.org:8443"),
  ])
  func pagesOfTheServerItselfMayConnect(host: String, origin: String) {
    #expect(refusal(host: host, origin: origin) == nil)
  }

  @Test(arguments: [
    ("localhost:8080", "http://evil.example"), ("localhost:8080", "null"),
    ("localhost:8080", "file://"), ("localhost:8080", ""),
    ("localhost:8080", "http://localhost:8080/"), ("localhost:8080", "http://localhost:"),
    ("localhost:8080", "http://lab.example.org.evil.example"),
    // Another port is another program, and maybe another user.
    ("localhost:8080", "http://localhost:8081"), ("localhost:8080", "http://localhost"),
    ("127.0.0.1:8080", "http://127.0.0.1:8081"), ("127.0.0.1:8080", "http://127.0.0.1"),
    ("[::1]:8080", "http://[::1]:8081"),
    // Another name of this computer may lead to another program at the same port.
    ("127.0.0.1:8080", "http://localhost:8080"), ("localhost:8080", "http://[::1]:8080"),
    ("localhost:8080", "http://127.0.0.1:8080"), ("127.0.0.1:8080", "http://127.0.0.2:8080"),
    // This server speaks no TLS.
    ("localhost:8080", "https://localhost:8080"), ("localhost", "https://localhost"),
    ("lab.example.org", "https://lab.example.org:8443"),
    ("lab.example.org", "http://lab.example.org:8080"),
    ("rack.example.org", "https://rack.example.org"),
    ("lab.example.org:8443", "https://lab.example.org:9443"),
    ("lab.example.org:8443", "https://rack.example.org:9443"),
  ])
  func otherPagesMayNot(host: String, origin: String) {
    #expect(refusal(host: host, origin: origin) == .forbidden)
  }

  private func explanation(host: String, origin: String) -> String {
    rules.explanation(
      for: HTTPRequestHead(
        version: .http1_1, method: .GET, uri: "/why", headers: ["Host": host]), of: origin)
  }

  @Test(arguments: [
    ("https://pi.example.org", "pi.example.org"),
    ("https://pi.example.org:8443", "pi.example.org:8443"),
    ("http://pi.example.org:80", "pi.example.org"), ("http://[fe80::1]:81", "[fe80::1]:81"),
  ])
  func aRefusedPageLearnsItsOriginAndTheFix(origin: String, name: String) throws {
    let text = explanation(host: "127.0.0.1:8080", origin: origin)
    #expect(text.contains("requests arrive for 127.0.0.1:8080."))
    #expect(text.contains("start the page with --web-host \(name). The proxy should pass the host"))
    #expect(!text.contains("ignore this"))
    // What it advises is right.
    let mended = RequestRules(
      host: "127.0.0.1", proxies: [try #require(RequestRules.Authority(name))])
    let head = HTTPRequestHead(
      version: .http1_1, method: .GET, uri: "/socket",
      headers: ["Host": "127.0.0.1:8080", "Origin": origin])
    #expect(mended.refusal(of: head) == nil)
  }

  @Test func aProxyThatPassesTheHostIsNotAskedFor() {
    let text = explanation(host: "192.0.2.7:8443", origin: "https://192.0.2.7:8443")
    #expect(text.hasSuffix("start the page with --web-host 192.0.2.7:8443."))
  }

  private func report(host: String, origin: String? = nil) throws -> String {
    var headers: HTTPHeaders = ["Host": host]
    if let origin { headers.add(name: "Origin", value: origin) }
    let head = HTTPRequestHead(version: .http1_1, method: .GET, uri: "/socket", headers: headers)
    return try #require(rules.refusal(of: head)).report
  }

  @Test func theUserMayHaveOpenedAnotherPage() throws {
    let page = try report(host: "127.0.0.1:8080", origin: "https://evil.example")
    #expect(page.contains("If a reverse proxy of yours is between"))
    #expect(page.hasSuffix("has tried to connect: ignore this."))
    let name = try report(host: "board")
    #expect(
      name.contains("--web-host board. If a reverse proxy has put it there, it must pass the"))
    #expect(name.contains("proxy_set_header Host $http_host;"))
    #expect(name.hasSuffix("has tried to connect: ignore this."))
  }

  @Test func aReportOfLongNamesIsWhole() throws {
    let name = String(repeating: "x", count: 249)
    for report in [
      try report(host: name), try report(host: "127.0.0.1:8080", origin: "https://\(name):8443"),
      try report(host: "\(String(repeating: "0", count: 200)).lab.example.org"),
    ] {
      #expect(report.unicodeScalars.count <= Log.longestLine)
      #expect(Log.cleaned(report).hasSuffix("ignore this."))
      #expect(report.contains("xxx…") || report.contains("000…"))
    }
  }

  @Test func aPageWhoseSocketIsNotRefusedLearnsOfUpgrade() {
    #expect(
      explanation(host: "127.0.0.1:8080", origin: "https://lab.example.org")
        == RequestRules.upgradeAdvice)
  }

  @Test func anOriginThatIsNoneIsHarmless() {
    let text = explanation(
      host: "127.0.0.1:8080", origin: "\u{1b}]0;x\u{7}\(String(repeating: "y", count: 9_999))")
    #expect(text.utf8.count < 600)
    #expect(!text.unicodeScalars.contains { $0.value < 0x20 })
  }
}

struct RefusalLogTests {
  @Test func aReasonIsLoggedOnceAndThereAreFew() {
    var log = RefusalLog()
    #expect(log.lines(about: "a") == ["a"])
    #expect(log.lines(about: "a") == [])
    let lines = (0..<100).flatMap { log.lines(about: "\($0)") }
    #expect(lines.count == RefusalLog.limit)
    #expect(lines.suffix(2) == ["6", "Further refused requests are not logged."])
    #expect(log.lines(about: "a") == [])
  }
}

struct PageFileTests {
  @Test func aPathBeforeTheFileDoesNotMatter() {
    #expect(PageFile(target: "/") == .html)
    #expect(PageFile(target: "/lab/board/") == .html)
    #expect(PageFile(target: "/lab/page.js?x=/y") == .page)
  }

  @Test(arguments: ["", "page.js", "/page.jsx", "/../etc/passwd", "/%2e%2e/", "http://x/"])
  func thereIsNothingElse(target: String) {
    if target == "http://x/" || target == "" || target == "page.js" {
      #expect(PageFile(target: target) == nil)
    } else {
      #expect(PageFile(target: target) == nil || target.hasSuffix("/"))
    }
  }
}

struct BrowserCommandTests {
  private func parse(_ text: String) throws(BrowserCommand.Refusal) -> BrowserCommand {
    try BrowserCommand(Array(text.utf8))
  }

  @Test func commandsForTheLineArePassedOnAnew() throws {
    let command = try parse("{\"command\":\n\"send\",\"text\":\"a\\n\",\"id\":7}")
    #expect(command == .forward(line: #"{"command":"send","id":7,"text":"a\n"}"#))
  }

  @Test func aNameIsPassedOnAsTheSessionGetsItWhenAPageJoins() throws {
    let long = String(repeating: "x", count: 41)
    #expect(
      try parse("{\"command\":\"name\",\"argument\":\"\(long)\",\"id\":1}")
        == .rename(
          to: String(long.dropLast()),
          line: #"{"argument":"\#(long.dropLast())","command":"name","id":1}"#))
    #expect(
      try parse(#"{"command":"name","argument":""}"#)
        == .rename(to: "", line: #"{"argument":"","command":"name"}"#))
    #expect(throws: BrowserCommand.Refusal.self) { try parse(#"{"command":"name"}"#) }
  }

  @Test(arguments: [
    #"{"command":"send-file","path":"/etc/passwd"}"#, #"{"command":"send-file"}"#,
    #"{"command":"watch"}"#, #"{"command":"w\u0061tch"}"#,
  ])
  func theServersOwnAreNot(text: String) {
    #expect(throws: BrowserCommand.Refusal.self) { try parse(text) }
  }

  @Test func aRepeatedMemberCannotHideACommand() throws {
    let text = #"{"command":"send","command":"close","text":"x"}"#
    guard let command = try? parse(text) else { return }
    #expect(command == .forward(line: #"{"command":"send","text":"x"}"#))
  }

  @Test(arguments: [
    "", "{", "[]", "1", "{\"command\":{}}", "{\"command\":[\"send\"]}", "{\"a\":1}",
  ])
  func nonsenseIsRefused(text: String) {
    #expect(throws: BrowserCommand.Refusal.self) { try parse(text) }
  }

  @Test func depthAndLengthAreLimited() {
    #expect(throws: BrowserCommand.Refusal.self) {
      try parse(String(repeating: "[", count: 16_000))
    }
    #expect(throws: BrowserCommand.Refusal.self) {
      try parse("{\"command\":\"send\",\"text\":\"\(String(repeating: "x", count: 17_000))\"}")
    }
  }

  @Test(arguments: ["", #""id":null,"#])
  func aFileNeedsAnId(id: String) {
    #expect(throws: BrowserCommand.Refusal.self) {
      try parse("{\"command\":\"upload\",\(id)\"name\":\"x\",\"size\":1}")
    }
  }

  @Test(arguments: [("size", "-1"), ("size", "99999999999"), ("size", "1.5"), ("size", "null")])
  func aFileNeedsASize(member: String, value: String) {
    #expect(throws: BrowserCommand.Refusal.self) {
      try parse("{\"command\":\"upload\",\"id\":1,\"name\":\"x\",\"\(member)\":\(value)}")
    }
  }
}

struct TokenTests {
  @Test func onlyTheTokenMatches() {
    let token = Token.random()
    #expect(token.matches(token.text))
    #expect(!token.matches(""))
    #expect(!token.matches(token.text + "x"))
    #expect(!token.matches(String(token.text.dropLast())))
    #expect(Token.random().text != token.text)
  }

  /// The process of a container has the same number at each start.
  @Test func whatAKilledServerHasLeftDoesNotMatter() throws {
    var template = Array("/tmp/token-XXXXXX".utf8CString)
    let folder = FilePath(String(cString: try #require(mkdtemp(&template))))
    let (path, left) = (folder.appending("web-token"), folder.appending("web-token.\(getpid())"))
    try SystemPackage.FileDescriptor.open(
      left, .writeOnly, options: .create, permissions: .ownerReadWrite
    ).close()
    defer {
      for path in [path, left] { _ = path.withPlatformString { unlink($0) } }
      // It can be removed because it is empty.
      #expect(folder.withPlatformString { rmdir($0) } == 0)
    }
    let token = try Token.kept(at: path)
    #expect(try Token.kept(at: path).text == token.text)
  }
}

struct OptionsTests {
  @Test func anAddressHasAHostIfItNamesOne() throws {
    #expect(try Options(["8080"]).host == "127.0.0.1")
    #expect(try Options(["[::1]:8080"]).host == "::1")
    #expect(try Options(["0.0.0.0:80", "--open", "--pid=7"]).pid == 7)
  }

  @Test(arguments: [
    [], ["0"], ["70000"], ["80", "--host", "http://x"], ["80", "--host", "x:0"], ["x:y"],
    ["::1:80"], ["80", "81"], ["--pid", "x", "80"], ["--what"],
  ])
  func mistakesAreNamed(words: [String]) {
    #expect(throws: Options.Mistake.self) { try Options(words) }
  }
}

struct LineSplitterTests {
  @Test(arguments: [1, 2, 3, 7, 100]) func linesAreTheSameHoweverTheyAreDivided(size: Int) throws {
    let bytes = Array("one\n\ntwo µ\nthe rest".utf8)
    var splitter = LineSplitter(limit: 100)
    var lines: [String] = []
    for start in stride(from: 0, to: bytes.count, by: size) {
      let piece = bytes[start..<min(start + size, bytes.count)]
      lines += try piece.withUnsafeBytes { try splitter.add($0) }.map { String(buffer: $0) }
    }
    #expect(lines == ["one", "", "two µ"])
  }

  @Test func aLineWithoutEndIsRefused() throws {
    var splitter = LineSplitter(limit: 10)
    let piece = [UInt8](repeating: 0x78, count: 6)
    _ = try piece.withUnsafeBytes { try splitter.add($0) }
    #expect(throws: LineSplitter.TooLong.self) {
      _ = try piece.withUnsafeBytes { try splitter.add($0) }
    }
  }
}
