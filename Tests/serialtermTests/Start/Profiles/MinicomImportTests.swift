import Testing

@testable import Configuration
@testable import serialterm

@Suite("Importing a configuration of minicom", .timeLimit(.minutes(30)))
struct MinicomImportTests {
  private func lines(_ text: String, named file: String = "minirc.dfl") throws -> [String] {
    let converted = MinicomImport(
      Array(text.utf8), named: file, complaint: ProfileFile.complaint(aboutImported:_:))
    _ = try ConfigurationFile(parsing: Array(converted.text.utf8), check: ProfileFile.check)
    return converted.text.split(separator: "\n").map(String.init)
  }

  @Test(
    "settings have a counterpart",
    arguments: [
      ("pu port /dev/ttyUSB0", "target = \"/dev/ttyUSB0\""),
      ("pr port             /dev/ttyUSB0", "target = \"/dev/ttyUSB0\""),
      (
        "pu port /dev/ttyUSB0 /dev/ttyUSB1",
        "target = \"/dev/ttyUSB0\"  # not imported: /dev/ttyUSB1"
      ),
      ("pu port unix#/run/x", "target = \"unix:/run/x\""),
      ("pu baudrate 9600", "baud = 9600"), ("pu bits 7", "data-bits = 7"),
      ("pu parity E", "parity = \"even\""), ("pu stopbits 2", "stop-bits = 2"),
      ("pu parity x", "# not imported: parity = x (expected N, E, O, M or S)"),
      ("pu rtscts No", "flow = \"none\""), ("pu rtscts Yes", "flow = \"hard\""),
      // Only the word Yes is on.
      ("pu rtscts yes", "flow = \"none\""),
      ("pu xonxoff No", "flow = \"hard\"  # minicom's default without 'pu rtscts No'"),
      (
        "pu xonxoff Yes",
        "flow = \"hard\"  # minicom's default without 'pu rtscts No', not xonxoff at the same time"
      ),
      ("pu localecho Yes", "local-echo = true"),
      ("pu localecho No", "# localecho = No: the same here"),
      ("pu displayhex Yes", "hex = true"), ("pu addlinefeed Yes", "map = \"ICRCRNL\""),
      ("pu backspace BS", "map = \"ODELBS\""), ("pu escape-key ^B", "prefix = \"ctrl-b\""),
      ("pu linewrap Yes", "# linewrap = Yes: the terminal wraps lines"),
      ("pu minit", "# minit = : it has no value"),
      (
        "pu minit ~^M~AT Z^M",
        "# not imported: minit = ~^M~AT Z^M (nothing is sent to the device by itself; see 'snippets', and 'serialterm run')"
      ),
      (
        "pu mdialpre ATDT",
        "# not imported: mdialpre = ATDT (no modem dials here; see 'snippets', and 'serialterm run')"
      ),
      ("pu nonsense 1", "# not imported: nonsense = 1 (not a setting of minicom)"),
      ("nonsense", "# not imported: nonsense"),
    ])
  func settings(_ line: String, _ expected: String) throws {
    let converted = try lines("\(line)\n")
    #expect(converted.contains(expected), "\(converted)")
  }

  @Test("a file is a profile, with the hardware flow control that minicom has without a line")
  func file() throws {
    let text = "# Machine-generated file\npu port /dev/ttyUSB0\npu baudrate 1\npu baudrate 115200\n"
    #expect(
      try lines(text) == [
        "[profile.minicom]", "target = \"/dev/ttyUSB0\"", "baud = 115200",
        "flow = \"hard\"  # minicom's default without 'pu rtscts No'",
      ])
    #expect(try lines("pu xonxoff Yes\npu rtscts No").last == "flow = \"soft\"")
    #expect(try lines("# nothing\n") == ["[profile.minicom]"])
    #expect(
      try lines("pu rs485en Yes\npu rs485rtsonsnd Yes\npu rs485delbefsnd 3").contains(
        "rs485 = \"rts-on-send=on,delay-before=3\""))
  }

  @Test(
    "the name of the file is that of the profile",
    arguments: [
      ("/etc/minicom/minirc.board", "board"), ("/root/.minirc.board", "board"),
      ("minirc.dfl", "minicom"), (".minirc.dfl", "minicom"), ("-", "minicom"),
      ("minirc.", "minicom-"),
    ])
  func names(_ file: String, _ name: String) throws {
    #expect(try lines("pu bits 8", named: file).first == "[profile.\(name)]")
  }

  @Test("a file of another program is refused, with the command for it")
  func programs() {
    let files: [(ImportedProgram?, String)] = [
      (.tio, "[rpi]\nbaudrate = 9600\n"), (.tio, "[a]\n[b]\n"), (.minicom, "pu rtscts No\n"),
      (.minicom, "# x\npr port /dev/ttyS1\n"),
      (.ser2net, "%YAML 1.1\n---\nconnection: &a\n  accepter: tcp,1\n"),
      (.ser2net, "connections:\n  a:\n    accepter: tcp,1\n"),
      (.ser2net, "2000:raw:0:/dev/ttyS0:9600\n"),
      (.ser2net, "BANNER:a:b\n"), (nil, "server {\n  listen 80;\n}\n"),
      (nil, "root:x:0:0:root:/root:/bin/sh\n"),
      (nil, "[section]\nname = value\n"), (nil, "\u{0}\u{1}binary"),
    ]
    for (owner, text) in files {
      for program in ImportedProgram.allCases {
        let refusal = program.refusal(of: Array(text.utf8), named: "FILE")
        let expected =
          switch owner {
          case program: String?.none
          case nil: "it has no setting of \(program)."
          case let owner?:
            "it is a configuration of \(owner), not of \(program): use 'serialterm profile import-\(owner) FILE'."
          }
        #expect(refusal == expected, "\(text)")
      }
    }
    for program in ImportedProgram.allCases {
      #expect(program.refusal(of: Array("# only\n\n; comments\n".utf8), named: "FILE") == nil)
      #expect(program.refusal(of: Array("[profile.a]\nlog = true\n".utf8), named: "FILE") != nil)
    }
  }
}
