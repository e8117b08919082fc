import SystemPackage
import Testing

@testable import DeviceWatch

@Suite(.timeLimit(.minutes(30))) struct IdentityMatcherTests {
  private let first = Device.ftdi(1, serialNumber: "SAME")
  private let second = Device.ftdi(2, serialNumber: "SAME")
  private let stranger = Device.ftdi(3)

  @Test func soleDevice_isFollowedByItsSerialNumber_intoAnyPort() {
    let matcher = IdentityMatcher(for: first, among: [first, stranger])
    #expect(matcher.match(among: [stranger]) == .none)
    #expect(matcher.match(among: [stranger, second]) == .one(second))
  }

  @Test func twinThatIsThereFromTheStart_isNeverTakenForIt() {
    let matcher = IdentityMatcher(for: first, among: [first, second])
    #expect(matcher.match(among: [second]) == .none)
    #expect(matcher.match(among: [second, first]) == .one(first))
  }

  @Test func twinThatComesLater_isNeverTakenForIt_evenWhenItHasGoneAgain() {
    var matcher = IdentityMatcher(for: first, among: [first])
    matcher.learn(from: [first, second])
    matcher.learn(from: [first])
    #expect(matcher.match(among: [second]) == .none)
    let back = first.with(\.node, "/dev/ttyUSB9")
    #expect(matcher.match(among: [second, back]) == .one(back))
  }

  @Test func deviceAtItsPort_thatIsAnotherOne_isNotTakenForIt() {
    let matcher = IdentityMatcher(for: first, among: [first, second])
    #expect(matcher.match(among: [first.with(\.serialNumber, "OTHER")]) == .none)
  }

  @Test func twinsThatComeWhileItIsAway_areAmbiguous_andTeachNothing() {
    var matcher = IdentityMatcher(for: first, among: [first])
    let back = Device.ftdi(4, serialNumber: "SAME")
    matcher.learn(from: [second, back])
    #expect(matcher.match(among: [second, back]) == .ambiguous([second, back]))
    #expect(matcher.match(among: [back]) == .one(back))
  }

  @Test func afterAMove_twinsAreLearnt_besideWhereItIsNow() {
    var matcher = IdentityMatcher(for: first, among: [first])
    let moved = Device.ftdi(4, serialNumber: "SAME")
    matcher.follow(moved, among: [moved])
    matcher.learn(from: [moved, second])
    #expect(matcher.match(among: [second]) == .none)
    #expect(matcher.match(among: [second, moved]) == .one(moved))
  }

  @Test func afterAMove_theTwinInTheOldPort_isNotTakenForIt() {
    var matcher = IdentityMatcher(for: first, among: [first])
    let moved = Device.ftdi(4, serialNumber: "SAME")
    matcher.follow(moved, among: [first, moved])
    #expect(matcher.match(among: [first]) == .none)
    #expect(matcher.match(among: [first, moved]) == .one(moved))
  }

  @Test func adapterWithTwoPorts_isNoTwinOfItself() {
    let otherPort = first.with(\.syspath, "/sys/devices/other").with(\.interfaceNumber, 1)
    var matcher = IdentityMatcher(for: first, among: [first, otherPort])
    #expect(matcher.identity == first.identity)
    matcher.learn(from: [otherPort])
    #expect(matcher.match(among: [second]) == .one(second))
  }

  @Test func olderList_doesNotUndoTheIdentity() {
    let matcher = IdentityMatcher(for: first, among: [])
    #expect(matcher.device == first)
    #expect(matcher.match(among: [first]) == .one(first))
  }
}
