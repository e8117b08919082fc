package import DeviceWatch
package import EventLoop
import NetworkLinks
package import Reconnecting
package import SerialCore
package import Telnet

/// A session of the same user in another process, to be joined. The user chooses it from a list, so
/// it has no form of TARGET.
package struct SessionProvider: LinkProvider {
  private let session: RunningSession
  private let introduction: SharingMessage.Introduction

  /// - Parameter introduction: tells the other members of the session who the user is.
  package init(joining session: RunningSession, as introduction: SharingMessage.Introduction) {
    (self.session, self.introduction) = (session, introduction)
  }

  package var kind: Endpoint.Kind { .session }

  /// None: the line belongs to the other process.
  package var options: LinkOptionGroups { [] }

  package func parse(_ text: String) -> Result<Target, TargetError>? { nil }

  package func completions(of text: String, among devices: () -> [Device]) -> [TargetCompletion] {
    []
  }

  package func link(to endpoint: Endpoint, options: LinkOptions, on loop: IOLoop) -> any Link {
    NetworkLink(
      to: endpoint, at: .session(session.socket, request: session.joinRequest.line),
      speaking: .rfc2217, options: options, as: introduction, on: loop)
  }

  package func presence(
    of endpoint: Endpoint, among devices: DeviceCatalog, on loop: IOLoop
  ) -> (any Presence)? { nil }
}

extension Endpoint.Kind {
  /// A session of another program.
  package static let session = Endpoint.Kind("session")
}
