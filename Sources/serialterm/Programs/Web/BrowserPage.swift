import EventLoop
import Glibc
import NetworkLinks
import Observing
import Posix
import Sessions
import SystemPackage
import TextTools

/// A page on which browsers watch the sessions of this program, and write with the pen.
///
/// The separate program `serialterm-web` serves it, and joins sessions as `serialterm attach`
/// does: a fault there does not touch a port. It ends with this program, and is started again if
/// it ends before.
final class BrowserPage {
  /// Where the page is, and who is let in.
  struct Place: Hashable {
    let address: HostAddress
    /// Whether the link needs no token.
    var isOpen = false
    /// Further names of this computer, such as that of a reverse proxy.
    var names: [String] = []
    /// The computers that may connect; empty for all.
    var allowed: [AddressRange] = []
  }

  /// What happens after the page was opened.
  enum News: Hashable {
    /// It has ended by itself, for this reason, and is started again later.
    case ended(String)
    /// It is there again, with another link than before if its token was removed.
    case returned(newLink: PageLink?)
    /// A line of its log.
    case logged(String)
  }

  /// The link to the page, with the token; nil while there is none.
  @Observed private(set) var link: PageLink?
  /// The link that the user knows.
  private var toldLink: PageLink?
  let news = Observable<News>()

  private let loop: IOLoop
  private let program: String
  private var place: Place?
  private var child: PipedChild?
  private var output: [UInt8] = []
  private var errors = ErrorLines()
  private var lastError: String?
  private var logged = 0
  private var opening: ((Result<PageLink, Failure>) -> Void)?
  private var restart: LoopTimer?

  /// The time after which it is started again.
  private static let pause = Duration.seconds(5)
  /// What the reason of its end on standard error begins with, and a line of its log.
  private static let prefix = "serialterm-web: "
  private static let logPrefix = "serialterm-web log: "
  /// The number of bytes of its output among which its link is.
  private static let outputLimit = 4_096
  /// The number of lines of its log that are reported; pages may cause some.
  private static let mostLogged = 20

  /// - Parameter program: the path of `serialterm-web`; nil for the one beside this program, or
  ///   in `PATH`.
  init(on loop: IOLoop, program: String? = nil) {
    self.loop = loop
    self.program = program ?? Self.foundProgram
  }

  private static var foundProgram: String {
    let name = "serialterm-web"
    let own = ProgramArguments.file?.removingLastComponent().appending(name).string
    return [own, name].compactMap(\.self).lazy.compactMap(ProgramSearch.file).first ?? name
  }

  /// Opens the page.
  ///
  /// - Parameter answer: called once, later, with the link or with why there is none.
  func open(at place: Place, answer: @escaping (Result<PageLink, Failure>) -> Void) {
    close()
    self.place = place
    opening = answer
    start()
  }

  /// Closes the page. Those who are there leave.
  func close() {
    // The end of its input ends the program.
    (child, place, restart, opening) = (nil, nil, nil, nil)
    link = nil
  }

  private func start() {
    guard let place else { return }
    (output, errors, lastError, logged) = ([], ErrorLines(), nil, 0)
    var words = [program, "\(place.address)", "--pid", "\(getpid())", "--until-eof"]
    if place.isOpen { words.append("--open") }
    words += place.names.flatMap { ["--host", $0] }
    words += place.allowed.flatMap { ["--allow", "\($0)"] }
    if let own = ProgramArguments.file { words += ["--program", own.string] }
    do throws(Errno) {
      let child = try PipedChild(words: words, .init(errors: .piped))
      self.child = child
      try child.follow(on: loop) { [unowned self] in handle($0) }
    } catch {
      lastError =
        error == .noSuchFileOrDirectory
        ? "serialterm-web is not installed: 'sudo apt install ./serialterm-web_*.deb', or "
          + "'scripts/install --web' in the source" : "\(error)"
      ended()
    }
  }

  private func handle(_ event: PipedChild.Event) {
    switch event {
    case .output(let bytes): receiveOutput(bytes)
    case .errors(let bytes): receiveErrors(bytes)
    case .ended: ended()
    case .outputClosed, .exited: break
    }
  }

  private func receiveOutput(_ bytes: UnsafeRawBufferPointer) {
    guard link == nil, output.count < Self.outputLimit else { return }
    output += bytes
    guard let end = output.firstIndex(of: UInt8(ascii: "\n")) else { return }
    let link = PageLink(String(decoding: output[..<end], as: UTF8.self).harmless)
    let isNew = link != toldLink
    (self.link, toldLink) = (link, link)
    if let opening {
      self.opening = nil
      opening(.success(link))
    } else {
      news.notify(.returned(newLink: isNew ? link : nil))
    }
  }

  private func receiveErrors(_ bytes: UnsafeRawBufferPointer) {
    for line in errors.receive(bytes, at: loop.now) {
      if line.hasPrefix(Self.prefix) {
        lastError = String(line.dropFirst(Self.prefix.count))
      } else if line.hasPrefix(Self.logPrefix), logged < Self.mostLogged {
        logged += 1
        news.notify(.logged(String(line.dropFirst(Self.logPrefix.count))))
      }
    }
  }

  private func ended() {
    child?.errors?.readRest()
    child = nil
    let words = lastError ?? "serialterm-web has ended"
    let reason = words.hasSuffix(".") ? words : "\(words)."
    link = nil
    if let opening {
      (self.opening, place) = (nil, nil)
      return opening(.failure(Failure(.otherFailure, reason)))
    }
    news.notify(.ended(reason))
    restart = loop.schedule(after: Self.pause) { [unowned self] in start() }
  }
}

extension BrowserPage.Place {
  /// Parses `[HOST:]PORT`; without a host, it is for browsers of this computer.
  ///
  /// - Throws: ``HostAddressError``.
  init(parsing text: String) throws(HostAddressError) {
    let isPort = !text.isEmpty && text.utf8.allSatisfy { (0x30...0x39).contains($0) }
    self.init(address: try HostAddress(parsing: isPort ? "127.0.0.1:\(text)" : text))
  }

  /// A warning for a user who lets browsers of other computers in; nil if only this computer can
  /// connect.
  var warning: String? {
    guard !address.isLoopback else { return nil }
    let who =
      allowed.isEmpty ? "everyone who reaches" : "the computers that --allow names and that reach"
    return isOpen
      ? "warning: \(who) port \(address.port) can watch and write. There is no password."
      : "warning: who has the link can watch and write, and it passes the network unencrypted. "
        + "ssh -L or a reverse proxy with TLS protects it."
  }
}
