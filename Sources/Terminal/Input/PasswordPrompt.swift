import TextStages

/// Detects whether the last text of a device is a password prompt.
///
/// Text that a user types at such a prompt is not kept. A prompt is a line that contains a word
/// for a secret and ends like a prompt; a line that only mentions a password ("wrong
/// password.") is none. In unclear cases the answer is yes: a line that is missing from the
/// history does less harm.
package struct PasswordPrompt {
  /// The last received bytes: those that are examined, and at most the same number before them.
  private var tail: [UInt8] = []

  /// The number of bytes that are examined.
  private static let length = 256

  /// Adds bytes of the device.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count >= Self.length { tail.removeAll(keepingCapacity: true) }
    tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.length)))
    // Done rarely, because it moves the remaining bytes.
    if tail.count > 2 * Self.length { tail.removeFirst(tail.count - Self.length) }
  }

  /// Whether the device asks for a password now.
  package var isShown: Bool {
    let lines = Array(tail.suffix(Self.length)).withUnsafeBytes(LineReader.lines(of:))
    let line = lines.last { !$0.allSatisfy(\.isWhitespace) }
    return line.map(Self.isPrompt) ?? false
  }

  /// Whether a line is a prompt for a password.
  package static func isPrompt(_ line: String) -> Bool {
    let line = String(line.reversed().drop(while: \.isWhitespace).reversed())
    // "PIN" counts only as a separate word in capitals: boards have pins.
    let hasPIN = line.split { !$0.isLetter }.contains("PIN")
    let folded = line.lowercased()
    // Compares characters, because a device may send an accent as a separate code point.
    let hasWord = folded.indices.contains { words.contains(where: folded[$0...].hasPrefix) }
    guard hasPIN || hasWord else { return false }
    return line.last.map { ":\u{FF1A}?>=]".contains($0) } ?? false
      || words.contains(where: folded.hasSuffix) || line.hasSuffix("PIN")
  }

  /// Words for a password in the languages of devices and login programs.
  private static let words = [
    "password", "passwd", "passphrase", "pass phrase", "passcode", "pass code", "pin code",
    "secret", "passwort", "kennwort", "mot de passe", "contrase\u{F1}a", "contrasena", "senha",
    "palavra-passe", "parola", "wachtwoord", "l\u{F6}senord", "adgangskode", "passord", "salasana",
    "has\u{142}o", "heslo", "jelsz\u{F3}", "\u{15F}ifre", "пароль", "κωδικός", "密码", "密碼", "口令",
    "パスワード", "暗証番号", "암호", "비밀번호", "סיסמה", "كلمة المرور", "كلمة السر",
    "m\u{1EAD}t kh\u{1EA9}u", "รหัสผ่าน",
  ]
}
