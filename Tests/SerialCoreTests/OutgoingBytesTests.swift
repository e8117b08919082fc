import Testing

@testable import SerialCore

@Suite(.timeLimit(.minutes(30))) struct OutgoingBytesTests {
  private let file = Author.file("image.bin")

  @Test func bytesThatDoNotFit_areRefusedAsAWhole() {
    var bytes = OutgoingBytes(capacity: 4)
    #expect(bytes.append([1, 2, 3]) == true)
    #expect(bytes.append([4, 5], by: file) == false)
    #expect(bytes.count == 3)
    #expect(bytes.count(by: file) == 0)
    #expect(bytes.room == 1)
  }

  @Test func takenBytes_areReportedByAuthor_andStayInPlaceUntilTheyAreRemoved() {
    var bytes = OutgoingBytes(capacity: 16)
    _ = bytes.append([1, 2])
    _ = bytes.append([3], by: file)
    _ = bytes.append([4, 5])
    let (first, others) = bytes.driverTook(4)
    #expect(first == AuthorRuns.Run(author: .keyboard, count: 2))
    #expect(
      others == [
        AuthorRuns.Run(author: file, count: 1), AuthorRuns.Run(author: .keyboard, count: 1),
      ])
    #expect(bytes.count == 1)
    #expect(Array(bytes.front) == [1, 2, 3, 4, 5])
    bytes.removeTaken()
    #expect(bytes.count == 1)
    #expect(Array(bytes.front) == [5])
  }

  @Test func discardingOneAuthor_leavesWhatTheDriverHasTaken_andTheOthers() {
    var bytes = OutgoingBytes(capacity: 16)
    _ = bytes.append([1], by: file)
    _ = bytes.append([2])
    _ = bytes.append([3, 4], by: file)
    _ = bytes.append([5])
    _ = bytes.driverTook(1)
    #expect(bytes.discardWaiting(by: file) == 2)
    bytes.removeTaken()
    #expect(Array(bytes.front) == [2, 5])
    #expect(bytes.discardWaiting() == [.keyboard: 2])
    #expect(bytes.isEmpty == true)
  }

  @Test func bytesThatTheDriverDiscards_areTheLastThatItTook() {
    var bytes = OutgoingBytes(capacity: 16)
    _ = bytes.append([1, 2])
    _ = bytes.append([3, 4], by: file)
    _ = bytes.driverTook(4)
    bytes.removeTaken()
    #expect(bytes.driverDiscarded(3) == [.keyboard: 1, file: 2])
    // Bytes that somebody else wrote to the port.
    #expect(bytes.driverDiscarded(1) == [.unknown: 1])
  }

  @Test(arguments: [(2, true), (3, false), (4, false)])
  func unsentBytes_mayAllBeOfOneAuthor(count: Int, isTrue: Bool) {
    var bytes = OutgoingBytes(capacity: 16)
    _ = bytes.append([1])
    _ = bytes.append([2, 3], by: file)
    _ = bytes.driverTook(3)
    #expect(bytes.isUnsent(count, onlyBy: [file]) == isTrue)
  }

  @Test func runsThatWereSent_areForgotten() {
    var bytes = OutgoingBytes(capacity: 64)
    for byte in UInt8(0)..<20 { _ = bytes.append([byte], by: byte % 2 == 0 ? file : .keyboard) }
    _ = bytes.driverTook(20)
    #expect(bytes.hasManyTakenRuns == true)
    bytes.forgetSent(except: 3)
    #expect(bytes.takenRunCount == 3)
    #expect(bytes.hasManyTakenRuns == false)
    #expect(bytes.driverDiscarded(3) == [.keyboard: 2, file: 1])
  }

  @Test func whatALostLinkHad_isTakenOnce() {
    var bytes = OutgoingBytes(capacity: 16)
    bytes.linkWasLost(with: [.keyboard: 1])
    bytes.linkWasLost(with: [.keyboard: 2, file: 1])
    #expect(bytes.removeLost() == [.keyboard: 3, file: 1])
    #expect(bytes.removeLost() == [:])
  }
}

extension OutgoingBytes {
  fileprivate mutating func append(_ bytes: [UInt8], by author: Author = .keyboard) -> Bool {
    bytes.withUnsafeBytes { append($0, by: author) }
  }
}
