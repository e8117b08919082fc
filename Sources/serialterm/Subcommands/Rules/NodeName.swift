import TextTools

/// A user's name for a node below /dev, without characters that udev or a shell interprets.
struct NodeName: Hashable {
  let text: String

  /// Parses a name: letters, digits, `_`, `-` and `.`; it begins with a letter and has at most 64
  /// characters. Names that begin with `tty` belong to the kernel.
  ///
  /// - Throws: ``Failure`` if it is malformed.
  init(parsing text: String) throws(Failure) {
    let isAllowed = text.utf8.allSatisfy { byte in
      UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
        || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || "_-.".utf8.contains(byte)
    }
    guard isAllowed, let first = text.first, first.isLetter, text.utf8.count <= 64 else {
      throw Failure(
        .usage, "'\(text.harmless)': expected a letter, then letters, digits, '_', '-' or '.'")
    }
    guard !text.hasPrefix("tty") else {
      throw Failure(.usage, "'\(text)': names that begin with tty belong to the kernel")
    }
    self.text = text
  }
}
