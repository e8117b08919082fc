public import Time

/// Stages in series.
///
/// It uses two buffers alternately, so that a piece needs no allocation. A piece that no stage
/// changes is not copied at all.
public struct Pipeline {
  /// The stages in the order in which the bytes pass them. Call ``flush(at:_:)`` before removing a
  /// stage in which bytes may wait.
  public var stages: [any ByteStage]
  /// The output of the last stage that has changed the piece.
  private var front: [UInt8] = []
  private var back: [UInt8] = []

  /// Creates a pipeline.
  public init(_ stages: [any ByteStage] = []) { self.stages = stages }

  /// Passes a piece through all stages.
  ///
  /// - Parameters:
  ///   - bytes: the piece.
  ///   - moment: the time of the read.
  ///   - stage: the index of the first stage that the piece passes.
  /// - Returns: the output; nil if no stage has changed the piece. Release it before the next call,
  ///   which reuses its memory.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, from stage: Int = 0
  ) -> [UInt8]? {
    var isChanged = false
    for index in stages.indices[stage...] {
      if isChanged {
        pass(stage: index, at: moment)
      } else {
        front.removeAll(keepingCapacity: true)
        isChanged = stages[index].transform(bytes, at: moment, into: &front) == .changed
      }
    }
    return isChanged ? front : nil
  }

  /// Passes a piece through all stages, and appends the output.
  mutating func append(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, to output: inout [UInt8]
  ) {
    if let changed = transform(bytes, at: moment) {
      output += changed
    } else {
      output.append(contentsOf: bytes)
    }
  }

  /// Whether bytes wait in any stage.
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

  /// Records that other code has written to the terminal, or moved its cursor to the first column
  /// of an empty line or to an unknown position.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    for index in stages.indices { stages[index].cursorDidMove(toMargin: isAtMargin) }
  }

  /// The bytes that undo the changes that the stream has made to the terminal's state; empty if
  /// there are none.
  public var restoration: [UInt8] { stages.flatMap(\.restoration) }

  /// The bytes that bring a terminal from any state into the state that the stream has set; empty
  /// if no stage knows that.
  public var screenState: [UInt8] { stages.flatMap(\.screenState) }

  /// What the stream has switched.
  public var switched: DeviceModes { stages.reduce([]) { $0.union($1.switched) } }

  /// Removes and returns the questions of the stream so far.
  mutating func takeQuestions() -> [TerminalQuestion] {
    stages.indices.flatMap { stages[$0].takeQuestions() }
  }

  /// Passes the contents of ``front`` through a stage.
  private mutating func pass(stage index: Int, at moment: Moment) {
    back.removeAll(keepingCapacity: true)
    let result = front.withUnsafeBytes { bytes in
      stages[index].transform(bytes, at: moment, into: &back)
    }
    if result == .changed { swap(&front, &back) }
  }
}
