import DeviceWatch
import SystemPackage
import Testing

@testable import Sessions

@Suite(.timeLimit(.minutes(30))) struct DeviceQueryTests {
  private static func device(_ number: Int, creationNumber: UInt64?, hasHardware: Bool = true)
    -> Device
  {
    Device(
      syspath: "/sys/\(number)", node: FilePath("/dev/ttyUSB\(number)"), kind: .usb,
      hasHardware: hasHardware, creationNumber: creationNumber, vendorID: 0x0403, productID: 0x6001,
      serialNumber: "A\(number)")
  }

  private let old = device(0, creationNumber: 5)
  private let young = device(1, creationNumber: 9)
  private let phantom = device(2, creationNumber: 12, hasHardware: false)
  private let uart = Device(
    syspath: "/sys/uart", node: "/dev/ttyS0", kind: .uart, creationNumber: 99, driver: "serial8250")

  @Test func latest_isTheOneThatWasPluggedInLast() {
    #expect(DeviceQuery.latest.answer(among: [young, old]) == .one(young))
    #expect(DeviceQuery.latest.answer(among: [old, young]) == .one(young))
    #expect(DeviceQuery.latest.answer(among: [old]) == .one(old))
  }

  @Test func latest_isNeverAPortWithNothingBehindIt() {
    #expect(DeviceQuery.latest.answer(among: [old, phantom]) == .one(old))
    #expect(DeviceQuery.latest.answer(among: [phantom]) == .none)
    #expect(DeviceQuery.latest.answer(among: []) == .none)
  }

  @Test func latest_isNeverAUARTOfTheBoard() {
    #expect(DeviceQuery.latest.answer(among: [old, uart]) == .one(old))
    #expect(DeviceQuery.latest.answer(among: [uart]) == .none)
    var card = uart
    card.isHotPluggable = true
    #expect(DeviceQuery.latest.answer(among: [old, card]) == .one(card))
  }

  @Test func uartOfTheBoard_isNotTakenUnasked_andListedLast() {
    #expect(DeviceQuery.only.answer(among: [uart]) == .several([uart]))
    #expect(DeviceQuery.only.answer(among: [uart, young]) == .several([young, uart]))
    #expect(DeviceQuery.latest.choices(among: [uart, young, phantom]) == [young, uart])
  }

  @Test func only_isTheOneThatThereIs_andNoneOfSeveral() {
    #expect(DeviceQuery.only.answer(among: [phantom, old]) == .one(old))
    #expect(DeviceQuery.only.answer(among: [old, young]) == .several([old, young]))
    #expect(DeviceQuery.only.answer(among: [phantom]) == .none)
  }

  @Test func selector_thatFitsSeveral_isNoAnswer() {
    let kind = DeviceQuery.fitting(.usb(vendorID: 0x0403, productID: 0x6001))
    #expect(kind.answer(among: [old, young]) == .several([old, young]))
    #expect(DeviceQuery.fitting(.serial("A1")).answer(among: [old, young]) == .one(young))
    #expect(DeviceQuery.fitting(.serial("B")).answer(among: [old, young]) == .none)
  }

  @Test func next_isNoneOfThePresentDevices() {
    #expect(DeviceQuery.next.answer(among: [old, young]) == .none)
  }
}
