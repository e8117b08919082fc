import DeviceWatch
import EventLoop
import NetworkLinks
import Observing
import Reconnecting
import SerialCore
import Sessions
import SystemPackage
import Terminal
import TerminalWidgets
import TextTools

/// Asks the user for one of the present devices. The list follows devices that are plugged
/// in or unplugged. Without a TARGET, it also has the places of labgrid that the user has acquired,
/// once labgrid-client has answered.
final class DeviceChooser {
  /// The chosen device; nil until one is chosen.
  private(set) var target: Target?
  /// Whether the user has cancelled.
  private(set) var isCancelled = false

  private let query: DeviceQuery
  private let devices: DeviceCatalog
  private let dialogs: Dialogs
  private let loop: IOLoop
  private var choices: [Choice<Target?>] = []
  private var isLookDue = false
  private var deviceChanges: ObservationToken<DeviceEvent>?
  private var places: [LabgridListing.Place] = []
  /// Asks for the places; nil if they are known, or are not offered.
  private var placesLookup: PlacesLookup?

  /// Starts to watch devices, and to ask for places. ``ask()`` shows the question.
  ///
  /// - Throws: the errors of the device source and of epoll_ctl(2).
  init(
    for query: DeviceQuery, among devices: DeviceCatalog, on dialogs: Dialogs, loop: IOLoop
  ) throws(Errno) {
    self.query = query
    self.devices = devices
    self.dialogs = dialogs
    self.loop = loop
    deviceChanges = try devices.observe(on: loop) { [unowned self] _ in devicesChanged() }
    if query == .only, LabgridQuery.isConfigured {
      placesLookup = PlacesLookup(on: loop) { [unowned self] in placesArrived($0) }
    }
    look()
  }

  /// Asks the user for one of the present devices, and waits for the answer.
  ///
  /// - Returns: the chosen device; nil if the user has cancelled, or if the program ends.
  /// - Throws: the errors of the device source and of the loop.
  static func choose(
    for query: DeviceQuery, in app: App, with dialogs: Dialogs
  ) throws -> Target? {
    let chooser = try DeviceChooser(for: query, among: app.devices, on: dialogs, loop: app.loop)
    if chooser.isWithoutDevices {
      app.console.say("no device is there yet. Plug one in, and it is listed here.")
      if chooser.placesLookup != nil, !dialogs.isPlain {
        app.console.say("your places of labgrid are listed when labgrid-client has answered.")
      }
      app.console.say("Is one plugged in? 'serialterm doctor' says why it is not listed.")
    } else if query == .latest {
      app.console.say("no USB or other hot-pluggable device is present. Other ports:")
    }
    while chooser.isUndecided && app.outcome == nil {
      chooser.ask()
      try app.loop.turn()
    }
    return app.outcome == nil ? chooser.target : nil
  }

  /// Whether the user has neither chosen nor cancelled.
  var isUndecided: Bool { target == nil && !isCancelled }

  /// Whether no device can be chosen now.
  var isWithoutDevices: Bool { query.choices(among: devices.devices).isEmpty }

  /// Shows the question, unless it is already shown.
  func ask() {
    guard !dialogs.isOpen else { return }
    dialogs.ask(
      Question(
        title: "device", enter: "connects", choices: { [unowned self] _ in choices },
        isPending: { [unowned self] in placesLookup != nil && $0.hasPrefix("labgrid:") },
        onAnswer: { [unowned self] in target = $0 },
        onCancel: { [unowned self] in isCancelled = true }))
  }

  /// Updates the list once per turn: a hub brings many devices at once, and finding the holders
  /// requires a search of all processes.
  private func devicesChanged() {
    guard !isLookDue else { return }
    isLookDue = true
    loop.atEndOfTurn { [weak self] in self?.look() }
  }

  private func placesArrived(_ answer: PlacesLookup.Answer) {
    placesLookup = nil
    // The reason of a failure is for those who ask for places: 'serialterm list --labgrid'.
    if case .success(let listing) = answer {
      places = listing.places(acquiredBy: LabgridQuery.user)
    }
    look()
  }

  private func look() {
    isLookDue = false
    choices = Self.choices(query.choices(among: devices.devices), places)
    dialogs.refresh()
  }

  /// The choices for devices in their present state, and for places.
  static func choices(
    _ devices: [Device], _ places: [LabgridListing.Place] = []
  ) -> [Choice<Target?>] {
    let holders = devices.isEmpty ? nil : PortHolders()
    let consoles = KernelConsoles()
    return choices(devices, places) {
      (NodeAccess.of($0.node), holders?[$0.node], consoles.contains($0.node))
    }
  }

  /// The choices for devices and places, or the simulation if there are none.
  ///
  /// - Parameter facts: whether the user may open a device, the process that holds it, and whether
  ///   it is a console of the kernel.
  static func choices(
    _ devices: [Device], _ places: [LabgridListing.Place] = [],
    facts: (Device) -> (access: NodeAccess, holder: PortHolder?, isConsole: Bool)
  ) -> [Choice<Target?>] {
    let placeChoices = choices(places)
    guard !devices.isEmpty || !placeChoices.isEmpty else {
      return [
        Choice(
          id: .endpoint(LoopbackProvider.board), label: "\(LoopbackProvider.board)",
          title: "a simulated board, which needs no hardware")
      ]
    }
    let deviceChoices: [Choice<Target?>] = devices.map { device in
      let (access, holder, isConsole) = facts(device)
      let notes = [
        isConsole ? "console of the kernel" : nil,
        holder.map { "held by pid \($0.pid) (\($0.command.harmless))" },
      ]
      return Choice(
        id: .endpoint(.tty(device.node)), label: device.node.string, title: device.summary,
        detail: notes.compactMap(\.self).joined(separator: ", "), refusal: access.refusal)
    }
    return deviceChoices + placeChoices
  }

  /// The choices for places: one for each serial port. A port that is not offered can be chosen,
  /// because its exporter may be back by then.
  private static func choices(_ places: [LabgridListing.Place]) -> [Choice<Target?>] {
    var known: Set<Target> = []
    return places.flatMap { place in
      place.targets.compactMap { text in
        guard let target = try? Target(parsing: text), known.insert(target).inserted else {
          return nil
        }
        return Choice(
          id: target, label: text.harmless,
          title: place.comment.map(\.harmless) ?? "your place of labgrid", synonyms: ["labgrid"],
          detail: place.hasConsole ? "" : "not offered by its exporter now")
      }
    }
  }
}

extension NodeAccess {
  /// The reason why the user cannot open the node; nil if the user can.
  fileprivate var refusal: String? {
    switch self {
    case .accessible: nil
    case .denied:
      "permission denied" + (admittedGroup.map { ": you are not in group \($0)" } ?? "")
    case .missing: "gone"
    }
  }
}
