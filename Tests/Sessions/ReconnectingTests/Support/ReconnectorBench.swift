import DeviceWatch
import Observing
import Posix
import SerialCore
import SystemPackage
import TestSupport

@testable import Reconnecting

/// A session with links that a test controls, and its reconnector.
final class ReconnectorBench {
  let clock = ManualClock()
  let presence: FakePresence?
  let session: Session
  let reconnector: Reconnector
  var reports: [Reconnector.Report] { told.reports }
  private let told = Told()

  private final class Told {
    var reports: [Reconnector.Report] = []
  }

  private let links: Links

  /// The links of a session, the newest last, and the behaviour of the next one.
  private final class Links {
    var all: [FakeLink] = []
    var refusal: SerialError.Code?
    var opensLate = false

    func make(to endpoint: Endpoint) -> FakeLink {
      let link = FakeLink(to: endpoint)
      (link.refusal, link.opensLate) = (refusal, opensLate)
      all.append(link)
      return link
    }
  }

  static let endpoint = Endpoint(Endpoint.Kind("fake"), "fake:1")

  /// - Parameter mayOpen: returns whether the far end may be opened for the first time.
  init(
    hasPresence: Bool = true, waitsForLostDevice: Bool = true,
    mayOpen: @escaping (Endpoint, Device?) -> Bool = { _, _ in true }
  ) throws {
    let links = Links()
    self.links = links
    presence = hasPresence ? FakePresence() : nil
    session = Session(
      settings: LineSettings(), waitsForLostDevice: waitsForLostDevice,
      makeLink: { links.make(to: $0) })
    reconnector = Reconnector(
      session, to: presence, on: clock.scheduler, onReport: { [told] in told.reports.append($0) },
      mayOpen: mayOpen)
  }

  /// The error of opening the next links; nil if they open.
  var refusal: SerialError.Code? {
    get { links.refusal }
    set { links.refusal = newValue }
  }

  /// Whether the next links take time to open.
  var opensLate: Bool {
    get { links.opensLate }
    set { links.opensLate = newValue }
  }

  var link: FakeLink? { links.all.last }
  var attemptCount: Int { links.all.count }

  func loseLink() {
    link?.tell(.lost(SerialError(.lost, in: "read", at: Self.endpoint)))
  }

  /// Makes the far end appear, and reports that by the presence.
  func appear() {
    presence?.finding = .present(Self.endpoint, nil)
    presence?.events.notify(.changed)
  }
}
