import Posix
import SystemPackage
import Terminal
import Testing
import TextTools

@testable import serialterm

@Suite(.timeLimit(.minutes(30))) struct FindingTests {
  private let finding = Finding(
    code: .permissionDenied, port: "/dev/ttyUSB0", what: "permission denied", why: "Because.",
    fixes: ["first", "second"])

  @Test func people_readABlock() {
    #expect(
      finding.lines(style: .plain) == [
        "/dev/ttyUSB0: permission denied",
        "  Because.",
        "  fix:   first",
        "         second",
        "  more:  man 7 serialterm-troubleshooting   # Permission denied",
      ])
  }

  @Test func narrowTerminal_breaksSentencesBetweenWords_andPutsCommentsOnTheirOwnLine() {
    let finding = Finding(
      code: .held, port: "/dev/ttyUSB0", what: "busy, held by pid 42 (minicom)",
      why: "It has locked the port. Two programs share it.",
      fixes: ["sudo kill 42   # or quit the program", "a command that is longer than that"])
    #expect(
      finding.lines(style: .plain, width: 30) == [
        "/dev/ttyUSB0: busy, held by",
        "  pid 42 (minicom)",
        "  It has locked the port. Two",
        "  programs share it.",
        "  fix:   sudo kill 42",
        "         # or quit the program",
        "         a command that is longer than that",
        "  more:  man 7 serialterm-troubleshooting   # Held",
      ])
  }

  @Test func colour_isRedOnlyForErrors() {
    let style = TextStyle(isColoured: true)
    #expect(finding.lines(style: style)[0].hasPrefix("\u{1B}[1;31m"))
    #expect(style.warning("x", isBlocking: false) == "\u{1B}[1;33mx\u{1B}[0m")
  }

  @Test func scripts_readStableNames() {
    let text = finding.json.description
    #expect(text.hasPrefix(#"{"code":"permission-denied","port":"/dev/ttyUSB0","blocking":true,"#))
    #expect(text.contains(#""mend":["first","second"]"#))
  }

  @Test func everyFinding_hasItsSectionInTheDocumentation() throws {
    var document = FilePath(#filePath)
    for _ in 0..<4 { document.removeLastComponent() }
    document.append("docs/troubleshooting.md")
    let text = String(decoding: try document.contents(), as: UTF8.self)
    // The anchor of a heading on GitHub: in lower case, with hyphens instead of spaces.
    let anchors = text.split(separator: "\n").filter { $0.hasPrefix("## ") }.map { heading in
      String(heading.dropFirst(3).lowercased().map { $0 == " " ? "-" : $0 })
    }
    for code in Finding.Code.allCases {
      #expect(anchors.contains(code.rawValue), "\(code)")
    }
  }
}
