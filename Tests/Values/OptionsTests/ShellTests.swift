import Testing

@testable import Options

@Suite("The answer for a shell")
struct ShellTests {
  private static let breaks = " \t\n\"'><=;|&(:"

  private func reply(
    _ shell: Shell, _ line: String, _ answer: Completer.Answer, rows: Int? = nil
  ) -> String {
    shell.reply(
      answer, to: TypedLine(line, breaks: shell == .bash ? Self.breaks : ""),
      listIn: rows.map { Shell.ListSize(rows: $0, columns: 30) })
  }

  @Test(
    "bash gets the text after the word's last separator, with quotes",
    arguments: [
      ("p usb:04", "usb:0403:6001", "0403:6001"), ("p ", "usb:0403:6001", "usb:0403:6001"),
      ("p 'usb:04", "usb:0403:6001", "usb:0403:6001"), (#"p usb\:04"#, "usb:0403:1", "usb:0403:1"),
      ("p --b=9", "--b=9600", "9600"), ("p a", "a b'c", #"a\ b\'c"#), ("p \"a", "a b'$", "a b'\\$"),
      ("p 'a", "a b'c", #"a b'\''c"#), ("p --x='a", "--x=a b", "a b"),
      ("p a", "a;~#", ##"a\;\~\#"##),
    ])
  func bash(line: String, word: String, expected: String) {
    #expect(reply(.bash, line, .words([.init(word, "text")])) == "words\n\(expected)\n")
  }

  @Test("a word that may continue gets no blank")
  func beginnings() {
    let answer = Completer.Answer.words([.init("a=", isBeginning: true)])
    #expect(reply(.bash, "p a", answer) == "beginning\na=\n")
    #expect(reply(.zsh, "p a", answer) == "words\n=a=\n")
    #expect(reply(.fish, "p a", answer) == "words\na=\n")
    let two = Completer.Answer.words([.init("a=", isBeginning: true), "ab"])
    #expect(reply(.bash, "p a", two) == "words\na=\nab\n")
    #expect(reply(.zsh, "p a", two) == "words\n=a=\n+ab\n")
  }

  @Test("bash lists descriptions if they fit the screen")
  func lists() {
    let answer = Completer.Answer.words([
      .init("usb:1", "one"), .init("usb:1234", "a long one that does not fit"), "usb:2",
    ])
    #expect(
      reply(.bash, "p usb:", answer, rows: 5)
        == "words\n1     (one)\n1234  (a long one that does n\n2\n")
    #expect(reply(.bash, "p usb:", answer, rows: 4) == "words\n1\n1234\n2\n")
    #expect(reply(.bash, "p usb:", answer, rows: 1) == "words\n1\n1234\n2\n")
    #expect(reply(.bash, "p u", .words([.init("usb:1", "one")]), rows: 9) == "words\nusb:1\n")
  }

  @Test("zsh and fish get descriptions")
  func descriptions() {
    let answer = Completer.Answer.words([.init(#"a:b\c"#, "text: more"), "d"])
    #expect(reply(.zsh, "p ", answer) == "words\n+a\\:b\\\\c:text: more\n+d\n")
    #expect(reply(.fish, "p ", answer) == "words\na:b\\c\ttext: more\nd\n")
  }

  @Test("control characters do not break the lines")
  func controlCharacters() {
    let answer = Completer.Answer.words([.init("a\nb"), .init("c", "d\te\n")])
    #expect(reply(.fish, "p ", answer) == "words\nc\td e \n")
    #expect(reply(.bash, "p ", answer) == "words\nc\n")
  }

  @Test("files, and the command line of another program")
  func others() {
    for shell in Shell.allCases { #expect(reply(shell, "p", .files(after: 6)) == "files 6\n") }
    #expect(reply(.zsh, "p lend x -- m", .command(from: 3)) == "command 4\n")
    #expect(reply(.bash, "p lend x -- m", .command(from: 3)) == "command 4\n")
    #expect(reply(.fish, "p lend x -- m 'a", .command(from: 3)) == "command 4\nm 'a\n")
  }
}
