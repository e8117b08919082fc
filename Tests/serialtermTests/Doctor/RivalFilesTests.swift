import DeviceWatch
import SystemPackage
import Testing

@testable import serialterm

/// USB chips without a port, and brltty's rules, from the files of an invented computer.
@Suite(.timeLimit(.minutes(30))) struct RivalFilesTests {
  private let tree: MachineTree

  init() throws { tree = try MachineTree() }

  private func plug(_ place: String, _ vendor: String, _ product: String) throws {
    let folder = FilePath("/sys/bus/usb/devices").appending(place)
    try tree.write(folder.appending("idVendor"), "\(vendor)\n")
    try tree.write(folder.appending("idProduct"), "\(product)\n")
    try tree.write(FilePath("\(folder):1.0/bInterfaceNumber"), "00\n")
  }

  private var inspector: Inspector {
    Inspector(root: tree.root, devices: [], occupants: { _ in .init() })
  }

  private var codes: [Finding.Code] {
    Diagnosis.findings(in: inspector.inspection(of: .machine)).map(\.code)
  }

  @Test func chipWithoutAPort_isAStray_andOneWithAPortIsNot() throws {
    try plug("1-1", "1a86", "7523")
    try plug("1-2", "0403", "6001")
    try tree.write("/sys/bus/usb/devices/1-2:1.0/ttyUSB0/port_number", "0\n")
    // A keyboard.
    try plug("1-3", "046d", "c31c")
    #expect(inspector.strays.map(\.place) == ["1-1"])
    #expect(inspector.strays.map(\.module) == ["ch341"])
    #expect(inspector.strays.map(\.isModuleLoaded) == [false])
    #expect(codes == [.driverMissing, .noUdevd])
  }

  @Test func whoHasAChipsInterface_isRead() throws {
    try plug("1-1", "10c4", "ea60")
    try tree.write("/sys/bus/usb/devices/1-1:1.0/uevent", "DEVTYPE=usb_interface\nDRIVER=usbfs\n")
    try tree.write("/sys/module/cp210x/refcnt", "0\n")
    #expect(inspector.strays.map(\.driver) == ["usbfs"])
    #expect(inspector.strays.map(\.isModuleLoaded) == [true])
    #expect(codes.first == .takenByProgram)
  }

  @Test func cdcACMPort_isFoundBelowItsInterface() throws {
    try plug("1-1", "2341", "0043")
    try tree.write("/sys/bus/usb/devices/1-1:1.0/tty/ttyACM0/dev", "166:0\n")
    #expect(inspector.strays == [])
  }

  private static let rule =
    #"ENV{PRODUCT}=="1a86/7523/*", ENV{BRLTTY_BRAILLE_DRIVER}="bm", GOTO="x""#
  private static let claim = USBID(vendor: 0x1A86, product: 0x7523)

  @Test func brlttysRules_areRead_butForThoseWithAFurtherCondition() throws {
    try tree.write(
      "/usr/lib/udev/rules.d/90-brltty-device.rules",
      """
      # ENV{PRODUCT}=="403/6001/*", ENV{BRLTTY_BRAILLE_DRIVER}="at"
      ENV{PRODUCT}=="10c4/ea60/*", ATTRS{manufacturer}=="Silicon Labs", ENV{BRLTTY_BRAILLE_DRIVER}="sk"
      \(Self.rule)

      """)
    #expect(inspector.brailleClaims == [Self.claim])
  }

  @Test(arguments: [
    #"ENV{PRODUCT}=="1A86/7523/*""#, #"ENV{PRODUCT}=="1a86/7523/*" "#,
    #"ENV{PRODUCT}=="1a86/7523""#,
    #"ENV{PRODUCT}=="1a86/7523/264""#, #"ENV{PRODUCT}=="11a86/7523/*""#,
    #"ENV{PRODUCT}!="1a86/7523/*""#,
    #"ENV{PRODUCT}=="/7523/*""#, #"ENV{PRODUCT}==1a86/7523/*"#, #"ENV{PRODUCT}=="+1a8/7523/*""#,
    #"# ENV{PRODUCT}=="1a86/7523/*""#, #"ENV{PRODUCT}==e"1a86/7523/*""#,
  ])
  func brlttysRules_thatDoNotClaimAChipByItsNumbers_doNotCount(condition: String) throws {
    try tree.write(
      "/usr/lib/udev/rules.d/85-brltty.rules", "\(condition), ENV{BRLTTY_BRAILLE_DRIVER}=\"bm\"\n")
    #expect(inspector.brailleClaims == [])
  }

  @Test func brlttysRule_mayBeIndented() throws {
    try tree.write("/usr/lib/udev/rules.d/85-brltty.rules", "\t  \(Self.rule)\n")
    #expect(inspector.brailleClaims == [Self.claim])
  }

  @Test func brlttysRules_doNotCount_whereAFileOfTheSameNameReplacesThem() throws {
    try tree.write("/usr/lib/udev/rules.d/85-brltty.rules", Self.rule)
    try tree.write("/etc/udev/rules.d/85-brltty.rules", "")
    #expect(inspector.brailleClaims == [])
  }

  @Test func ourOwnRules_keepBrlttyOff() throws {
    try tree.write("/usr/lib/udev/rules.d/85-brltty.rules", Self.rule)
    try tree.write("/etc/udev/rules.d/60-serialterm.rules", "")
    #expect(inspector.brailleClaims == [])
  }

  @Test func brltty_thatTookAChip_isReported() throws {
    try plug("1-1", "1a86", "7523")
    try tree.write("/sys/bus/usb/devices/1-1:1.0/uevent", "DRIVER=usbfs\n")
    try tree.write("/usr/lib/udev/rules.d/85-brltty.rules", Self.rule)
    #expect(codes.first == .brltty)
  }

  @Test(arguments: ["/.dockerenv", "/run/.containerenv", "/run/systemd/container"] as [FilePath])
  func container_isKnownByTheFilesThatItsMakersPutThere(file: FilePath) throws {
    #expect(!inspector.machine.isContainer)
    try tree.write(file, "")
    #expect(inspector.machine.isContainer)
    #expect(codes == [.noDevice, .noUdevd])
  }
}
