import Logs

/// Tells whether the last text of a device is a prompt for a password.
///
/// What a user types at such a prompt is not kept. A prompt is a line that contains a word for a
/// secret and ends as prompts do; a line that only mentions a password ("wrong password.") is none.
/// Where it is unsure it says yes: a line that is missing from the history does less harm.
package struct PasswordPrompt {
  /// The last bytes that were received: those that are looked at, and as many before them at most.
  private var tail: [UInt8] = []

  /// How many bytes are looked at.
  private static let length = 256

  /// Takes bytes that the device sent.
  package mutating func add(_ bytes: UnsafeRawBufferPointer) {
    if bytes.count >= Self.length { tail.removeAll(keepingCapacity: true) }
    tail.append(contentsOf: UnsafeRawBufferPointer(rebasing: bytes.suffix(Self.length)))
    // Not for each byte: the others move.
    if tail.count > 2 * Self.length { tail.removeFirst(tail.count - Self.length) }
  }

  /// Whether the device asks for a password now.
  package var isShown: Bool {
    var stripper = SequenceStripper()
    var text: [UInt8] = []
    tail.suffix(Self.length).withUnsafeBytes { stripper.strip($0, into: &text) }
    let line = String(decoding: text, as: UTF8.self)
      .split(whereSeparator: \.isNewline).last { !$0.allSatisfy(\.isWhitespace) }
    return line.map { Self.isPrompt(String($0)) } ?? false
  }

  /// Whether a line is a prompt for a password.
  package static func isPrompt(_ line: String) -> Bool {
    let line = String(line.reversed().drop(while: \.isWhitespace).reversed())
    // "PIN" is a word of its own, in capitals: boards have pins.
    let hasPIN = line.split { !$0.isLetter }.contains("PIN")
    let folded = line.lowercased()
    // By characters: a device may write an accent as a character of its own.
    let hasWord = folded.indices.contains { words.contains(where: folded[$0...].hasPrefix) }
    guard hasPIN || hasWord else { return false }
    return line.last.map { ":\u{FF1A}?>=]".contains($0) } ?? false
      || words.contains(where: folded.hasSuffix) || line.hasSuffix("PIN")
  }

  /// Words for a password in the languages that devices and login programs speak.
  private static let words = [
    "password", "passwd", "passphrase", "pass phrase", "passcode", "pass code", "pin code",
    "secret", "passwort", "kennwort", "mot de passe", "contrase\u{F1}a", "contrasena", "senha",
    "palavra-passe", "parola", "wachtwoord", "l\u{F6}senord", "adgangskode", "passord", "salasana",
    "has\u{142}o", "heslo", "jelsz\u{F3}", "\u{15F}ifre", "пароль", "κωδικός", "密码", "密碼", "口令",
    "パスワード", "暗証番号", "암호", "비밀번호", "סיסמה", "كلمة المرور", "كلمة السر",
    "m\u{1EAD}t kh\u{1EA9}u", "รหัสผ่าน",
  ]
}
