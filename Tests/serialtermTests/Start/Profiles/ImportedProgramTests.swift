import Testing

@testable import Configuration
@testable import serialterm

@Suite("Files of other programs are recognized", .timeLimit(.minutes(30)))
struct ImportedProgramTests {
  private func refusal(_ program: ImportedProgram, _ text: String) -> String? {
    program.refusal(of: Array(text.utf8), named: "FILE", ownKeys: ProfileFile.keys)
  }

  @Test(
    "a file of another program is refused, with the command for it",
    arguments: [
      (.tio, "[rpi]\nbaudrate = 9600\n"), (.tio, "[default]\nbaudrate=9600\n"),
      // Only tio has the key.
      (.tio, "[profile.old]\ndevice=/dev/ttyS0\n"),
      (.tio, "[default]\nlog = true\n[rpi]\ndevice = /dev/ttyS0\n"),
      (.minicom, "pu rtscts No\n"), (.minicom, "# x\npr port /dev/ttyS1\n"),
      // YAML in all its forms.
      (.ser2net, "%YAML 1.1\n---\nconnection: &a\n  accepter: tcp,1\n"),
      (.ser2net, "connections:\n  a:\n    accepter: tcp,1\n"),
      (.ser2net, "  connection: &a\n    accepter: tcp,1\n"),
      (.ser2net, "--- {connections: {a: {accepter: \"tcp,2000\"}}}\n"),
      (.ser2net, "\"connections\":\n  a:\n    accepter: tcp,1\n"),
      (.ser2net, "connections :\n  a:\n    accepter: tcp,1\n"),
      (.ser2net, "? connections\n:\n  a:\n    accepter: tcp,1\n"),
      (.ser2net, "connection: &a\n  accepter: tcp,1\n  timestamp: true\n"),
      // ser2net 3: any line.
      (.ser2net, "2000:raw:0:/dev/ttyS0:9600\n"), (.ser2net, "BANNER:a:b\n"),
      (.ser2net, "LED:rx:sysfs:device=a\n"), (.ser2net, "foo\n2000:raw:600:/dev/ttyS0\n"),
      (.ser2net, "device:x:/dev/y\n2000:raw:0:x\n"),
    ] as [(ImportedProgram, String)])
  func others(_ owner: ImportedProgram, _ text: String) {
    for program in ImportedProgram.allCases {
      let expected =
        "it is a configuration of \(owner), not of \(program): use 'serialterm profile import-\(owner) FILE'."
      #expect(refusal(program, text) == (program == owner ? nil : expected))
    }
  }

  @Test(
    "a file in which an import finds something is read by that import alone",
    arguments: [
      (.tio, "[a]\nfoo = bar\n"), (.tio, "[a]\n[b]\n"), (.tio, "include sub\n[include x]\n"),
      (.tio, "databits: 7\n"), (.tio, "device = \"/dev/x\"\n"),
      (.tio, "name = \"x\"\n[section]\ndevice = \"/dev/null\"\n"),
      (.minicom, "pu unknown 1\n"), (.ser2net, "{connections: {a: {accepter: \"tcp\n"),
      (nil, "server {\n  listen 80;\n}\n"), (nil, "root:x:0:0:root:/root:/bin/sh\n"),
      (nil, "foo: 1\n"), (nil, "baud = 9600\n"), (nil, "\u{0}\u{1}binary"),
    ] as [(ImportedProgram?, String)])
  func unrecognized(_ reader: ImportedProgram?, _ text: String) {
    for program in ImportedProgram.allCases {
      #expect(
        refusal(program, text)
          == (program == reader ? nil : "it has no setting of \(program)."))
    }
  }

  @Test(
    "serialterm's own configuration needs no import",
    arguments: [
      "[profile.a]\nlog = true\n", "  [profile.x]\n  target = \"/dev/ttyS0\"\n",
      "[default]\nbaud = 9600\n",
      "[profile.a]\nbaud = 9600\n[profile.a.snippets]\ndevice = \"x\"\n",
    ])
  func own(_ text: String) {
    for program in ImportedProgram.allCases {
      #expect(
        refusal(program, text) == "it is a configuration of serialterm, which needs no import.")
    }
  }

  @Test("comments alone are no reason to refuse a file")
  func comments() {
    for program in ImportedProgram.allCases {
      #expect(refusal(program, "# only\n\n; comments\n") == nil)
    }
  }

  @Test("a text with colons in ser2net.yaml is no line of ser2net.conf")
  func yaml() throws {
    for line in [
      "default: {name: speed, value: \"300\"}", "define: &banner 'a: b: c'",
      "connection: &b\n  accepter: tcp,1\n  connector: echo\n  options:\n    banner: 'a: b'",
    ] {
      let text = line + "\nconnection: &a\n  accepter: tcp,1\n  connector: echo\n"
      let converted = try Ser2netImport(Array(text.utf8), logFormat: { _ in "raw" }) { _, _ in nil }
      #expect(converted.text.contains("[profile.a]\n"), "\(line)")
    }
  }
}
