import Observing
import Plotting
import SerialCore
import Sessions
import Terminal
import Time

/// The numbers that a port has sent since the program that drives it has asked for a plot.
final class ProgramPlot {
  private let port: Port
  private let recorder = PlotRecorder(nil)
  private let source: Int
  private var subscription: Hub.Subscription?
  private var losses: ObservationToken<Change<TerminalState>>?
  private var additions: ObservationToken<Void>?

  /// Starts to record.
  init(of port: Port) {
    self.port = port
    source = recorder.addSource(named: nil)
    additions = recorder.additions.observe { [unowned self] in
      additions = nil
      self.port.model.update { $0.seesNumbers = true }
    }
    subscription = port.controller.hub.subscribe(as: .listener) { [unowned self] in read($0, at: $1)
    }
    losses = port.model.$state.observe(\.isPortOpen) { [unowned self] in
      if !$0.new { interrupt() }
    }
  }

  /// Records the numbers in bytes of the device.
  func read(_ bytes: UnsafeRawBufferPointer, at moment: Moment) {
    recorder.read(bytes, at: Double(moment.wallClock) / 1e9, from: source)
  }

  /// Records that bytes are missing.
  func interrupt() { recorder.interrupt(source) }

  /// The picture of all numbers.
  ///
  /// - Throws: ``Failure`` if there are none.
  func picture(_ size: PlotPicture.Size) throws(Failure) -> String {
    try PlotPicture.document(
      of: recorder.recording, PlotSettings(window: .all), .clock, title: nil, size: size)
  }
}

extension TerminalState {
  /// Whether the port is open, here and at the far end.
  fileprivate var isPortOpen: Bool { session.isOpen && sharing.portTrouble == nil }
}
