/// Why a log could not be read, and the position of the error.
public struct LogReadingError: Error, Hashable, Sendable {
  /// The position: a line, counted from 1, or a byte, counted from 0. Nil if the log could
  /// not be opened.
  public let place: Place?
  /// A description of the problem.
  public let problem: String

  /// A position in a log.
  public enum Place: Hashable, Sendable {
    case line(Int)
    case offset(Int)
  }

  init(at place: Place? = nil, _ problem: String) {
    self.place = place
    self.problem = problem
  }
}

extension LogReadingError: CustomStringConvertible {
  /// The error in the style of compilers, to be printed after the file's name: `:12:
  /// not an object`.
  public var description: String {
    switch place {
    case .line(let number): ":\(number): \(problem)"
    case .offset(let offset): ": byte \(offset): \(problem)"
    case nil: ": \(problem)"
    }
  }
}
