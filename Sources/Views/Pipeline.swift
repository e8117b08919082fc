/// Stages in series.
///
/// Two buffers take turns, so that a piece costs no allocation; a piece that no stage changes is not
/// copied at all.
public struct Pipeline {
  /// The stages, in the order in which the bytes pass them. Call ``flush(at:_:)`` before removing one
  /// in which bytes may wait.
  public var stages: [any ByteStage]
  /// The output of the last stage that changed anything.
  private var front: [UInt8] = []
  private var back: [UInt8] = []

  /// Creates a pipeline.
  public init(_ stages: [any ByteStage] = []) { self.stages = stages }

  /// Sends a piece through all stages.
  ///
  /// - Parameters:
  ///   - bytes: the piece.
  ///   - moment: when it was read.
  /// - Returns: the output; nil if no stage has changed the piece. Release it before the next call, which
  ///   uses its memory again.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment
  ) -> [UInt8]? {
    var isChanged = false
    for index in stages.indices {
      if isChanged {
        pass(stage: index, at: moment)
      } else {
        front.removeAll(keepingCapacity: true)
        isChanged = stages[index].transform(bytes, at: moment, into: &front) == .changed
      }
    }
    return isChanged ? front : nil
  }

  /// Sends a piece through all stages and appends the output.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, to output: inout [UInt8]
  ) {
    if let changed = transform(bytes, at: moment) {
      output += changed
    } else {
      output.append(contentsOf: bytes)
    }
  }

  /// Whether anything waits in any stage.
  public var isWaiting: Bool { stages.contains { $0.isWaiting } }

  /// Flushes all stages, and returns the output.
  public mutating func flush(at moment: Moment) -> [UInt8] {
    front.removeAll(keepingCapacity: true)
    for index in stages.indices {
      if !front.isEmpty { pass(stage: index, at: moment) }
      stages[index].flush(into: &front)
    }
    return front
  }

  /// Takes note that somebody else has written to the terminal, or moved its cursor: to the first
  /// column of an empty line, or to an unknown place.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    for index in stages.indices { stages[index].cursorDidMove(toMargin: isAtMargin) }
  }

  /// The bytes that undo the changes that the stream has made to the terminal; empty if there are none.
  public var restoration: [UInt8] { stages.flatMap(\.restoration) }

  /// The bytes that bring a terminal into the state that the stream has set, whatever state it is in;
  /// empty if no stage knows.
  public var screenState: [UInt8] { stages.flatMap(\.screenState) }

  /// Whether the stream has hidden the cursor.
  public var isCursorHidden: Bool { stages.contains { $0.isCursorHidden } }

  /// Sends the contents of ``front`` through a stage.
  private mutating func pass(stage index: Int, at moment: Moment) {
    back.removeAll(keepingCapacity: true)
    let result = front.withUnsafeBytes { bytes in
      stages[index].transform(bytes, at: moment, into: &back)
    }
    if result == .changed { swap(&front, &back) }
  }
}
