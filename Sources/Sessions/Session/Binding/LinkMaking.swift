import EventLoop
import NetworkLinks
import Observing
import SerialCore
import SystemPackage
import Telnet

/// Makes the links of a session, each with the present options.
final class LinkMaking {
  var options: LinkOptions
  /// The size of the user's window, for servers that ask for it; nil for none.
  var windowSize: ComPortClient.WindowSize? {
    didSet { last?.windowSize = windowSize }
  }
  /// Each link that was made.
  let links = Observable<any Link>()
  private let providers: LinkProviders
  private let loop: IOLoop
  private let reportConsole: (FilePath) -> Void
  private var hasLookedForConsole = false
  private weak var last: NetworkLink?

  /// - Parameter reportConsole: receives the path of the first endpoint if it is a kernel console.
  init(
    _ options: LinkOptions, from providers: LinkProviders, on loop: IOLoop,
    reportConsole: @escaping (FilePath) -> Void
  ) {
    (self.options, self.providers, self.loop) = (options, providers, loop)
    self.reportConsole = reportConsole
  }

  /// A new link to an endpoint, which is not open yet.
  func link(to endpoint: Endpoint) -> any Link {
    lookForConsole(at: endpoint)
    let link = providers.link(to: endpoint, options: options, on: loop)
    last = link as? NetworkLink
    links.notify(link)
    return link
  }

  private func lookForConsole(at endpoint: Endpoint) {
    guard !hasLookedForConsole else { return }
    hasLookedForConsole = true
    if let path = endpoint.path, KernelConsoles().contains(path) { reportConsole(path) }
  }
}
