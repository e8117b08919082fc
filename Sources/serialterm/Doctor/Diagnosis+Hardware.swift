import DeviceWatch
import Sessions
import SystemPackage
import TextTools

extension Diagnosis {
  /// Problems of the port itself.
  static func hardware(_ port: Inspection.Port, on machine: Inspection.Machine) -> [Finding] {
    switch port.node {
    case .absent(let numbers): return [absentNode(port, numbers, on: machine)]
    case .notATerminal:
      return [
        Finding(
          code: .notASerialPort, port: port.path, what: "\(PortProblem.notASerialPort)",
          why: "The file at this path is not a terminal device.",
          fixes: ["serialterm list --all   # shows the ports"])
      ]
    case .closedOff:
      return [
        Finding(
          code: .permissionDenied, port: port.path, what: "\(PortProblem.permissionDenied)",
          why: "You may not search a directory on the path.",
          fixes: ["namei -l \(port.path.string.shellWord)   # shows which one"])
      ]
    case .present: break
    }
    if port.device?.hasHardware == false {
      return [
        Finding(
          code: .noHardware, port: port.path, what: "\(PortProblem.noHardware)",
          why:
            "The driver reserves this name for a port that it did not find. Using it gives an I/O error.",
          fixes: ["serialterm list   # shows the ports with hardware"])
      ]
    }
    return port.autosuspend.map { [sleeping(port, $0)] } ?? []
  }

  private static func absentNode(
    _ port: Inspection.Port, _ numbers: String?, on machine: Inspection.Machine
  ) -> Finding {
    let make = numbers.map { numbers in
      let words = numbers.split(separator: ":").joined(separator: " ")
      return "sudo mknod -m 660 \(port.path) c \(words) && sudo chgrp dialout \(port.path)"
    }
    return Finding(
      code: .noNode, port: port.path, what: "the kernel has this port, but /dev has no node for it",
      why: machine.isContainer
        ? "This container was not given the device at its start."
        : "The kernel creates the nodes. This one was deleted, or /dev is not a devtmpfs.",
      fixes: [
        machine.isContainer
          ? "docker run --device=\(port.path) IMAGE"
          : make ?? "# unplug the adapter, then plug it in again"
      ])
  }

  private static func sleeping(_ port: Inspection.Port, _ file: FilePath) -> Finding {
    Finding(
      code: .autosuspend, port: port.path, what: "the adapter may be suspended",
      why: "USB autosuspend is enabled. Some adapters lose bytes, or do not wake up.",
      fixes: ["echo on | sudo tee \(file)"])
  }

  /// The reason why a USB serial chip has no port.
  static func finding(of stray: Inspection.Stray, on machine: Inspection.Machine) -> Finding {
    let subject = "USB device \(stray.place) (\(stray.id), \(stray.module))"
    let isBrltty = machine.processes.contains { $0.command == "brltty" }
    if isBrltty || (stray.driver == "usbfs" && machine.brailleClaims.contains(stray.id)) {
      return brltty(nil, what: "\(subject): brltty may be using it", isRunning: isBrltty)
    }
    if stray.driver == "usbfs" {
      return Finding(
        code: .takenByProgram, port: nil, what: "\(subject): a program is using it",
        why:
          "It uses libusb instead of the kernel's driver: a virtual machine, a flash tool or a debugger.",
        fixes: [
          "sudo fuser -v /dev/bus/usb/*/*   # shows the program",
          "# end it, then unplug the device and plug it in again",
        ])
    }
    return Finding(
      code: .driverMissing, port: nil, what: "\(subject): no driver has created a port for it",
      why: stray.isModuleLoaded
        ? "Its driver is loaded, but does not use it."
        : "Its driver is not loaded. Small kernels have it in a separate package.",
      fixes: [stray.isModuleLoaded ? stray.binding : "sudo modprobe \(stray.module)"])
  }

  /// - Parameter port: nil if the adapter has lost its port.
  static func brltty(_ port: FilePath?, what: String, isRunning: Bool) -> Finding {
    Finding(
      code: .brltty, port: port, what: what,
      why: "brltty drives braille displays. Some have the same USB numbers as this adapter"
        + (isRunning ? ". It is running." : ". Its udev rules start it."),
      fixes: [
        "sudo systemctl mask --now brltty-udev.service brltty.service   # if nobody uses a braille display",
        "# then unplug the adapter and plug it in again",
      ])
  }
}

extension Inspection.Stray {
  /// The command that makes the driver use the chip. The usbserial drivers need its
  /// numbers, see Documentation/usb/usb-serial. cdc_acm checks the class of the device, and
  /// needs its first interface.
  fileprivate var binding: String {
    module == "cdc_acm"
      ? "echo \(place):1.0 | sudo tee /sys/bus/usb/drivers/cdc_acm/bind"
      : "echo \(id.vendor.hex) \(id.product.hex) "
        + "| sudo tee /sys/bus/usb-serial/drivers/\(module)/new_id"
  }
}
