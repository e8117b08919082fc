import DeviceWatch
import EventLoop
import Glibc
import Observing
import Options
import Plotting
import Reconnecting
import SerialCore
import Sessions
import Terminal
import TextTools
import Time

/// Records the numbers of devices without a user, until a signal or for a time.
final class DevicePlot {
  /// A port to open.
  struct Request {
    /// The name for the curves, if there are several ports.
    let name: String
    let configuration: SessionConfiguration
    /// Returns the configuration once the device is known; nil if it does not depend on the device.
    let forDevice: ((Device) throws -> SessionConfiguration)?
  }

  private let frontEnd: HeadlessInterface
  private let recorder: PlotRecorder
  private let values: Values
  /// The table for standard output; nil if it is not written there.
  private var stream: TableStream?
  private var receptions: [Hub.Subscription] = []
  private var losses: [ObservationToken<SessionEvent>] = []
  private var timer: LoopTimer?
  private var flushTimer: LoopTimer?

  /// The time for which the rows of the table are held back, to learn its columns.
  private static let patience = Duration.seconds(1)

  /// - Throws: the errors of epoll_create1(2) and epoll_ctl(2).
  init(_ requests: [Request], _ values: Values, among devices: DeviceCatalog) throws {
    self.values = values
    recorder = PlotRecorder(values.sampleForm)
    if values[PlotParameters.csv] == "-" { stream = TableStream(values.sampleForm) }
    frontEnd = try HeadlessInterface(
      requests[0].configuration, for: .service, of: "plot", among: devices,
      forDevice: requests[0].forDevice)
    let sources = requests.map { request in
      _ = stream?.addSource(named: request.name)
      return recorder.addSource(named: request.name)
    }
    observeNumbers(of: frontEnd.port, sources[0])
    for (request, source) in zip(requests, sources).dropFirst() {
      observeNumbers(of: frontEnd.add(request.configuration, forDevice: request.forDevice), source)
    }
  }

  /// Runs until a signal, or until the deadline.
  ///
  /// - Throws: ``Failure``, and the errors of the loop and of the device source.
  func run() throws -> ExitStatus {
    timer = values[PlotParameters.deadline].map { deadline in
      frontEnd.loop.schedule(after: Duration(rounding: deadline)) { [unowned self] in
        frontEnd.finish(.success(.done))
      }
    }
    let status = try frontEnd.run()
    if frontEnd.unloggedCount > 0 { throw Failure(.logFailed, "") }
    recorder.finish()
    guard !recorder.recording.curves.isEmpty else { throw PlotPicture.noNumbers }
    if var rest = stream {
      var output: [UInt8] = []
      rest.flush(into: &output)
      try FileOutput("-").write(output)
      if rest.omittedValueCount > 0 {
        StandardStream.complain(
          "\(rest.omittedValueCount.grouped) values of late series are not in the table.")
      }
    }
    if let svg = values[PlotParameters.svg] {
      try PlotPicture.write(
        to: svg, recorder.recording, values.plotSettings(unlessGiven: .all), .clock)
    } else if values[PlotParameters.csv] == nil {
      try PlotTable.print(recorder.recording)
    }
    // A signal is the usual end.
    return status == .signal(SIGINT) ? .done : status
  }

  private func read(_ bytes: UnsafeRawBufferPointer, at moment: Moment, from source: Int) {
    let time = Double(moment.wallClock) / 1e9
    recorder.read(bytes, at: time, from: source)
    guard stream != nil else { return }
    var output: [UInt8] = []
    stream?.read(bytes, at: time, from: source, into: &output)
    // The next table follows in the same output.
    stream?.needsNewTable = false
    if !output.isEmpty { output.withUnsafeBytes { frontEnd.write($0) } }
    guard stream?.isHolding == true, flushTimer == nil else { return }
    flushTimer = frontEnd.loop.schedule(after: Self.patience) { [unowned self] in flush() }
  }

  /// Records what a port receives, and when it is lost: its open line is not joined
  /// with what follows.
  private func observeNumbers(of port: Port, _ source: Int) {
    receptions.append(
      port.controller.hub.subscribe(as: .view) { [unowned self] in
        read($0, at: $1, from: source)
      })
    losses.append(
      port.session.observe(.stateChange) { [unowned self] change in
        guard change.old.isOpen, !change.new.isOpen else { return }
        recorder.interrupt(source)
        stream?.forgetLine(of: source)
      })
  }

  /// Writes the rows that were held back, behind the first line of their table.
  private func flush() {
    flushTimer = nil
    var output: [UInt8] = []
    stream?.flush(into: &output)
    if !output.isEmpty { output.withUnsafeBytes { frontEnd.write($0) } }
  }
}
