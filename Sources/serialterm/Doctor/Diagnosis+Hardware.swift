import DeviceWatch
import SystemPackage

extension Diagnosis {
  /// What is wrong with the port itself.
  static func hardware(_ port: Facts.Port, on machine: Facts.Machine) -> [Finding] {
    switch port.node {
    case .absent(let numbers): return [absentNode(port, numbers, on: machine)]
    case .notATerminal:
      return [
        Finding(
          code: .notASerialPort, port: port.path, what: "\(PortProblem.notASerialPort)",
          why: "The file at this path is not a terminal device.",
          mend: ["serialterm list --all   # shows the ports"])
      ]
    case .closedOff:
      return [
        Finding(
          code: .permissionDenied, port: port.path, what: "\(PortProblem.permissionDenied)",
          why: "You may not search a directory on the path.",
          mend: ["namei -l \(port.path.string.shellWord)   # shows which one"])
      ]
    case .present: break
    }
    if port.device?.hasHardware == false {
      return [
        Finding(
          code: .noHardware, port: port.path, what: "\(PortProblem.noHardware)",
          why:
            "The driver reserves this name for a port that it did not find. Using it gives an I/O error.",
          mend: ["serialterm list   # shows the ports with hardware"])
      ]
    }
    return port.autosuspend.map { [sleeping(port, $0)] } ?? []
  }

  private static func absentNode(
    _ port: Facts.Port, _ numbers: String?, on machine: Facts.Machine
  ) -> Finding {
    let make = numbers.map { numbers in
      let words = numbers.split(separator: ":").joined(separator: " ")
      return "sudo mknod -m 660 \(port.path) c \(words) && sudo chgrp dialout \(port.path)"
    }
    return Finding(
      code: .noNode, port: port.path, what: "the kernel has this port, and /dev has no node for it",
      why: machine.isContainer
        ? "This container was not given the device when it was started."
        : "The kernel makes the nodes; somebody has deleted this one, or /dev is no devtmpfs.",
      mend: [
        machine.isContainer
          ? "docker run --device=\(port.path) IMAGE" : make ?? "# plug the adapter in anew"
      ])
  }

  private static func sleeping(_ port: Facts.Port, _ file: FilePath) -> Finding {
    Finding(
      code: .autosuspend, port: port.path, what: "the adapter may be put to sleep",
      why: "USB autosuspend is on for it. Some adapters lose bytes, or do not wake up again.",
      mend: ["echo on | sudo tee \(file)"])
  }

  /// Why a USB serial chip has no port.
  static func finding(of stray: Facts.Stray, on machine: Facts.Machine) -> Finding {
    let subject = "USB device \(stray.place) (\(stray.id), \(stray.module))"
    let isBrltty = machine.processes.contains { $0.command == "brltty" }
    if isBrltty || (stray.driver == "usbfs" && machine.brailleClaims.contains(stray.id)) {
      return brltty(nil, what: "\(subject): brltty may have taken it", isRunning: isBrltty)
    }
    if stray.driver == "usbfs" {
      return Finding(
        code: .takenByProgram, port: nil, what: "\(subject): a program has taken it",
        why:
          "Through libusb, past the kernel's driver: a virtual machine, a flash tool, a debugger.",
        mend: ["sudo fuser -v /dev/bus/usb/*/*   # who", "# end it, then plug the device in anew"])
    }
    return Finding(
      code: .driverMissing, port: nil, what: "\(subject): no driver has made a port of it",
      why: stray.isModuleLoaded
        ? "Its driver is loaded and has not taken it."
        : "Its driver is not loaded; small kernels leave it to a package of extra modules.",
      mend: [stray.isModuleLoaded ? stray.binding : "sudo modprobe \(stray.module)"])
  }

  /// - Parameter port: nil when it has lost its port.
  static func brltty(_ port: FilePath?, what: String, isRunning: Bool) -> Finding {
    Finding(
      code: .brltty, port: port, what: what,
      why: "brltty serves braille displays, some of which have the same USB numbers as this adapter"
        + (isRunning ? ", and it is running." : "; its udev rules start it."),
      mend: [
        "sudo systemctl mask --now brltty-udev.service brltty.service   # if nobody reads braille",
        "# then plug the adapter in anew",
      ])
  }
}

extension Facts.Stray {
  /// The command that has the driver take the chip. The drivers of usbserial are told its numbers,
  /// see Documentation/usb/usb-serial; cdc_acm goes by the device's class, and is given its first
  /// interface.
  fileprivate var binding: String {
    module == "cdc_acm"
      ? "echo \(place):1.0 | sudo tee /sys/bus/usb/drivers/cdc_acm/bind"
      : "echo \(id.vendor.hex) \(id.product.hex) "
        + "| sudo tee /sys/bus/usb-serial/drivers/\(module)/new_id"
  }
}
