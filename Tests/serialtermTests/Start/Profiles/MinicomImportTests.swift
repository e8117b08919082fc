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
      // A capital Y sets the line; the word in either case sets the view.
      ("pu rtscts yes", "flow = \"none\""), ("pu rtscts Y", "flow = \"hard\""),
      ("pu localecho yes", "local-echo = true"), ("pu displayhex YES", "hex = true"),
      ("pu addlinefeed YES\npu addcarreturn yes", "map = \"ICRCRNL,INLCRNL\""),
      ("pu localecho Y", "# localecho = Y: the same here"),
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
      ("pu pmac12 a", "# not imported: pmac12 = a (see 'snippets')"),
      ("pu nonsense 1", "# not imported: nonsense = 1 (not a setting of minicom)"),
      ("pu mcfoo 1", "# not imported: mcfoo = 1 (not a setting of minicom)"),
      ("pu sblah 1", "# not imported: sblah = 1 (not a setting of minicom)"),
      ("pu rs485en Y", "rs485 = \"on\""), ("pu rs485en No", "# rs485en = No: the same here"),
      ("pu rs485en yes", "# rs485en = yes: the same here"),
      (
        "pu rs485en No\npu rs485delbefsnd 3",
        "# not imported: rs485delbefsnd = 3 (it has no effect)"
      ),
      ("pu rs485en Yes\npu rs485rtsonsnd No", "rs485 = \"rts-on-send=on\""),
      ("pu rs485en Yes\npu rs485rtsaftsnd Yes", "rs485 = \"rts-on-send=off\""),
      (
        "pu rs485en Yes\npu rs485rtsonsnd Yes\npu rs485rtsaftsnd Yes\npu rs485rxdurtx No",
        "rs485 = \"rts-on-send=on,rx-during-tx=off\""
      ),
      (
        "pu rs485en Yes\npu rs485termbus Yes",
        "# not imported: rs485termbus = Yes (no termination of the bus is switched)"
      ),
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
    #expect(
      try lines("# nothing\n") == [
        "[profile.minicom]", "flow = \"hard\"  # minicom's default without 'pu rtscts No'",
      ])
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

  @Test("minicom's own keys are known")
  func keys() {
    let keys = """
      pname12 pprog1 port callin callout lock parity stopbits kermit kermallow kermreal colusage \
      scriptprog minit mreset mdialpre mdialsuf mdialpre2 mdialsuf3 mconnect mnocon1 mnocon4 mhangup \
      mdialcan mdialtime mrdelay mretries mdropdtr mautobaud showspeed updir downdir scriptdir \
      escape-key backspace statusline hasdcd rtscts xonxoff zauto mfcolor mbcolor tfcolor tbcolor \
      sfcolor sbcolor changed macenab sound histlines convf convcap fselw askdndir logfname logconn \
      logxfer multiline localecho addlinefeed linewrap addcarreturn answerback rs485en \
      rs485rtsonsnd rs485rtsaftsnd rs485rxdurtx rs485termbus rs485delbefsnd rs485delaftsnd pmac1 \
      baudrate bits displayhex disabletime remotecharset statlinefmt
      """
    for key in keys.split(separator: " ").map(String.init) {
      #expect(MinicomSetting.about(key) != nil, "\(key)")
    }
    #expect(MinicomSetting.about("pname13") == nil)
  }
}
