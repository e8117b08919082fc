import Glibc
import NIOCore
import NIOEmbedded
import Synchronization
import Testing

@testable import serialterm_web

struct GuestsTests {
  private let here = Guests.Peer("127.0.0.1")
  private let there = Guests.Peer("192.168.1.5")

  @Test func theOldestGoesWhenThereAreTooMany() {
    var guests = Guests(limit: 2)
    let leaving = (1...4).map { guests.add($0, from: here) }
    #expect(leaving == [nil, nil, 1, 2])
    #expect(guests.count == 2)
  }

  @Test func whoWasLetInTakesNoPlaceAndDoesNotGo() {
    var guests = Guests(limit: 1)
    let first = guests.add(1, from: here)
    let removed = [guests.remove(1), guests.remove(1)]
    #expect(removed == [true, false])
    let leaving = [first, guests.add(2, from: here), guests.add(3, from: here)]
    #expect(leaving == [nil, nil, 2])
  }

  @Test func oneComputerDoesNotKeepTheOthersOut() {
    var guests = Guests(limit: 10)
    let leaving = (0..<100).map { guests.add($0, from: $0 == 0 ? here : there) }
    #expect(leaving.compactMap(\.self) == Array(1...90))
  }

  @Test func theNetworkOfAnIPv6AddressIsOneComputer() {
    #expect(Guests.Peer("2001:db8::1") == Guests.Peer("2001:db8::ffff:2"))
    #expect(Guests.Peer("2001:db8::1") != Guests.Peer("2001:db8:0:1::1"))
    #expect(Guests.Peer("::ffff:192.168.1.5") == there)
    #expect(here != there)
  }
}

struct DescriptorLimitTests {
  @Test(arguments: [8, 32, 64, 100, 256, 900], [1, 2, 64]) func thereIsRoomForSome(
    count: Int, loops: Int
  ) {
    let limit = DescriptorLimit(count: count, loops: loops)
    #expect(limit.guests >= 4 && limit.pages >= 1)
    #expect(!limit.isEnough)
    #expect(!limit.ofUploads.isEmpty && limit.ofUploads.upperBound == count)
    if count >= 64, loops <= 2 { #expect(limit.guests + limit.pages * 8 + 3 * loops < count) }
  }

  @Test func whatIsUsualIsEnough() {
    let limit = DescriptorLimit(count: 1_024, loops: 8)
    #expect(limit.isEnough)
    #expect(limit.guests == 128 && limit.pages == 100)
  }
}

struct AcceptPauseTests {
  private func isReading(_ channel: EmbeddedChannel) -> Bool {
    channel.options.last { $0.option is ChannelOptions.Types.AutoReadOption }?.value as? Bool
      ?? true
  }

  @Test(arguments: [EMFILE, ENFILE, ENOBUFS, ENOMEM])
  func aListenerThatCannotAcceptPausesOnce(number: CInt) throws {
    let loop = EmbeddedEventLoop()
    let pauses = Atomic(0)
    let channel = EmbeddedChannel(
      handler: AcceptPause { _ in pauses.wrappingAdd(1, ordering: .relaxed) }, loop: loop)
    for _ in 0..<100 {
      channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
    }
    #expect(pauses.load(ordering: .relaxed) == 1)
    #expect(!isReading(channel))
    loop.advanceTime(by: .milliseconds(199))
    #expect(!isReading(channel))
    loop.advanceTime(by: .milliseconds(1))
    #expect(isReading(channel))
    channel.pipeline.fireErrorCaught(IOError(errnoCode: number, reason: "accept"))
    #expect(pauses.load(ordering: .relaxed) == 2)
  }

  @Test func otherErrorsAreNotItsOwn() {
    let channel = EmbeddedChannel(handler: AcceptPause { _ in })
    channel.pipeline.fireErrorCaught(IOError(errnoCode: ECONNABORTED, reason: "accept"))
    #expect(isReading(channel))
    #expect(throws: IOError.self) { try channel.throwIfErrorCaught() }
  }
}
