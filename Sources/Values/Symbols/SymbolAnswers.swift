/// A function and a place in its source.
public struct SourceFrame: Hashable, Sendable {
  public let function: String
  /// `file:line`; nil if it is not known.
  public let place: String?

  public init(function: String, place: String?) {
    self.function = function
    self.place = place
  }
}

/// The output of `addr2line -a -f -i`, line by line.
///
/// An answer is the address, then a function and a place for each frame, the innermost one first.
/// Nothing marks its end, so each question is followed by ``mark``, whose answer ends it. The
/// program may print anything: an answer has a limit, and its text is not harmless to a terminal.
public struct SymbolAnswers: Sendable {
  /// The address that ends an answer. No code is there.
  public static let mark = UInt64(0xFFFF_FFFF)
  /// Frames of one address that are kept.
  public static let maximumFrames = 32
  private static let maximumText = 1024

  private var address: UInt64?
  private var lines: [String] = []

  public init() {}

  /// What to write to the program for an address.
  public static func question(_ address: UInt64) -> String {
    "0x\(String(address, radix: 16))\n0x\(String(mark, radix: 16))\n"
  }

  /// Reads a line without its end.
  ///
  /// - Returns: the address and its frames, innermost first, if the line ends an answer. No frames:
  ///   the address is not known.
  public mutating func receive(_ line: some Collection<UInt8>) -> (UInt64, [SourceFrame])? {
    let text = String(decoding: line.prefix(Self.maximumText), as: UTF8.self)
    guard text.hasPrefix("0x"), let next = UInt64(text.dropFirst(2), radix: 16) else {
      if address != nil, lines.count < 2 * Self.maximumFrames { lines.append(text) }
      return nil
    }
    defer {
      address = next == Self.mark ? nil : next
      lines = []
    }
    guard let address else { return nil }
    return (address, frames)
  }

  private var frames: [SourceFrame] {
    stride(from: 0, to: lines.count - 1, by: 2).compactMap { index in
      // "main.c:42 (discriminator 3)" is a place. "??:0", "main.c:0" and "crtstuff.c:?" are none.
      var place = lines[index + 1]
      if let space = place.range(of: " (discriminator") { place = String(place[..<space]) }
      let line = place.split(separator: ":").last.flatMap { Int($0) } ?? 0
      let isKnown = line > 0 && !place.hasPrefix("??")
      let function = lines[index]
      if function == "??" && !isKnown { return nil }
      return SourceFrame(function: function, place: isKnown ? place : nil)
    }
  }
}

extension String {
  /// The start of a text in this one.
  fileprivate func range(of text: String) -> String.Index? {
    var rest = self[...]
    while !rest.isEmpty {
      if rest.hasPrefix(text) { return rest.startIndex }
      rest = rest.dropFirst()
    }
    return nil
  }
}
