package import EventLoop
package import Observing
package import SerialCore
import Time
package import TransferProtocols

/// Detects that a program on the device offers files, or asks for one. An offer counts when nothing
/// follows it for a moment. It ends when other bytes arrive, or after a time limit.
package final class OfferWatch {
  /// The offer; nil for none.
  @Observed package private(set) var offer: DeviceOffer?

  private let loop: IOLoop
  private var observations: [ObservationToken<SessionEvent>] = []
  private var detector = OfferDetector()
  private var subscription: Hub.Subscription?
  private var timer: LoopTimer?

  /// The silence after an offer that makes it count.
  private static let silence = Duration.milliseconds(250)
  /// The time limit of an offer that is not repeated.
  private static let validity = Duration.seconds(30)

  package init(_ session: Session, _ hub: Hub, on loop: IOLoop) {
    self.loop = loop
    observations = [
      session.observe(.stateChange) { [unowned self] in if !$0.new.isOpen { forget() } },
      // Another author writes, who has accepted or interrupted the offer.
      session.observe(.penChange) { [unowned self] _ in forget() },
    ]
    subscription = hub.subscribe(as: .listener) { [unowned self] bytes, _ in receive(bytes) }
  }

  private func receive(_ bytes: UnsafeRawBufferPointer) {
    detector.receive(bytes, at: .nanoseconds(loop.now.nanoseconds))
    guard let found = detector.offer else {
      if offer != nil || timer != nil { (offer, timer) = (nil, nil) }
      return
    }
    timer = loop.schedule(after: found == offer ? Self.validity : Self.silence) { [unowned self] in
      let isExpired = offer == detector.offer
      if isExpired { detector.reset() }
      offer = detector.offer
      // Another observer may have accepted the offer meanwhile. Then there is none.
      timer =
        offer == nil ? nil : loop.schedule(after: Self.validity) { [unowned self] in forget() }
    }
  }

  private func forget() {
    detector.reset()
    (offer, timer) = (nil, nil)
  }
}
