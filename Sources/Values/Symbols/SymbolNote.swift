import TextTools

/// What is known about an address, as the lines that are shown below the line that has it.
///
/// The frames are made from the output of another program: their text is made harmless here.
public struct SymbolNote: Hashable, Sendable {
  /// The address as text: `0x400d1234`.
  public let address: String
  /// The frames, the innermost one first; at least one.
  public let frames: [SourceFrame]

  /// The length of a function's name or a place that is shown, in characters.
  static let maximumText = 300
  private static let indent = "    "

  /// Creates a note.
  ///
  /// - Parameter has64Bits: whether addresses have 64 bits. Those of 32 bits have all eight digits.
  /// - Returns: nil if there are no frames.
  public init?(_ address: UInt64, _ frames: [SourceFrame], has64Bits: Bool) {
    guard !frames.isEmpty else { return nil }
    let digits = String(address, radix: 16)
    let zeros = has64Bits ? "" : String(repeating: "0", count: max(0, 8 - digits.count))
    self.address = "0x\(zeros)\(digits)"
    self.frames = frames.map {
      SourceFrame(function: Self.safe($0.function), place: $0.place.map(Self.safe))
    }
  }

  private static func safe(_ text: String) -> String {
    let text = text.harmless
    return text.utf8.count <= maximumText ? text : String(text.prefix(maximumText)) + "..."
  }

  /// The lines: the innermost function, and those into which it was inlined.
  public var lines: [String] {
    frames.enumerated().map { number, frame in
      number == 0
        ? "\(Self.indent)\(address): \(frame)"
        : "\(Self.indent)\(String(repeating: " ", count: address.count)) inlined into \(frame)"
    }
  }
}

extension SourceFrame: CustomStringConvertible {
  /// The frame as text: `app_main at main.c:42`.
  public var description: String { place.map { "\(function) at \($0)" } ?? function }
}
