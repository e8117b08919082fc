import SystemPackage
import Testing

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct AbsenceTests {
  private func findings(
    _ scope: Inspection.Scope, _ change: (inout Inspection) -> Void = { _ in }
  ) -> [Finding] {
    var inspection = Inspection()
    inspection.scope = scope
    change(&inspection)
    return Diagnosis.findings(in: inspection)
  }

  @Test func missingTarget_isReportedWithTheKernelsLastMessages() {
    let found = findings(.missing("ttyUSB7")) {
      $0.machine.kernelMessages = ["usb 1-1: USB disconnect, device number 5"]
    }
    #expect(found.map(\.code) == [.noSuchDevice])
    #expect(found[0].what == "ttyUSB7: no such device")
    #expect(found[0].why.contains("'usb 1-1: USB disconnect, device number 5'"))
    #expect(!found[0].fixes.contains { $0.contains("dmesg") })
  }

  @Test func ifOnlyRootMayReadTheKernelsMessages_theCommandForThemIsNamed() {
    let found = findings(.missing("ttyUSB7")) { $0.machine.kernelMessages = nil }
    #expect(found[0].fixes.contains("sudo dmesg | tail"))
  }

  @Test(arguments: [
    (false, "sudo rm /dev/ttyUSB7   # "), (true, "docker run --device=/dev/ttyUSB7 IMAGE   # "),
  ])
  func leftoverNode_isReported_withTheCommandThatRenewsIt(isContainer: Bool, fixes: String) {
    let found = findings(.missing("/dev/ttyUSB7")) {
      $0.hasLeftOverNode = true
      $0.machine.isContainer = isContainer
      $0.machine.kernelMessages = ["usb 1-1: USB disconnect, device number 5"]
    }
    #expect(found.map(\.code) == [.noSuchDevice])
    #expect(found[0].why.contains("left over"))
    #expect(found[0].why.contains("USB disconnect"))
    #expect(found[0].fixes[1].hasPrefix(fixes))
  }

  @Test func nothingPluggedIn_isAFinding_andASimulationIsNot() {
    #expect(findings(.machine).map(\.code) == [.noDevice])
    #expect(findings(.target) == [])
  }

  @Test func absenceOfUdevd_matters_onlyWhereAPortIsMissed() {
    let without: (inout Inspection) -> Void = { $0.machine.hasUdevd = false }
    #expect(findings(.machine, without).map(\.code) == [.noDevice, .noUdevd])
    #expect(findings(.missing("x"), without).map(\.code) == [.noSuchDevice, .noUdevd])
    let present = findings(.target) {
      $0.machine.hasUdevd = false
      $0.ports = [Inspection.Port(path: "/dev/ttyS1", name: "ttyS1")]
    }
    #expect(present == [])
  }

  @Test func inAContainer_theOptionForADeviceIsNamed() {
    let found = findings(.machine) {
      $0.machine.hasUdevd = false
      $0.machine.isContainer = true
    }
    #expect(found.last?.fixes.first?.hasPrefix("docker run --device=") == true)
  }

  // MARK: Chips without a port

  private static let chip = Inspection.Stray(
    id: USBID(vendor: 0x1A86, product: 0x7523), module: "ch341", place: "1-1")

  /// Written by hand: the driver of the chip, whether its module is loaded, and what else is known.
  @Test(
    arguments: [
      (nil, false, [], .driverMissing, "sudo modprobe ch341"),
      (
        nil, true, [], .driverMissing,
        "echo 1a86 7523 | sudo tee /sys/bus/usb-serial/drivers/ch341/new_id"
      ),
      ("usbfs", true, [], .takenByProgram, "fuser"),
      ("usbfs", true, [chip.id], .brltty, "brltty-udev.service"),
    ] as [(String?, Bool, Set<USBID>, Finding.Code, String)])
  func chipWithoutAPort_isReportedWithItsCause(
    driver: String?, isLoaded: Bool, claims: Set<USBID>, code: Finding.Code, command: String
  ) {
    let found = findings(.machine) {
      var stray = Self.chip
      stray.driver = driver
      stray.isModuleLoaded = isLoaded
      $0.strays = [stray]
      $0.machine.brailleClaims = claims
    }
    #expect(found.map(\.code) == [code])
    #expect(found[0].fixes.contains { $0.contains(command) })
  }

  @Test func cdcACM_isGivenTheChipsFirstInterface() {
    let found = findings(.machine) {
      $0.strays = [
        Inspection.Stray(
          id: USBID(vendor: 0x2341, product: 0x0043), module: "cdc_acm", place: "1-2",
          isModuleLoaded: true)
      ]
    }
    #expect(found[0].fixes == ["echo 1-2:1.0 | sudo tee /sys/bus/usb/drivers/cdc_acm/bind"])
  }

  @Test func runningBrltty_hasTakenTheChip() {
    let found = findings(.machine) {
      $0.strays = [Self.chip]
      $0.machine.processes = [Inspection.Process(pid: 5, command: "brltty")]
    }
    #expect(found.map(\.code) == [.brltty])
  }
}
