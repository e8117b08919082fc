import Testing

@testable import Configuration
@testable import serialterm

@Suite("Importing a configuration of tio", .timeLimit(.minutes(30)))
struct TioImportTests {
  /// The conversion of tio profiles. Blank lines separate the rows.
  private static let table = #"""
    device = /dev/ttyUSB0
    => target = "/dev/ttyUSB0"

    tty = /dev/ttyUSB0
    => target = "/dev/ttyUSB0"

    pattern = usb([0-9]*)
    device = /dev/ttyUSB%s
    => # not imported: pattern = usb([0-9]*) (a profile is chosen by its name, or by 'match' for its device)
    => # not imported: device = /dev/ttyUSB%s (%s is a part of the typed name; name a device, and the profile by --profile)

    pattern = ^usb([0-9]*)
    device = /dev/ttyUSB%m1
    baudrate = 9600
    => # not imported: pattern = ^usb([0-9]*) (a profile is chosen by its name, or by 'match' for its device)
    => # not imported: device = /dev/ttyUSB%m1 (%m1 is a part of the typed name; name a device, and the profile by --profile)
    => baud = 9600

    auto-connect = new
    => target = "new"

    auto-connect = latest
    => target = "latest"

    auto-connect = direct
    => # auto-connect = direct: a named device is opened directly

    auto-connect = direct
    device = a
    => target = "a"
    => # auto-connect = direct: a named device is opened directly

    auto-connect = new
    device = a
    => target = "new"
    => # not imported: device = a (auto-connect = new comes before it)

    auto-connect = x
    => # not imported: auto-connect = x (expected new, latest or direct)

    baudrate = 9600
    => baud = 9600

    baudrate = fast
    => # not imported: baudrate = fast (expected a whole number)

    databits = 7
    => data-bits = 7

    stopbits = 2
    => stop-bits = 2

    parity = even
    => parity = "even"

    parity = mark
    => parity = "mark"

    flow = hard
    => flow = "hard"

    flow = none
    => flow = "none"

    output-delay = 1
    => byte-delay = 1

    output-line-delay = 250
    => line-delay = 250

    line-pulse-duration = DTR=200
    => # not imported: line-pulse-duration = DTR=200 (ctrl-t p pulses for 100 ms; a script for 'serialterm run' can use 'pulse dtr 200ms')

    dtr-pulse-duration = 200
    => # not imported: dtr-pulse-duration = 200 (ctrl-t p pulses for 100 ms; a script for 'serialterm run' can use 'pulse dtr 200ms')

    exclude-devices = *
    exclude-drivers = x
    exclude-tids = y
    => # not imported: exclude-devices = * (no device is excluded from the choice; name one by TARGET or 'match')
    => # not imported: exclude-drivers = x (no device is excluded from the choice; name one by TARGET or 'match')
    => # not imported: exclude-tids = y (no device is excluded from the choice; name one by TARGET or 'match')

    no-reconnect = true
    => no-reconnect = true
    => wait = false

    no-autoconnect = disable
    => no-reconnect = false
    => wait = true

    local-echo = enable
    => local-echo = true

    local-echo = 0
    => local-echo = false

    local-echo = maybe
    => # not imported: local-echo = maybe (expected true or false)

    input-mode = normal
    => input-mode = "char"

    input-mode = line
    => input-mode = "line"

    input-mode = hex
    => input-mode = "hex"

    output-mode = normal
    => hex = false

    output-mode = hex
    => hex = true

    output-mode = hex16
    => hex = true  # as many columns as fit the window

    hexadecimal = true
    => hex = true  # what is typed is sent as it is; 'serialterm send --hex' sends numbers

    hex-mode = disable
    => hex = false

    timestamp = true
    => timestamps = "time"

    timestamp = false
    => timestamps = false

    timestamp = true
    timestamp-format = 24hour
    => timestamps = "time"

    timestamp = true
    timestamp-format = 24hour-start
    => timestamps = "start"

    timestamp = true
    timestamp-format = 24hour-delta
    => timestamps = "delta"

    timestamp = true
    timestamp-format = iso8601
    => timestamps = "iso"

    timestamp = true
    timestamp-format = epoch
    => timestamps = "epoch"

    timestamp = true
    timestamp-format = epoch-usec
    => timestamps = "epoch:us"

    timestamp = true
    timestamp-format = x
    => timestamps = "time"
    => # not imported: timestamp-format = x (unknown format)

    timestamp-format = iso8601
    => # not imported: timestamp-format = iso8601 (timestamp is not set; to switch it on: timestamps = "iso")

    timestamp-timeout = 200
    => hex-gap = 200

    log = true
    => log = "tio_board_%Y-%m-%dT%H:%M:%S.log"

    log = true
    log-directory = /var/log/tio
    => log = "/var/log/tio/tio_board_%Y-%m-%dT%H:%M:%S.log"

    log = true
    log-append = true
    => log = "tio_board_%Y-%m-%dT%H:%M:%S.log"
    => log-append = true

    log = true
    log-file = a%b.log
    log-append = true
    => log = "a%%b.log"
    => log-append = true

    log = true
    log-file = a
    log-directory = b
    => log = "a"
    => # not imported: log-directory = b (log-file comes before it)
    => log-append = true  # tio overwrites the log-file at each start; serialterm never does

    log = true
    log-file = a
    log-append = false
    => log = "a"
    => log-append = true  # tio overwrites the log-file at each start; serialterm never does
    => # not imported: log-append = false (serialterm never overwrites a file)

    log = false
    log-file = a
    log-append = true
    => log = false
    => # not imported: log-file = a (log is off; ctrl-t f asks for a file)
    => log-append = true

    log-directory = a
    => # not imported: log-directory = a (log is not set; ctrl-t f asks for a file)

    log = true
    log-file = 
    => log = "tio_board_%Y-%m-%dT%H:%M:%S.log"
    => # not imported: log-file =  (it has no effect)

    log-strip = true
    => log-format = "text"  # with the time of each line

    log-strip = false
    => log-format = "raw"

    log = x
    log-directory = a
    => # not imported: log = x (expected true or false)
    => # not imported: log-directory = a (it has no effect)

    map = ICRNL, IFFESCC,OLTU,IMSB2LSB,MSB2LSB,ODELBS,ONLCRNL,INLCR,OCRNL
    => map = "ICRNL,IFFESCC,OLTU,IMSB2LSB,MSB2LSB,ODELBS,ONLCRNL,INLCR,OCRNL"

    map = IGNCR,INLCRNL,OIGNCR
    => map = "IGNCR,INLCRNL,OIGNCR"

    map = ICRCRNL,ONULBRK
    => map = "ICRCRNL"  # not imported: ONULBRK: a NUL cannot become a break

    map = IGNCR,ICRNL,X
    => map = "IGNCR"  # not imported: ICRNL: contradicts another, X: unknown

    map = ONULBRK
    => # not imported: map = ONULBRK (ONULBRK: a NUL cannot become a break)

    color = 11
    => # not imported: color = 11 (the colour of messages is fixed; the variable NO_COLOR switches it off)

    socket = inet:3333
    => listen = "3333,raw"  # for this computer; as in tio, for all: 0.0.0.0:3333,raw
    => writers = "all"

    socket = inet6:
    => listen = "[::1]:3333,raw"  # for this computer; as in tio, for all: [::]:3333,raw
    => writers = "all"

    socket = unix:/tmp/board.sock
    => unix = "/tmp/board.sock,raw"
    => writers = "all"

    socket = unix:
    => # not imported: socket = unix: (expected unix:PATH, inet:PORT or inet6:PORT)

    socket = inet:99999
    => # not imported: socket = inet:99999 (expected a port from 1 to 65535)

    rs-485 = true
    => rs485 = "on"

    rs-485 = false
    => rs485 = false

    rs-485 = true
    rs-485-config = RTS_ON_SEND=0,RTS_DELAY_BEFORE_SEND=1,RTS_DELAY_AFTER_SEND=2,RX_DURING_TX
    => rs485 = "rts-on-send=off,delay-before=1,delay-after=2,rx-during-tx=on"

    rs-485 = true
    rs-385-config = RTS_AFTER_SEND=0,X
    => rs485 = "rts-on-send=on"  # not imported: X

    rs-485-config = RX_DURING_TX
    => # not imported: rs-485-config = RX_DURING_TX (rs-485 is not set)

    alert = bell
    => # not imported: alert = bell (there is no sound or flash when a device connects)

    mute = true
    => quiet = true

    script = high(DTR); low(RTS)
    script-file = a.lua
    script-run = once
    => # not imported: script = high(DTR); low(RTS) (Lua does not run here; see 'on-open' for the lines, 'serialterm run' for dialogues)
    => # not imported: script-file = a.lua (Lua does not run here; see 'on-open' for the lines, 'serialterm run' for dialogues)
    => # not imported: script-run = once (Lua does not run here; see 'on-open' for the lines, 'serialterm run' for dialogues)

    exec = cat ; date
    => # not imported: exec = cat ; date (a configuration never runs a command; see 'serialterm connect --exec')

    response-wait = true
    response-timeout = 100
    => # not imported: response-wait = true (see 'serialterm send TARGET TEXT --expect REGEX --timeout S')
    => # not imported: response-timeout = 100 (see 'serialterm send TARGET TEXT --expect REGEX --timeout S')

    prefix-ctrl-key = a
    => prefix = "ctrl-a"

    prefix-ctrl-key = none
    => prefix = "none"

    colour = 1
    => # not imported: colour = 1 (not a setting of tio 1 to 3)

    nonsense
    => # not imported: nonsense

    [include more]
    => # not imported: [include more] (import that file too)

    baudrate = 300 ; slow
    databits: 7
    => baud = 300
    => data-bits = 7
    """#

  private static let rows = table.split(separator: "\n\n").map { block in
    let lines = block.split(separator: "\n")
    return (
      tio: lines.filter { !$0.hasPrefix("=> ") }.joined(separator: "\n"),
      becomes: lines.filter { $0.hasPrefix("=> ") }.map { $0.dropFirst(3) }.joined(separator: "\n")
    )
  }

  private static func converted(_ text: String) -> TioImport {
    TioImport(Array(text.utf8), complaint: ProfileFile.complaint(aboutImported:_:))
  }

  @Test("every setting has its counterpart, or a comment with the reason", arguments: rows.indices)
  func settings(_ index: Int) throws {
    let row = Self.rows[index]
    let text = Self.converted("[board]\n\(row.tio)\n").text
    #expect(text == "[profile.board]\n\(row.becomes)\n", "\(row.tio)")
    _ = try ConfigurationFile(parsing: Array(text.utf8), check: ProfileFile.check)
  }

  @Test("the table above has every key that the import knows")
  func complete() {
    let text = Self.rows.map(\.tio).joined(separator: "\n")
    let used = Set(text.matches(of: #/(?m)^([a-z0-9-]+) ?[=:]/#).map { String($0.output.1) })
    let known = TioSetting.all.flatMap(\.keys)
    #expect(Set(known).subtracting(used) == [])
    #expect(Set(known).count == known.count, "a key belongs to one setting")
  }

  @Test("the import knows every key of tio(1), versions 2.5 and 3.9")
  func documented() {
    let keys = """
      pattern device baudrate databits flow stopbits parity output-delay output-line-delay \
      line-pulse-duration no-autoconnect log log-file log-strip local-echo timestamp \
      timestamp-format map color hexadecimal socket prefix-ctrl-key response-wait \
      response-timeout rs-485 rs-485-config alert mute \
      no-reconnect auto-connect exclude-devices exclude-drivers exclude-tids log-directory \
      log-append timestamp-timeout input-mode output-mode script script-file script-run exec
      """
    for key in keys.split(separator: " ").map(String.init) {
      #expect(TioSetting.about(key) != nil, "\(key)")
    }
  }

  @Test(
    "a value that connect refuses is a comment with the parser's reason",
    arguments: [
      "baudrate = 0", "baudrate = -1", "databits = 9", "stopbits = 3", "parity = x", "flow = x",
      "output-delay = 99999999", "output-line-delay = -1", "timestamp-timeout = 0",
      "prefix-ctrl-key = 1", "prefix-ctrl-key = ab", "prefix-ctrl-key =",
      "rs-485 = true\nrs-485-config = RTS_DELAY_AFTER_SEND=5000",
    ])
  func refused(_ setting: String) throws {
    let text = Self.converted("[board]\n\(setting)\n").text
    let lines = text.split(separator: "\n").dropFirst()
    #expect(!lines.isEmpty && lines.allSatisfy { $0.hasPrefix("# not imported: ") }, "\(text)")
    #expect(lines.allSatisfy { $0.hasSuffix(")") && !$0.hasSuffix("()") }, "\(text)")
  }

  @Test("a socket of the default section says that it is for one device")
  func defaultSocket() {
    let text = Self.converted("[default]\nsocket = unix:/tmp/a\n[board]\nsocket = unix:/tmp/b\n")
      .text
    #expect(
      text.split(separator: "\n").filter { $0.hasPrefix("unix") } == [
        "unix = \"/tmp/a,raw\"  # 'connect' takes one device while [default] has it",
        "unix = \"/tmp/b,raw\"",
      ])
  }

  @Test("a profile's setting is converted with its defaults")
  func inherited() {
    let converted = Self.converted(
      """
      log-directory = /logs
      timestamp-format = epoch
      rs-485-config = RX_DURING_TX
      [a]
      log = true
      timestamp = 1
      [default]
      rs-485 = true
      [b]
      timestamp = 0
      """)
    #expect(
      converted.text == """
        [default]
        # not imported: log-directory = /logs (log is not set; ctrl-t f asks for a file)
        # not imported: timestamp-format = epoch (timestamp is not set; to switch it on: timestamps = "epoch")
        rs485 = "rx-during-tx=on"

        [profile.a]
        log = "/logs/tio_a_%Y-%m-%dT%H:%M:%S.log"
        timestamps = "epoch"

        [profile.b]
        timestamps = false

        """)
    #expect(converted.droppedCount == 2)
  }

  @Test("sections become profiles with valid, different names")
  func names() {
    let text = Self.converted("[my board]\n[my.board]\n[latest]\n[é]\n[my board]\nmute = 1\n").text
    #expect(
      text == """
        [profile.my-board]
        # [my board] in tio
        quiet = true

        [profile.my-board-2]
        # [my.board] in tio

        [profile.tio-latest]
        # [latest] in tio

        [profile.tio--]
        # [é] in tio

        """)
  }

  @Test("text of a file cannot control the terminal or reorder a line")
  func harmless() throws {
    let text = Self.converted("\u{1B}[2J\ncolor = \u{202E}a\ndevice = \u{202E}\u{1B}b\n").text
    #expect(
      text.unicodeScalars.allSatisfy {
        $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
      }, "\(text)")
    let file = try ConfigurationFile(parsing: Array(text.utf8)) { _, _ in }
    #expect(file.defaults.map(\.value) == [.string("\u{202E}\u{1B}b")])
  }
}
