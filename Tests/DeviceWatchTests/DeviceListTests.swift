import Observing
import SystemPackage
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct DeviceListTests {
  private var table = DeviceList()
  private let one = Device.ftdi(1)
  private let two = Device.ftdi(2)

  @Test mutating func newDevice_appears() {
    #expect(table.add(one) == [.appeared(one)])
    #expect(table.devices == [one])
  }

  @Test mutating func knownDevice_isNoNews() {
    _ = table.add(one)
    #expect(table.add(one) == [])
    #expect(table.devices == [one])
  }

  @Test mutating func knownDeviceWithOtherValues_changes() {
    _ = table.add(one)
    let linked = one.with(\.links, ["/dev/board"])
    #expect(table.add(linked) == [.changed(Change(from: one, to: linked))])
    #expect(table.devices == [linked])
  }

  @Test mutating func recreatedDevice_wasGone_andIsThereAgain() {
    let (old, new) = (one.with(\.creationNumber, 7), one.with(\.creationNumber, 8))
    _ = table.add(old)
    #expect(table.add(new) == [.disappeared(old), .appeared(new)])
    #expect(table.devices == [new])
  }

  @Test mutating func deviceThatWasGoneWhenItWasExamined_addsNothing() {
    let known = one.with(\.creationNumber, 7)
    _ = table.add(known)
    #expect(table.add(one.with(\.serialNumber, nil)) == [])
    #expect(table.devices == [known])
    #expect(table.add(two) == [.appeared(two)], "but is told of when it is not known")
  }

  @Test mutating func change_isNews_evenIfNothingShows() {
    _ = table.add(one)
    #expect(table.change(one) == [.changed(Change(from: one, to: one))])
  }

  @Test mutating func change_ofAnUnknownDevice_isItsAppearance() {
    #expect(table.change(one) == [.appeared(one)])
    #expect(table.devices == [one])
  }

  @Test mutating func removedDevice_disappears_asItWasLastKnown() {
    _ = table.add(one)
    let linked = one.with(\.links, ["/dev/board"])
    _ = table.add(linked)
    #expect(table.remove(syspath: one.syspath) == [.disappeared(linked)])
    #expect(table.devices == [])
  }

  @Test mutating func removedDevice_thatIsUnknown_isNoNews() {
    _ = table.add(one)
    #expect(table.remove(syspath: two.syspath) == [])
    #expect(table.devices == [one])
  }

  @Test mutating func movedDevice_changes() {
    _ = table.add(one)
    let moved = one.with(\.syspath, "/sys/devices/elsewhere/ttyUSB1")
    #expect(table.move(moved, from: one.syspath) == [.changed(Change(from: one, to: moved))])
    #expect(table.devices == [moved])
    #expect(table.move(two, from: "/sys/unknown") == [.appeared(two)])
  }

  @Test mutating func movedDevice_displacesTheFormerOne() {
    _ = table.add(one)
    _ = table.add(two)
    let moved = one.with(\.syspath, two.syspath)
    #expect(
      table.move(moved, from: one.syspath)
        == [.disappeared(two), .changed(Change(from: one, to: moved))])
    #expect(table.devices == [moved])
  }

  @Test mutating func devices_areInNaturalOrder() {
    for number in [10, 2, 33, 1, 0] { _ = table.add(.ftdi(number)) }
    _ = table.add(.onboard)
    #expect(
      table.devices.map(\.node)
        == ["/dev/ttyS0", "/dev/ttyUSB0", "/dev/ttyUSB1", "/dev/ttyUSB2", "/dev/ttyUSB10"]
        + ["/dev/ttyUSB33"])
  }

  @Test mutating func reconcile_reportsOnlyTheDifferences_removalsFirst() {
    let (three, changed) = (Device.ftdi(3), two.with(\.product, "other"))
    for device in [one, two, .onboard] { _ = table.add(device) }
    #expect(
      table.reconcile(with: [three, .onboard, changed])
        == [.disappeared(one), .changed(Change(from: two, to: changed)), .appeared(three)])
    #expect(table.devices == [.onboard, changed, three])
    #expect(table.reconcile(with: [changed, three, .onboard]) == [])
  }

  @Test mutating func reconcile_seesARecreatedDevice_beforeAnythingTakesItsNode() {
    let (old, new) = (one.with(\.creationNumber, 7), one.with(\.creationNumber, 8))
    let early = Device.ftdi(0)
    _ = table.add(old)
    #expect(
      table.reconcile(with: [new, early]) == [.disappeared(old), .appeared(early), .appeared(new)])
  }

  @Test mutating func reconcile_takesADeviceThatIsListedTwice_once() {
    #expect(table.reconcile(with: [one, one]) == [.appeared(one)])
    #expect(table.reconcile(with: []) == [.disappeared(one)])
  }
}
