import EventLoop
import NetworkLinks
import Observing
import Posix
import SystemPackage
import TestSupport
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct BrowserPageTests {
  @Test func aPortAloneIsForBrowsersOfThisComputer() throws {
    let place = try BrowserPage.Place(parsing: "8080")
    #expect(place.address == HostAddress(host: "127.0.0.1", port: 8080))
    #expect(place.warning == nil)
  }

  @Test func otherAddressesAreWarnedAbout() throws {
    var place = try BrowserPage.Place(parsing: "0.0.0.0:8080")
    #expect(place.warning?.contains("unencrypted") == true)
    place.isOpen = true
    #expect(place.warning?.contains("everyone who reaches port 8080") == true)
    place.allowed = [try #require(AddressRange(parsing: "192.168.1.0/24"))]
    #expect(place.warning?.contains("--allow") == true)
  }

  @Test(arguments: ["", "0", "70000", "::1:80", "host", ":80"])
  func nonsenseIsRefused(text: String) {
    #expect(throws: HostAddressError.self) { try BrowserPage.Place(parsing: text) }
  }

  @Test func rangesAreWrittenAsTheyAreRead() throws {
    for text in ["192.168.1.0/24", "2001:db8::/32", "10.0.0.1/32", "::1/128"] {
      #expect(try #require(AddressRange(parsing: text)).description == text)
    }
  }

  @Test func aSharedPlaceIsForClientsOrBrowsers() throws {
    guard case .clients = SharedPlace(naming: "8080"),
      case .clients = SharedPlace(naming: "./a,web")
    else {
      Issue.record("these are for clients")
      return
    }
    guard case .browsers(let place) = SharedPlace(naming: "lab:8080,web") else {
      Issue.record("this is for browsers")
      return
    }
    #expect(place.address == HostAddress(host: "lab", port: 8080))
    #expect(SharedPlace(naming: "what,web") == nil)
  }
}

@Suite(.timeLimit(.minutes(30))) struct PageLinkTests {
  private let link = PageLink("http://x:8080/#secret")

  @Test func aReaderGetsTheWholeLink() {
    #expect(link.words(isKept: false) == "http://x:8080/#secret")
  }

  @Test func whatIsKeptHasNoToken() {
    let words = link.words(isKept: true)
    #expect(!words.contains("secret"))
    #expect(words.hasPrefix("http://x:8080/, with '#' and the token behind it: "))
  }

  @Test func aLinkWithoutTokenIsWhole() {
    #expect(PageLink("http://x:8080/").words(isKept: true) == "http://x:8080/")
  }
}

/// With a script in place of serialterm-web.
@Suite(.timeLimit(.minutes(30))) struct BrowserPageProgramTests {
  private let folder: TemporaryFolder
  private let loop: IOLoop

  init() throws { (folder, loop) = (try TemporaryFolder(), try IOLoop()) }

  private func page(running script: String) throws -> BrowserPage {
    let path = try folder.makeScript("serialterm-web", script)
    return BrowserPage(on: loop, program: path.string)
  }

  /// Opens the page, and waits for the answer.
  private func open(_ page: BrowserPage) throws -> Result<PageLink, Failure> {
    var answer: Result<PageLink, Failure>?
    page.open(at: try BrowserPage.Place(parsing: "8080")) { answer = $0 }
    while answer == nil { try loop.turn(waitingAtMost: .seconds(1)) }
    return try #require(answer)
  }

  @Test func theLinkIsTheFirstLineAndGoneWhenThePageIsClosed() throws {
    let page = try page(running: "echo 'http://x/#t'; cat")
    #expect(try open(page).get() == PageLink("http://x/#t"))
    #expect(page.link == PageLink("http://x/#t"))
    page.close()
    #expect(page.link == nil)
  }

  @Test func theReasonIsWhatTheProgramSays() throws {
    let page = try page(running: "echo 'serialterm-web: cannot listen.' >&2; exit 1")
    #expect(throws: Failure(.otherFailure, "cannot listen.")) { try open(page).get() }
    #expect(page.link == nil)
  }

  @Test func theReasonIsNoLineOfAnotherProgram() throws {
    let page = try page(
      running: """
        echo 'serialterm-web: cannot listen.' >&2; echo 'serialterm-web log: x' >&2; echo y >&2; exit 1
        """)
    #expect(throws: Failure(.otherFailure, "cannot listen.")) { try open(page).get() }
  }

  @Test func itsLogIsNewsUpToALimit() throws {
    let page = try page(
      running: """
        echo 'http://x/#t'
        for line in $(seq 100); do echo "serialterm-web log: line $line" >&2; done
        """)
    var news: [BrowserPage.News] = []
    let observation = page.news.observe { news.append($0) }
    _ = try open(page).get()
    while news.last != .ended("serialterm-web has ended.") {
      try loop.turn(waitingAtMost: .seconds(1))
    }
    #expect(news.dropLast() == (1...20).map { .logged("line \($0)") })
    _ = observation
  }

  @Test func aMissingProgramIsNamed() throws {
    let page = BrowserPage(on: loop, program: folder("nothing").string)
    let failure = #expect(throws: Failure.self) { try open(page).get() }
    #expect(failure?.message.contains("serialterm-web is not installed") == true)
  }

  @Test func anEndIsNewsAndTheLinkIsGone() throws {
    let goal = folder("end")
    let page = try page(
      running: """
        echo 'http://x/#t'
        while [ ! -e '\(goal)' ]; do sleep 0.02; done
        echo 'serialterm-web: no memory' >&2
        """)
    var news: BrowserPage.News?
    let observation = page.news.observe { news = news ?? $0 }
    _ = try open(page).get()
    try FileDescriptor.open(
      goal, .writeOnly, options: .create, permissions: .ownerReadWrite
    ).close()
    while news == nil { try loop.turn(waitingAtMost: .seconds(1)) }
    #expect(news == .ended("no memory."))
    #expect(page.link == nil)
    _ = observation
  }
}
