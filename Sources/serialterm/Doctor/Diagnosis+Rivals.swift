import DeviceWatch
import SerialCore
import Sessions
import SystemPackage
import TextTools

extension Diagnosis {
  /// Finds the programs that use the port, or may use it.
  static func rivals(_ port: Inspection.Port, on machine: Inspection.Machine) -> [Finding] {
    guard case .present = port.node else { return [] }
    let getty = machine.processes.first { $0.isGetty(on: port) }
    // A getty has its own finding, which also covers the programs that it started.
    let holder = port.occupants.holder.flatMap { $0.pid == getty?.pid ? nil : $0 }
    let sharers = getty == nil ? port.occupants.sharers : []
    return [
      holder.map { held(port, by: $0) }, port.lock.flatMap { lock(port, $0) },
      getty.map { login(port, by: $0) },
      machine.consoles.contains(port.name) ? console(port, on: machine) : nil,
      modemManager(port, on: machine), braille(port, on: machine),
    ].compactMap(\.self)
      + sharers.map { shared(port, with: $0) }
  }

  private static func held(_ port: Inspection.Port, by holder: PortHolder) -> Finding {
    var fixes = waysOut(port, of: holder)
    if holder.command == "serialterm" {
      fixes.append(
        "serialterm release \(port.path.string.shellWord) -- COMMAND   # lends the port to a command"
      )
    }
    let problem = PortProblem.busy(
      holder, hasOtherPorts: port.occupants.withOtherPorts.contains(holder.pid))
    return Finding(
      code: .held, port: port.path, what: "\(problem)",
      why:
        "It has locked the port. Two programs that read from one port split what the device sends.",
      fixes: fixes)
  }

  /// The commands that help against another program: join its session if it has one, then
  /// end the program, unless it has other ports too.
  private static func waysOut(_ port: Inspection.Port, of holder: PortHolder) -> [String] {
    let hasOthers = port.occupants.withOtherPorts.contains(holder.pid)
    let joining = holder.joiningCommand(at: port.path.string, hasOtherPorts: hasOthers)
    return
      (port.occupants.sessions.contains(holder.pid)
      ? ["\(joining)   # joins its session"] : [])
      + [
        hasOthers
          ? "# close this port in the program: its end would close the others too"
          : "\(holder.endingCommand)   # or quit the program"
      ]
  }

  /// A program has the port open without a lock: `connect` opens the port, and warns.
  private static func shared(_ port: Inspection.Port, with holder: PortHolder) -> Finding {
    Finding(
      code: .shared, port: port.path, what: PortUseReport.Message.shared(holder).fact,
      why: PortUseReport.loss, fixes: waysOut(port, of: holder))
  }

  private static func login(_ port: Inspection.Port, by getty: Inspection.Process) -> Finding {
    Finding(
      code: .getty, port: port.path,
      what: "a login prompt runs on this port, pid \(getty.pid) (\(getty.command.harmless))",
      why: "It answers what the device sends, and reads bytes that are meant for you.",
      fixes: ["sudo systemctl disable --now serial-getty@\(port.name).service"])
  }

  private static func console(_ port: Inspection.Port, on machine: Inspection.Machine) -> Finding {
    Finding(
      code: .kernelConsole, port: port.path, what: "the kernel's console is on this port",
      why: "The kernel writes its messages to it, between your bytes: console=\(port.name).",
      fixes: machine.isRaspberryPi
        ? ["sudo raspi-config nonint do_serial_cons 1 && sudo reboot"]
        : [
          "sudoedit /etc/default/grub   # remove console=\(port.name) from GRUB_CMDLINE_LINUX",
          "sudo update-grub && sudo reboot",
        ])
  }

  private static func modemManager(_ port: Inspection.Port, on machine: Inspection.Machine)
    -> Finding?
  {
    guard let device = port.device, let id = device.usb, !port.isIgnoredByModemManager,
      machine.processes.contains(where: { $0.command == "ModemManager" })
    else { return nil }
    let why =
      device.kind == .acm
      ? "It is running, and probes every new CDC-ACM port for some seconds."
      : "It is running. Before version 1.14, or if configured to, it probes every new port."
    return Finding(
      code: .modemManager, port: port.path, what: "ModemManager may send AT commands to it",
      why: why,
      fixes: [
        "echo 'SUBSYSTEM==\"tty\", ATTRS{idVendor}==\"\(id.vendor.hex)\", "
          + "ATTRS{idProduct}==\"\(id.product.hex)\", ENV{ID_MM_DEVICE_IGNORE}=\"1\"' "
          + "| sudo tee -a /etc/udev/rules.d/61-no-modem.rules",
        "sudo udevadm control --reload && sudo udevadm trigger --name-match=\(port.name)",
      ])
  }

  private static func braille(_ port: Inspection.Port, on machine: Inspection.Machine) -> Finding? {
    guard let id = port.device?.usb, machine.brailleClaims.contains(id) else { return nil }
    return brltty(
      port.path, what: "brltty may use it as a braille display",
      isRunning: machine.processes.contains { $0.command == "brltty" })
  }

  private static func lock(_ port: Inspection.Port, _ lock: Inspection.LockFile) -> Finding? {
    let file = lock.file.string
    switch lock.state {
    case .stale(let pid):
      return Finding(
        code: .staleLock, port: port.path, what: "\(file) is left over",
        why: (pid.map { "Process \($0), which created it, has ended." }
          ?? "It is empty: the program that created it wrote no process ID.")
          + " serialterm ignores it; other programs may report the port as busy.",
        fixes: ["sudo rm \(file.shellWord)"])
    case .inCreation:
      return Finding(
        code: .held, port: port.path, what: "\(PortProblem.lockInCreation(file))",
        why:
          "The lock file is empty and new. After a few seconds without a process ID it counts as "
          + "left over.",
        fixes: ["serialterm connect --wait \(port.path.string.shellWord)   # waits until then"])
    case .unusable(let error):
      return Finding(
        code: .unusableLock, port: port.path, what: "\(PortProblem.unusableLock(file, error))",
        why: "A program may have the port, so it counts as busy.",
        fixes: [
          "ls -l \(file.shellWord)   # shows what it is",
          "sudo rm -r \(file.shellWord)   # if no program uses the port",
        ])
    }
  }
}

extension Inspection.Process {
  /// Whether it is a login prompt on a port: its arguments or its controlling terminal name the
  /// port. systemd starts it as `agetty … -`, without a name.
  fileprivate func isGetty(on port: Inspection.Port) -> Bool {
    ["agetty", "getty", "mgetty", "mingetty"].contains(command)
      && (arguments.contains { $0 == port.name || $0 == "/dev/\(port.name)" }
        || terminal.map { $0 == port.number } ?? false)
  }
}

extension Device {
  /// The USB numbers, if it is a USB device.
  var usb: USBID? {
    guard let vendorID, let productID else { return nil }
    return USBID(vendor: vendorID, product: productID)
  }
}
