/// Stages one after the other.
///
/// Two buffers are kept and take turns, so that a piece costs no allocation; a piece that no stage
/// changes is not copied at all.
public struct Pipeline {
  /// The stages, in the order in which the bytes pass them. Who takes one out while bytes may wait
  /// in it calls ``flush(at:_:)`` first.
  public var stages: [any ByteStage]
  /// What the last stage that changed anything has put out.
  private var front: [UInt8] = []
  private var back: [UInt8] = []

  /// Creates a pipeline.
  public init(_ stages: [any ByteStage] = []) { self.stages = stages }

  /// Sends a piece through all stages and hands over what comes out, if anything does.
  ///
  /// - Parameters:
  ///   - bytes: the piece.
  ///   - moment: when it was read.
  ///   - show: is given what comes out, valid during the call. It must leave the pipeline alone.
  public mutating func transform(
    _ bytes: UnsafeRawBufferPointer, at moment: Moment, _ show: (UnsafeRawBufferPointer) -> Void
  ) {
    var isChanged = false
    for index in stages.indices {
      if isChanged {
        pass(stage: index, at: moment)
      } else {
        front.removeAll(keepingCapacity: true)
        isChanged = stages[index].transform(bytes, at: moment, into: &front) == .changed
      }
    }
    if isChanged {
      if !front.isEmpty { front.withUnsafeBytes(show) }
    } else if !bytes.isEmpty {
      show(bytes)
    }
  }

  /// Whether anything waits in any stage.
  public var isWaiting: Bool { stages.contains { $0.isWaiting } }

  /// Ends what waits in any stage and hands over what comes out, if anything does.
  public mutating func flush(at moment: Moment, _ show: (UnsafeRawBufferPointer) -> Void) {
    front.removeAll(keepingCapacity: true)
    for index in stages.indices {
      if !front.isEmpty { pass(stage: index, at: moment) }
      stages[index].flush(into: &front)
    }
    if !front.isEmpty { front.withUnsafeBytes(show) }
  }

  /// Takes note that somebody else has written to the terminal, or moved its cursor: to the first
  /// column, or nobody knows where.
  public mutating func cursorDidMove(toMargin isAtMargin: Bool) {
    for index in stages.indices { stages[index].cursorDidMove(toMargin: isAtMargin) }
  }

  /// What undoes the changes that the stream has left in the terminal; empty if there are none.
  public var restoration: [UInt8] { stages.flatMap(\.restoration) }

  /// Sends what stands in front through a stage.
  private mutating func pass(stage index: Int, at moment: Moment) {
    back.removeAll(keepingCapacity: true)
    let result = front.withUnsafeBytes { bytes in
      stages[index].transform(bytes, at: moment, into: &back)
    }
    if result == .changed { swap(&front, &back) }
  }
}
