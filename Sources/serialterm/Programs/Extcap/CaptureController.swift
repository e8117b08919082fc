import EventLoop
import Logs
import Observing
import Posix
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TextTools
import Time

/// Writes what a port receives to a capturing program, such as Wireshark, as packets.
/// Sends nothing.
///
/// - The device waits while the program does not read, if that loses nothing. A session does not
///   wait for its viewers. Then packets are kept up to ``capacity``; bytes beyond that are counted,
///   and noted in the capture.
/// - A signal, or a program that closes the pipe, is the normal end.
final class CaptureController {
  /// The most bytes of packets that wait for the program.
  private static let capacity = 8 << 20
  /// The time that the program has at the end to read what waits.
  private static let patience = Duration.milliseconds(500)

  private let frontEnd: HeadlessInterface
  private let whenFull: Hub.WhenFull
  private let channel: OutputChannel
  private var stream: PacketStream
  private var output: [UInt8] = []
  private var subscription: Hub.Subscription?
  private var observations: [AnyObject] = []
  private var timer: LoopTimer?
  /// Bytes that were left out since the last packet.
  private var gap = 0
  private var missingCount = 0
  private var isGone = false

  /// - Parameters:
  ///   - pipe: where the program reads; borrowed for the lifetime of the controller.
  ///   - isSession: whether the port is a session in another program.
  ///   - makeStream: makes the stream, and appends its header.
  /// - Throws: the errors of epoll_ctl(2).
  init(
    _ frontEnd: HeadlessInterface, to pipe: FileDescriptor, isSession: Bool,
    _ makeStream: (_ header: inout [UInt8]) -> PacketStream
  ) throws(Errno) {
    self.frontEnd = frontEnd
    whenFull = isSession ? .keepReceiving : .waitOrLeaveOut
    channel = try OutputChannel(pipe, on: frontEnd.loop, whenFull: .pushBack)
    stream = makeStream(&output)
  }

  /// Captures until the program or a signal ends it.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    observe()
    // Before the port is opened: the program shows that the capture runs.
    write()
    let result = Result { try frontEnd.run() }
    finish()
    let status = try result.get()
    if missingCount > 0 {
      throw Failure(.logFailed, "\(missingCount.counted("byte")) missing from the capture.")
    }
    if case .signal = status { return .done }
    return status
  }

  private func observe() {
    let session = frontEnd.session
    // A session gets its pen back, if it was given to us.
    frontEnd.model.update { $0.isReadOnly = true }
    subscription = frontEnd.hub.subscribe(as: .log, whenFull: whenFull) { [unowned self] in
      receive($0, at: $1)
    }
    var hasBeenOpen = false
    observations = [
      channel.events.observe { [unowned self] in channelDidChange($0) },
      session.observe(.stateChange) { [unowned self, unowned session] in
        let event = LogEvent(
          from: $0.old, to: $0.new, isReturn: hasBeenOpen,
          hasSettings: session.capabilities.contains(.settings))
        if $0.new.isOpen { hasBeenOpen = true }
        if let event { append(event) }
      },
      frontEnd.controller.userSharing.remoteNews.observe { [unowned self] in
        if case .missed(let count) = $0 { miss(count) }
      },
    ]
  }

  // MARK: Packets

  private func receive(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    // Continues when half of the room is free: one gap is better than a hundred.
    guard channel.unwrittenCount < (gap == 0 ? Self.capacity : Self.capacity / 2) else {
      return miss(bytes.count)
    }
    noteGap(at: moment)
    stream.append(bytes, at: moment, into: &output)
    write()
    awaitSilence()
  }

  private func append(_ event: LogEvent) {
    noteGap(at: .now)
    stream.append(event, at: .now, into: &output)
    write()
  }

  private func miss(_ count: Int) {
    gap += count
    missingCount += count
  }

  private func noteGap(at moment: Moment) {
    guard gap > 0 else { return }
    stream.append(gap: gap, at: moment, into: &output)
    gap = 0
  }

  private func awaitSilence() {
    guard timer == nil, let deadline = stream.deadline else { return }
    let loop = frontEnd.loop
    timer = loop.schedule(after: deadline - loop.now) { [unowned self] in
      timer = nil
      stream.tick(at: loop.now, into: &output)
      write()
      awaitSilence()
    }
  }

  private func write() {
    output.withUnsafeBytes { if !$0.isEmpty { channel.write($0) } }
    output.removeAll(keepingCapacity: true)
    subscription?.update(isFull: channel.isCrowded)
  }

  private func channelDidChange(_ event: OutputChannel.Event) {
    switch event {
    case .room: subscription?.update(isFull: false)
    case .drained: break
    case .gone:
      isGone = true
      frontEnd.finish(.success(.done))
    }
  }

  /// Writes the packets that wait, within ``patience``.
  private func finish() {
    timer = nil
    noteGap(at: .now)
    stream.finish(into: &output)
    write()
    guard !isGone, channel.finish(within: Self.patience) > 0, !isGone else { return }
    frontEnd.console.say("\(channel.unwrittenCount.counted("byte")) of packets were not read.")
  }
}
