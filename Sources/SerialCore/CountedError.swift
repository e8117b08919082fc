/// The errors that a driver counts, and breaks.
public enum CountedError: Hashable, Sendable, CaseIterable {
  /// See ``LineCounters/framingErrors``.
  case framing
  /// See ``LineCounters/parityErrors``.
  case parity
  /// See ``LineCounters/overruns``.
  case overrun
  /// See ``LineCounters/bufferOverruns``.
  case bufferOverrun
  /// See ``LineCounters/breaks``.
  case breakCondition
}

extension LineCounters {
  /// The count of one kind.
  public subscript(error: CountedError) -> UInt32 {
    get { self[keyPath: error.counter] }
    set { self[keyPath: error.counter] = newValue }
  }

  /// The kinds whose count is not 0, in the order of ``CountedError``.
  public var errors: [CountedError] { CountedError.allCases.filter { self[$0] > 0 } }
}

extension CountedError {
  fileprivate var counter: WritableKeyPath<LineCounters, UInt32> {
    switch self {
    case .framing: \.framingErrors
    case .parity: \.parityErrors
    case .overrun: \.overruns
    case .bufferOverrun: \.bufferOverruns
    case .breakCondition: \.breaks
    }
  }
}
