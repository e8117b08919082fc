/// The key that starts a command: a control character, or none.
package enum PrefixKey: Hashable {
  /// A control character, 0x01 to 0x1F.
  case control(UInt8)
  /// Every key goes to the device.
  case none

  package static let standard = PrefixKey.control(0x14)

  /// The byte that the key sends.
  package var byte: UInt8? {
    switch self {
    case .control(let byte): byte
    case .none: nil
    }
  }
}

extension PrefixKey {
  /// Parses `ctrl-t`, `^T` or `none`.
  package init?(parsing text: String) {
    let text = text.lowercased()
    if text == "none" {
      self = .none
      return
    }
    guard let mark = ["ctrl-", "^"].first(where: text.hasPrefix) else { return nil }
    let name = text.dropFirst(mark.count)
    // For ctrl with a key, terminals send the lower five bits of the key.
    guard name.utf8.count == 1, let key = name.utf8.first,
      (UInt8(ascii: "a")...UInt8(ascii: "z")).contains(key) || "[\\]^_".utf8.contains(key)
    else { return nil }
    self = .control(key & 0x1F)
  }
}

extension PrefixKey: CustomStringConvertible {
  package var description: String {
    switch self {
    case .control(let byte):
      "ctrl-\(Character(Unicode.Scalar(byte < 0x1B ? byte | 0x60 : byte | 0x40)))"
    case .none: "none"
    }
  }
}
