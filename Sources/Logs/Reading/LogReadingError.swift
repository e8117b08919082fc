/// Why a log could not be read, and where in it.
public struct LogReadingError: Error, Hashable, Sendable {
  /// The place in the file: a line, from 1, or a byte, from 0. Nil if it could not be opened.
  public let place: Place?
  /// A description of the problem.
  public let problem: String

  /// A place in a log.
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
  /// In the style of compilers, to follow the file's name: `:12: not an object`.
  public var description: String {
    switch place {
    case .line(let number): ":\(number): \(problem)"
    case .offset(let offset): ": byte \(offset): \(problem)"
    case nil: ": \(problem)"
    }
  }
}
