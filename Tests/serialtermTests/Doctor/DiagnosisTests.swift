import DeviceWatch
import SerialCore
import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct DiagnosisTests {
  private static let adapter = Device(
    syspath: "/sys/devices/usb1/1-1/1-1:1.0/ttyUSB0/tty/ttyUSB0", node: "/dev/ttyUSB0", kind: .usb,
    driver: "ch341", vendorID: 0x1A86, productID: 0x7523)

  /// The inspection of a port without problems, except for the changes of a test.
  private static func inspection(
    _ change: (inout Inspection.Port, inout Inspection.Machine) -> Void
  ) -> Inspection {
    var inspection = Inspection()
    inspection.scope = .target
    inspection.machine.user = Inspection.User(name: "ana", groupIDs: [1000])
    var port = Inspection.Port(path: "/dev/ttyUSB0", name: "ttyUSB0", device: adapter)
    change(&port, &inspection.machine)
    inspection.ports = [port]
    return inspection
  }

  private static let locked = Inspection.Permissions(
    isAccessible: false, owner: "root", group: "dialout", groupID: 20)

  @Test func portThatCanBeUsed_hasNoFindings() {
    #expect(Diagnosis.findings(in: Self.inspection { _, _ in }) == [])
  }

  /// Each change, with the expected finding and a part of the command that fixes it.
  @Test(
    arguments: [
      (inspection { port, _ in port.node = .absent(numbers: nil) }, .noNode, "plug it in again"),
      (
        inspection { port, machine in
          port.node = .absent(numbers: "188:0")
          machine.isContainer = true
        }, .noNode, "docker run --device=/dev/ttyUSB0"
      ),
      (
        inspection { port, _ in port.node = .absent(numbers: "188:0") }, .noNode,
        "sudo mknod -m 660 /dev/ttyUSB0 c 188 0"
      ),
      (inspection { port, _ in port.node = .notATerminal }, .notASerialPort, "serialterm list"),
      (inspection { port, _ in port.device?.hasHardware = false }, .noHardware, "serialterm list"),
      (
        inspection { port, _ in port.node = .present(locked) }, .permissionDenied,
        "sudo usermod -aG dialout ana"
      ),
      (
        inspection { port, _ in
          port.node = .present(locked)
          port.node.permissions?.listsUser = true
        }, .loginNeeded, "newgrp dialout"
      ),
      (
        inspection { port, _ in
          port.node = .present(locked)
          port.node.permissions?.isForGroup = false
        }, .permissionDenied, "sudo setfacl -m u:ana:rw /dev/ttyUSB0"
      ),
      (
        inspection { port, _ in
          port.node = .present(locked)
          port.node.permissions?.groupID = 0
        }, .permissionDenied, "setfacl"
      ),
      (
        inspection { port, _ in
          port.node = .present(locked)
          port.node.permissions?.group = nil
        }, .permissionDenied, "sudo groupadd --gid 20 dialout && sudo usermod -aG dialout ana"
      ),
      (
        inspection { port, machine in
          port.node = .present(locked)
          port.node.permissions?.group = nil
          machine.isContainer = true
        }, .permissionDenied, "docker run --group-add 20 --device=/dev/ttyUSB0"
      ),
      (
        inspection { port, _ in port.occupants.holder = PortHolder(pid: 42, command: "minicom") },
        .held,
        "kill 42"
      ),
      (
        inspection { _, machine in
          machine.processes = [
            Inspection.Process(
              pid: 9, command: "agetty", arguments: ["agetty", "115200", "ttyUSB0"])
          ]
        }, .getty, "sudo systemctl disable --now serial-getty@ttyUSB0.service"
      ),
      (inspection { _, machine in machine.consoles = ["ttyUSB0"] }, .kernelConsole, "update-grub"),
      (
        inspection { _, machine in
          machine.consoles = ["ttyUSB0"]
          machine.isRaspberryPi = true
        }, .kernelConsole, "raspi-config"
      ),
      (
        inspection { _, machine in
          machine.processes = [Inspection.Process(pid: 3, command: "ModemManager")]
        },
        .modemManager,
        #"ATTRS{idVendor}=="1a86", ATTRS{idProduct}=="7523", ENV{ID_MM_DEVICE_IGNORE}="1""#
      ),
      (
        inspection { _, machine in machine.brailleClaims = [USBID(vendor: 0x1A86, product: 0x7523)]
        },
        .brltty, "sudo systemctl mask --now brltty-udev.service"
      ),
      (
        inspection { port, _ in port.autosuspend = "/sys/devices/usb1/1-1/power/control" },
        .autosuspend,
        "echo on | sudo tee /sys/devices/usb1/1-1/power/control"
      ),
      (
        inspection { port, _ in
          port.lock = Inspection.LockFile(file: "/var/lock/LCK..ttyUSB0", state: .stale(pid: 77))
        }, .staleLock, "sudo rm /var/lock/LCK..ttyUSB0"
      ),
      (
        inspection { port, _ in
          port.lock = Inspection.LockFile(file: "/var/lock/LCK..ttyUSB0", state: .unusable(nil))
        }, .unusableLock, "ls -l /var/lock/LCK..ttyUSB0"
      ),
      (
        inspection { port, _ in
          port.lock = Inspection.LockFile(file: "/var/lock/LCK..ttyUSB0", state: .inCreation)
        }, .held, "serialterm connect --wait /dev/ttyUSB0"
      ),
      (
        inspection { port, _ in
          port.occupants.sharers = [PortHolder(pid: 42, command: "minicom")]
        }, .shared, "kill 42"
      ),
    ] as [(Inspection, Finding.Code, String)])
  func change_makesOneFinding_withTheCommandThatMendsIt(
    inspection: Inspection, code: Finding.Code, command: String
  ) {
    let findings = Diagnosis.findings(in: inspection)
    #expect(findings.map(\.code) == [code])
    #expect(findings.first?.port == "/dev/ttyUSB0")
    #expect(findings.first?.fixes.contains { $0.contains(command) } == true)
  }

  @Test func errors_comeBeforeWarnings() {
    let inspection = Self.inspection { port, machine in
      machine.consoles = ["ttyUSB0"]
      port.lock = Inspection.LockFile(file: "/var/lock/LCK..ttyUSB0", state: .stale(pid: 77))
      port.occupants.holder = PortHolder(pid: 42, command: "minicom")
      port.node = .present(Self.locked)
    }
    #expect(
      Diagnosis.findings(in: inspection).map(\.code)
        == [.permissionDenied, .held, .staleLock, .kernelConsole])
  }

  @Test func `A session that has the port can be joined, ended, or asked for it`() {
    let session = PortHolder(pid: 42, command: "serialterm")
    let held = Self.inspection { port, _ in
      port.occupants = Inspection.Occupants(holder: session, sessions: [42])
    }
    #expect(
      Diagnosis.findings(in: held).first?.fixes == [
        "serialterm attach 42   # joins its session", "kill 42   # or quit the program",
        "serialterm release /dev/ttyUSB0 -- COMMAND   # lends the port to a command",
      ])
    let shared = Self.inspection { port, _ in
      port.occupants = Inspection.Occupants(
        sharers: [session, PortHolder(pid: 43, command: "minicom")], sessions: [42])
    }
    #expect(
      Diagnosis.findings(in: shared).map(\.fixes) == [
        ["serialterm attach 42   # joins its session", "kill 42   # or quit the program"],
        ["kill 43   # or quit the program"],
      ])
  }

  @Test func userAtTheSeat_isInformed_whoElseMayUseThePort() {
    let inspection = Self.inspection { port, _ in
      port.node = .present(Self.locked)
      port.node.permissions?.isForSeat = true
    }
    #expect(Diagnosis.findings(in: inspection).first?.why.contains("from elsewhere") == true)
  }

  @Test func gettyWithoutAName_isKnownByItsTerminal() {
    let cases = [(DeviceID(1), [.getty]), (DeviceID(2), [])] as [(DeviceID, [Finding.Code])]
    for (terminal, codes) in cases {
      let inspection = Self.inspection { port, machine in
        port.number = DeviceID(1)
        machine.processes = [
          Inspection.Process(pid: 9, command: "agetty", arguments: ["-"], terminal: terminal)
        ]
      }
      #expect(Diagnosis.findings(in: inspection).map(\.code) == codes)
    }
  }

  @Test func gettyThatHoldsThePort_isReportedOnce() {
    let getty = Inspection.Process(pid: 9, command: "agetty", arguments: ["-", "/dev/ttyUSB0"])
    let inspection = Self.inspection { port, machine in
      port.occupants.holder = PortHolder(pid: getty.pid, command: getty.command)
      machine.processes = [getty]
    }
    #expect(Diagnosis.findings(in: inspection).map(\.code) == [.getty])
  }

  @Test func modemManager_ignoresMarkedDevices_andThoseWithoutUSB() {
    let rival = [Inspection.Process(pid: 3, command: "ModemManager")]
    let marked = Self.inspection { port, machine in
      machine.processes = rival
      port.isIgnoredByModemManager = true
    }
    let uart = Self.inspection { port, machine in
      machine.processes = rival
      port.device?.vendorID = nil
    }
    #expect(Diagnosis.findings(in: marked) == [])
    #expect(Diagnosis.findings(in: uart) == [])
  }
}

extension Inspection.Node {
  /// The permissions of an existing node, which tests can change.
  fileprivate var permissions: Inspection.Permissions? {
    get { if case .present(let permissions) = self { permissions } else { nil } }
    set { if let newValue { self = .present(newValue) } }
  }
}
