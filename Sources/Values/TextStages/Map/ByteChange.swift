/// A change that a map makes to a stream. The raw value is its name: the bytes before the equals
/// sign are replaced by those after it.
public enum ByteChange: String, Hashable, Sendable, CaseIterable {
  case returnToLineFeed = "cr=lf"
  case returnToPair = "cr=crlf"
  case returnToNothing = "cr=none"
  case lineFeedToReturn = "lf=cr"
  case lineFeedToPair = "lf=crlf"
  case lineFeedToNothing = "lf=none"
  /// CR followed by LF counts as one.
  case pairToLineFeed = "crlf=lf"
  case pairToReturn = "crlf=cr"
  case backspaceToDelete = "bs=del"
  case deleteToBackspace = "del=bs"
  case nullToNothing = "nul=none"
  /// A form feed moves the cursor home and erases the screen.
  case formFeedToClear = "ff=clear"
  /// ASCII letters only.
  case lowerToUpper = "lower=upper"
  case upperToLower = "upper=lower"
  /// The order of the bits in every byte is reversed.
  case reversedBits = "msb=lsb"

  /// The name of the bytes that it changes. Two changes of the same bytes in one direction
  /// contradict each other.
  var subject: Substring { rawValue.prefix { $0 != "=" } }

  /// The replacement for CR followed by LF; nil if the change does not affect pairs.
  var pairReplacement: [UInt8]? {
    switch self {
    case .pairToLineFeed: [.lineFeed]
    case .pairToReturn: [.carriageReturn]
    case .returnToLineFeed, .returnToPair, .returnToNothing, .lineFeedToReturn, .lineFeedToPair,
      .lineFeedToNothing, .backspaceToDelete, .deleteToBackspace, .nullToNothing, .formFeedToClear,
      .lowerToUpper, .upperToLower, .reversedBits:
      nil
    }
  }

  /// The replacement for a single byte; nil if it does not change.
  func replacement(for byte: UInt8) -> [UInt8]? {
    switch self {
    case .returnToLineFeed: byte == .carriageReturn ? [.lineFeed] : nil
    case .returnToPair: byte == .carriageReturn ? [.carriageReturn, .lineFeed] : nil
    case .returnToNothing: byte == .carriageReturn ? [] : nil
    case .lineFeedToReturn: byte == .lineFeed ? [.carriageReturn] : nil
    case .lineFeedToPair: byte == .lineFeed ? [.carriageReturn, .lineFeed] : nil
    case .lineFeedToNothing: byte == .lineFeed ? [] : nil
    case .backspaceToDelete: byte == .backspace ? [.delete] : nil
    case .deleteToBackspace: byte == .delete ? [.backspace] : nil
    case .nullToNothing: byte == .null ? [] : nil
    case .formFeedToClear: byte == .formFeed ? Array("\u{1B}[H\u{1B}[2J".utf8) : nil
    case .lowerToUpper: (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(byte) ? [byte ^ 0x20] : nil
    case .upperToLower: (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? [byte ^ 0x20] : nil
    // Pairs are longer than a byte. ByteMap reverses bits next to the serial line.
    case .pairToLineFeed, .pairToReturn, .reversedBits: nil
    }
  }
}
