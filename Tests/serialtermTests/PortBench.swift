import EventLoop
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import TestSupport
import Time

@testable import serialterm

/// A program with one open port, whose link is a fake.
final class PortBench {
  let app: App
  let link: FakeLink
  let port: Port

  var loop: IOLoop { app.loop }

  /// - Parameter pollable: what the loop polls in place of the device; nil for standard input.
  init(polling pollable: FileDescriptor? = nil, clock: TestClock? = nil) throws {
    let endpoint = Endpoint.tty("/dev/ttyTEST")
    let link = FakeLink(to: endpoint)
    link.pollable = pollable
    self.link = link
    app = try App(
      among: DeviceCatalog(), from: LinkProviders([FakeProvider(endpoint.kind) { _ in link }]),
      clock: { clock?.now ?? .now }, isQuiet: true, isRaw: false)
    port = app.add(
      SessionConfiguration(
        settings: LineSettings(), linkOptions: LinkOptions(), onOpen: nil, reconnects: true,
        waitsForAbsentDevice: false, pacing: Pacing(), log: LogConfiguration(), isQuiet: true),
      in: TerminalState(), writeCapacity: 4_096)
    try port.session.open(endpoint)
  }
}
