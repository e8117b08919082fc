import Posix
import TestSupport
import Testing

/// A queue as a class, because values in `#expect` must be copyable.
private final class Queue {
  private var queue: ByteQueue

  init(capacity: Int) { queue = ByteQueue(capacity: capacity) }

  var count: Int { queue.count }
  var room: Int { queue.room }
  func withFront(_ body: (UnsafeRawBufferPointer) -> Void) { body(queue.front) }
  var front: [UInt8] { Array(queue.front) }
  func append(_ bytes: [UInt8]) -> Bool { bytes.withUnsafeBytes { queue.append($0) } }
  func removeFirst(_ number: Int) { queue.removeFirst(number) }
  func removeLast(_ number: Int) { queue.removeLast(number) }
  func remove(_ range: Range<Int>) { queue.remove(range) }

  func popAll() -> [UInt8] {
    var bytes: [UInt8] = []
    while !queue.isEmpty {
      bytes += queue.front
      queue.removeFirst(queue.front.count)
    }
    return bytes
  }
}

@Suite(.timeLimit(.minutes(30))) struct ByteQueueTests {
  @Test func front_staysAsItIs_whileBytesAreAppendedAndTakenBackBehindIt() {
    let queue = Queue(capacity: 1 << 20)
    let front = [UInt8](repeating: 7, count: 65_536)
    #expect(queue.append(front))
    queue.withFront { shown in
      #expect(queue.append([8]), "more than the memory so far")
      queue.removeLast(1)
      // Compared separately, because a failure would print 65,536 numbers.
      let isSame = shown.elementsEqual(front)
      #expect(isSame)
    }
    #expect(queue.popAll() == front)
  }

  @Test func bytesComeOut_asTheyWentIn_overTheEdgeOfTheRing() {
    let queue = Queue(capacity: 7)
    for start in 0..<50 {
      let bytes = (0..<5).map { UInt8(start + $0) }
      #expect(queue.append(bytes))
      queue.removeFirst(1)
      #expect(queue.append([200]))
      #expect(queue.popAll() == bytes.dropFirst() + [200])
    }
  }

  @Test func tooManyBytes_areRefusedCompletely() {
    let queue = Queue(capacity: 4)
    #expect(queue.append([1, 2, 3]))
    #expect(!queue.append([4, 5]))
    #expect(queue.count == 3)
    #expect(queue.room == 1)
    #expect(queue.append([4]))
    #expect(queue.popAll() == [1, 2, 3, 4])
  }

  @Test func removeLast_forgetsTheNewest() {
    let queue = Queue(capacity: 4)
    #expect(queue.append([1, 2, 3, 4]))
    queue.removeLast(3)
    #expect(queue.popAll() == [1])
  }

  @Test func bytesInTheMiddle_areRemoved_overTheEdgeOfTheRing() {
    for start in 0..<8 {
      for lower in 0...6 {
        for upper in lower...6 {
          let queue = Queue(capacity: 8)
          #expect(queue.append(Array(repeating: 0, count: start)))
          queue.removeFirst(max(0, start - 1))
          #expect(queue.append([1, 2, 3, 4, 5, 6]))
          if start > 0 { queue.removeFirst(1) }
          queue.remove(lower..<upper)
          var expected: [UInt8] = [1, 2, 3, 4, 5, 6]
          expected.removeSubrange(lower..<upper)
          #expect(queue.popAll() == expected)
        }
      }
    }
  }

  @Test func front_staysValid_whileTheQueueGrows() {
    let queue = Queue(capacity: 1_048_576)
    #expect(queue.append([1, 2, 3]))
    queue.removeFirst(1)
    queue.withFront { front in
      #expect(queue.append(Array(repeating: 9, count: 200_000)))
      #expect(Array(front) == [2, 3])
    }
    #expect(difference(queue.popAll(), from: [2, 3] + Array(repeating: 9, count: 200_000)) == nil)
  }

  @Test func largeQueue_growsToItsBound_andNotBeyond() {
    let queue = Queue(capacity: 300_000)
    let piece = (0..<1_000).map { UInt8($0 % 251) }
    var model: [UInt8] = []
    for round in 0..<400 {
      let fits = model.count + piece.count <= 300_000
      #expect(queue.append(piece) == fits)
      if fits { model += piece }
      if round % 3 == 0 {
        queue.removeFirst(100)
        model.removeFirst(100)
      }
    }
    #expect(queue.popAll() == model)
    #expect(queue.room == 300_000)
  }

  @Test func randomUse_agreesWithAnArray() {
    var random = SystemRandomNumberGenerator()
    let queue = Queue(capacity: 64)
    var model: [UInt8] = []
    for _ in 0..<20_000 {
      if Bool.random(using: &random) {
        let bytes = (0..<Int.random(in: 0...40)).map { _ in UInt8.random(in: 0...255) }
        let fits = model.count + bytes.count <= 64
        #expect(queue.append(bytes) == fits)
        if fits { model += bytes }
      } else {
        let front = queue.front
        #expect(Array(model.prefix(front.count)) == front)
        #expect(front.isEmpty == model.isEmpty)
        let count = Int.random(in: 0...front.count)
        queue.removeFirst(count)
        model.removeFirst(count)
      }
      #expect(queue.count == model.count)
    }
  }
}
