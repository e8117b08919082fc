import Testing

@testable import Terminal

@Suite(.timeLimit(.minutes(30))) struct PasswordPromptTests {
  @Test(arguments: [
    "Password: ", "password:", "root@board's password: ", "[sudo] password for joe: ",
    "Enter passphrase for key '/root/.ssh/id':", "Password", "New password (again): ", "PASSWORD>",
    "Enter PIN: ", "PIN? ", "SIM PIN", "Passwort: ", "Mot de passe : ", "Contraseña: ", "Senha: ",
    "Пароль: ", "密码：", "パスワード: ", "Retype new passwd: ", "Has\u{142}o: ", "wifi secret = ",
    "Contrasen\u{303}a: ",
  ])
  func prompt_isRecognised(line: String) {
    #expect(PasswordPrompt.isPrompt(line))
  }

  @Test(arguments: [
    "login: ", "board> ", "# ", "", "Wrong password.", "The password has been changed", "pin 3: ",
    "spinning:", "PINS: ", "passwords are stored in /etc/shadow", "Username:",
  ])
  func otherLine_isNone(line: String) {
    #expect(!PasswordPrompt.isPrompt(line))
  }

  private func prompt(_ pieces: String...) -> PasswordPrompt {
    var prompt = PasswordPrompt()
    for piece in pieces { Array(piece.utf8).withUnsafeBytes { prompt.add($0) } }
    return prompt
  }

  @Test func lastLineCounts_howeverItsBytesArrive() {
    #expect(prompt("login: root\r\nPassw", "ord: ").isShown)
    #expect(!prompt("Password: ", "\r\nlogin: ").isShown)
    #expect(prompt("Password:\r\n").isShown)
    #expect(!prompt().isShown)
  }

  @Test func colours_doNotHideAPrompt() {
    #expect(prompt("\u{1B}[1;31mPassword:\u{1B}[0m \u{1B}[?25h").isShown)
  }

  @Test func onlyTheLastBytes_areLookedAt() {
    #expect(prompt(String(repeating: "x", count: 100_000) + "\nPassword: ").isShown)
    #expect(!prompt("password" + String(repeating: "x", count: 300) + ":").isShown)
  }
}
