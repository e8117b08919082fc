import Logs
import Testing

@testable import Configuration
@testable import serialterm

@Suite("Importing a configuration of ser2net", .timeLimit(.minutes(30)))
struct Ser2netImportTests {
  /// The conversion of connectors. Blank lines separate the rows.
  private static let connectors = #"""
    serialdev,/dev/ttyS0
    => target = "/dev/ttyS0"
    => baud = 9600

    serialdev,/dev/ttyS0,115200
    => target = "/dev/ttyS0"
    => baud = 115200

    serialdev, /dev/ttyS0, 9600e71,local
    => target = "/dev/ttyS0"
    => baud = 9600
    => data-bits = 7
    => parity = "even"
    => # local: the port is usable without a carrier

    sdev,/dev/ttyS0,speed=300O52 nobreak hangup-when-done dtr=off rts=on
    => target = "/dev/ttyS0"
    => baud = 300
    => data-bits = 5
    => parity = "odd"
    => stop-bits = 2
    => hangup = true
    => dtr = "off"
    => rts = "on"
    => # nobreak: a break that another program has left on stays

    serialdev,/dev/ttyS0,nobreak=false
    => target = "/dev/ttyS0"
    => baud = 9600
    => on-open = "break=off"

    keepopen(retry-time=2000,discard-badwrites),serialdev,/dev/ttyS0,115200n81
    => # keepopen: a device that is lost is opened again when it is back
    => # not imported: keepopen(retry-time=2000) (it has no counterpart)
    => # not imported: keepopen(discard-badwrites) (it has no counterpart)
    => target = "/dev/ttyS0"
    => baud = 115200

    keepopen,tcp,lab,4000
    => # keepopen: a device that is lost is opened again when it is back
    => target = "tcp://lab:4000"

    serialdev,/dev/ttyS0,9600n81,rtscts,-rtscts,XONXOFF=true,xonxoff
    => target = "/dev/ttyS0"
    => baud = 9600
    => flow = "soft"
    => # not imported: XONXOFF=true (not a setting of a serial port of ser2net)

    serialdev,/dev/ttyS0,rtscts,xonxoff,hangup-when-done=false
    => target = "/dev/ttyS0"
    => baud = 9600
    => flow = "hard"  # not xonxoff at the same time
    => hangup = false

    serialdev,/dev/ttyS0,9600 2STOPBITS 7DATABITS EVEN -LOCAL -NOBREAK -XONXOFF HANGUP_WHEN_DONE
    => target = "/dev/ttyS0"
    => baud = 9600
    => data-bits = 7
    => parity = "even"
    => stop-bits = 2
    => hangup = true
    => on-open = "break=off"

    serialdev,/dev/ttyS0,rs485=1:2:rts_on_send:rx_during_tx:terminate_bus
    => target = "/dev/ttyS0"
    => baud = 9600
    => rs485 = "delay-before=1,delay-after=2,rts-on-send=on,rx-during-tx=on"  # not imported: terminate_bus

    serialdev,/dev/ttyS0,rs485=0:5000
    => target = "/dev/ttyS0"
    => baud = 9600
    => # not imported: rs485 = "delay-before=0,delay-after=5000" (--rs485: item 2, 'delay-after=5000': expected delay-after=MS, milliseconds from 0 to 100)

    serialdev,/dev/ttyS0,rs485=off
    => target = "/dev/ttyS0"
    => baud = 9600

    serialdev(nouucplock,readbuf=100),/dev/ttyS0,9600x81,wronly,custspeed,odd
    => target = "/dev/ttyS0"
    => baud = 9600
    => parity = "odd"
    => # not imported: 9600x81 (expected a speed such as 9600n81)
    => # not imported: wronly (see --read-only, and serve --writers none)
    => # not imported: custspeed (every speed that the driver accepts is set)
    => # not imported: serialdev(readbuf=100) (it has no counterpart)

    echo
    => target = "loopback:"  # sends back what it gets

    tcp,lab,4000
    => target = "tcp://lab:4000"

    telnet(rfc2217),tcp,::1,4000
    => target = "rfc2217://[::1]:4000"

    telnet,tcp,lab,4000
    => target = "telnet://lab:4000"

    telnet,sctp,lab,4000
    => # not imported: connector = telnet,sctp,lab,4000 (telnet is a kind of target over tcp alone)
    => # not imported: listen = "[::]:2000,raw" (without a target it would serve another device)

    unix,/run/x
    => target = "unix:/run/x"

    tcp,lab
    => # not imported: connector = tcp,lab (expected an address)
    => # not imported: listen = "[::]:2000,raw" (without a target it would serve another device)

    ipmisol,lan -U a host,9600
    => # not imported: connector = ipmisol,lan -U a host,9600 (no target is of the kind 'ipmisol')
    => # not imported: listen = "[::]:2000,raw" (without a target it would serve another device)

    serialdev(x,/dev/ttyS0
    => # not imported: connector = serialdev(x,/dev/ttyS0 (a bracket is not closed)
    => # not imported: listen = "[::]:2000,raw" (without a target it would serve another device)
    """#

  /// The conversion of accepters.
  private static let accepters = #"""
    tcp,2000
    => listen = "[::]:2000,raw"  # every address of this computer

    tcp,localhost,2000
    => listen = "2000,raw"  # 127.0.0.1

    tcp,192.0.2.1,2000
    => listen = "192.0.2.1:2000,raw"

    tcp, ipv4, 2000
    => listen = "0.0.0.0:2000,raw"

    tcp,ipv6,::1,2000
    => listen = "[::1]:2000,raw"

    telnet,tcp,2000
    => listen = "[::]:2000,telnet"  # every address of this computer

    telnet(rfc2217),tcp,2000
    => listen = "[::]:2000,rfc2217"  # every address of this computer

    telnet(rfc2217=true,winsize),tcp(nodelay),2000
    => listen = "[::]:2000,rfc2217"  # every address of this computer
    => # not imported: tcp(nodelay) (it has no counterpart)
    => # not imported: telnet(winsize) (it has no counterpart)

    telnet(rfc2217=off),tcp,localhost,2000
    => listen = "2000,telnet"  # 127.0.0.1

    localhost,2000
    => listen = "2000,raw"  # 127.0.0.1

    2000
    => listen = "[::]:2000,raw"  # every address of this computer

    telnet,2000
    => listen = "[::]:2000,telnet"  # every address of this computer

    unix,/run/board
    => unix = "/run/board,raw"

    tcp,0
    => # not imported: listen = "[::]:0,raw" (--listen '[::]:0,raw': expected PORT from 1 to 65535, HOST:PORT, or [ADDRESS]:PORT for IPv6; then ,raw ,telnet or ,rfc2217 if you like)

    tcp
    => # not imported: accepter = tcp (expected [HOST,]PORT)

    telnet,ssl(key="a,b)"),tcp,2000
    => # not imported: accepter = telnet,ssl(key="a,b)"),tcp,2000 (there is no encryption and no password; see ssh://, and stunnel in network.md)

    sctp,2000
    => # not imported: accepter = sctp,2000 (clients cannot connect through 'sctp')

    telnet(rfc2217,tcp,2000
    => # not imported: accepter = telnet(rfc2217,tcp,2000 (a bracket is not closed)
    """#

  /// The conversion of options.
  private static let options = #"""
    kickolduser: true
    => # not imported: kickolduser = true (nobody is disconnected for another: 'serialterm attach --force' takes the pen)

    kickolduser: false
    => # kickolduser = false: the same here

    max-connections: 1
    => # max-connections = 1: one client writes

    max-connections: 3
    => writers = "all"  # max-connections = 3; here by whole lines

    max-connections: 3
    no-acc-to-con: true
    => writers = "none"

    remaddr: 192.0.2.0/24,0;::1,0
    remaddr: 192.0.2.9,4000
    => # not imported: remaddr = 192.0.2.9,4000 (the port of a client is not checked; expected ADDRESS,0)
    => allow = ["192.0.2.0/24", "::1"]

    remaddr: "!192.0.2.1,5;lab,0"
    => # not imported: remaddr = !192.0.2.1,5 (serve waits for clients, and connects to none)
    => # not imported: remaddr = lab,0 (--allow 'lab': expected an address, or one and a number of bits: 192.168.1.0/24)

    trace-read: /var/log/board
    => log = "/var/log/board"
    => log-append = true

    trace-read: /var/log/100%.txt
    trace-read-timestamp: false
    => log = "/var/log/100%%.txt.raw"
    => log-append = true

    trace-read: /var/log/a.TXT
    => log = "/var/log/a.TXT.raw"
    => log-append = true

    trace-write: /var/log/a.JSONL
    => log = "/var/log/a.JSONL"
    => log-append = true
    => log-sent = true  # JSON lines; a raw log has no bytes sent

    trace-read: '/var/log/\o-\Y\m\D-\H\i\S'
    trace-timestamp: true
    => log = "/var/log/board-%Y%m%d-%H%M%S.jsonl"
    => log-append = true

    trace-both: '/var/log/trace-\p-\B'
    => log = "/var/log/trace-tcp,localhost,2000-9600N81.jsonl"
    => log-append = true
    => log-sent = true  # JSON lines; a raw log has no bytes sent

    trace-write: a.jsonl
    trace-read: b
    trace-hexdump: false
    => log = ["b", "a.jsonl"]
    => log-append = true
    => log-sent = true  # JSON lines; a raw log has no bytes sent

    trace-read: 'from-\I'
    trace-read-hexdump: true
    => # not imported: trace-read = from-\I (a part of its name is only known to ser2net)
    => # not imported: trace-read-hexdump = true (there is no trace-read)

    trace-both:
    => # not imported: trace-both (it names no file)

    banner: '\r\nwelcome'
    openstr: ''
    telnet-brk-on-sync: true
    => # not imported: banner = \r\nwelcome (clients get what the device sends, and nothing else)
    => # not imported: openstr (nothing is sent to the device by itself; see 'snippets', and 'serialterm run')
    => # not imported: telnet-brk-on-sync = true (a telnet BREAK sends a break, the synch signal does not)

    chardelay: false
    chardelay-scale: 25
    mdns: false
    => # chardelay = false: bytes are passed on at once
    => # not imported: chardelay-scale = 25 (bytes are passed on at once)
    => # mdns = false: the same here

    colour: red
    => # not imported: colour = red (not an option of ser2net 4)

    banner: '*{/etc/motd}'
    => # not imported: banner = {/etc/motd} (it contains the contents of a file, which is not read here)
    """#

  private static func rows(_ table: String) -> [(from: String, becomes: String)] {
    table.split(separator: "\n\n").map { block in
      let lines = block.split(separator: "\n")
      return (
        lines.filter { !$0.hasPrefix("=> ") }.joined(separator: "\n"),
        lines.filter { $0.hasPrefix("=> ") }.map { "\($0.dropFirst(3))\n" }.joined()
      )
    }
  }

  private static let connectorRows: [(from: String, becomes: String)] = rows(connectors)
  private static let accepterRows: [(from: String, becomes: String)] = rows(accepters)
  private static let optionRows: [(from: String, becomes: String)] = rows(options)

  private func converted(_ text: String) throws -> Ser2netImport {
    let result = try Ser2netImport(
      Array(text.utf8), logFormat: { LogFormat(fileName: $0).rawValue },
      complaint: ProfileFile.complaint(aboutImported:_:))
    _ = try ConfigurationFile(parsing: Array(result.text.utf8), check: ProfileFile.check)
    return result
  }

  private func connection(
    accepter: String = "tcp,2000", connector: String = "serialdev,/dev/ttyS0"
  ) -> String {
    "connection: &board\n  accepter: '\(accepter)'\n  connector: '\(connector)'\n"
  }

  @Test("every kind of connector is a target with its settings", arguments: connectorRows.indices)
  func convertsConnectors(_ index: Int) throws {
    let row = Self.connectorRows[index]
    let listen = "listen = \"[::]:2000,raw\"  # every address of this computer\n"
    let text = try converted(connection(connector: row.from)).text
    let expected = row.becomes
    // The line of the accepter comes after the settings and before what was not imported.
    #expect(
      text.split(separator: "\n").filter { "\($0)\n" != listen }.map { "\($0)\n" }.joined()
        == "[profile.board]\n\(expected)")
    #expect(text.contains(listen) == expected.contains("\ntarget") || expected.hasPrefix("target"))
  }

  @Test("every kind of accepter is an address with its protocol", arguments: accepterRows.indices)
  func convertsAccepters(_ index: Int) throws {
    let row = Self.accepterRows[index]
    #expect(
      try converted(connection(accepter: row.from)).text
        == "[profile.board]\ntarget = \"/dev/ttyS0\"\nbaud = 9600\n\(row.becomes)")
  }

  @Test("every option has its counterpart, or a comment", arguments: optionRows.indices)
  func convertsOptions(_ index: Int) throws {
    let row = Self.optionRows[index]
    let lines = row.from.split(separator: "\n").map { "    \($0)\n" }.joined()
    #expect(
      try converted(connection(accepter: "tcp,localhost,2000") + "  options:\n\(lines)").text
        == "[profile.board]\ntarget = \"/dev/ttyS0\"\nbaud = 9600\nlisten = \"2000,raw\"  # 127.0.0.1\n"
        + row.becomes)
  }

  @Test("the import knows every option of ser2net.yaml(5), version 4.3")
  func documented() throws {
    let options = """
      kickolduser banner signature openstr closestr closeon accepter-retry-time \
      connector-retry-time trace-read trace-write trace-both trace-hexdump trace-timestamp \
      trace-read-hexdump trace-write-hexdump trace-both-hexdump trace-read-timestamp \
      trace-write-timestamp trace-both-timestamp telnet-brk-on-sync chardelay chardelay-scale \
      chardelay-min chardelay-max sendon dev-to-net-bufsize net-to-dev-bufsize led-tx led-rx \
      max-connections remaddr no-con-to-acc no-acc-to-con connback authdir pamauth allowed-users \
      mdns mdns-interface mdns-nettype mdns-name mdns-type mdns-domain mdns-host mdns-txt \
      mdns-sysattrs
      """
    for option in options.split(separator: " ") {
      let text = try converted(connection() + "  options:\n    \(option): x\n").text
      #expect(!text.contains("not an option of ser2net 4"), "\(option)")
    }
  }

  /// Lines of ser2net.conf, as of ser2net 3.
  private static let oldLines = #"""
    2001:raw:600:/dev/ttyUSB0:115200 NONE 1STOPBIT 8DATABITS XONXOFF LOCAL -RTSCTS
    => [profile.port-2001]
    => target = "/dev/ttyUSB0"
    => baud = 115200
    => flow = "soft"
    => # local: the port is usable without a carrier
    => listen = "[::]:2001,raw"  # every address of this computer
    => # not imported: timeout = 600 (a client may be silent for any time)

    192.168.1.6,4001:raw:0:/dev/usbcom1:115200 8DATABITS NONE 1STOPBIT NOBREAK
    => [profile.port-4001]
    => target = "/dev/usbcom1"
    => baud = 115200
    => # nobreak: a break that another program has left on stays
    => listen = "192.168.1.6:4001,raw"
    => # timeout = 0: no time limit

    BANNER:banner:\r\nport \p: device \d\r\n
    2000:telnet:0:/dev/ttyS0:9600,7DATABITS,EVEN,2STOPBITS,RTSCTS banner HANGUP_WHEN_DONE
    => [profile.port-2000]
    => target = "/dev/ttyS0"
    => baud = 9600
    => data-bits = 7
    => parity = "even"
    => stop-bits = 2
    => flow = "hard"
    => hangup = true
    => listen = "[::]:2000,telnet"  # every address of this computer
    => # not imported: banner = \r\nport \p: device \d\r\n (clients get what the device sends, and nothing else)
    => # timeout = 0: no time limit

    TRACEFILE:tr1:/var/log/ser2net/\p-\Y\m\D-\s
    DEVICE:lab:/dev/serial/by-path/pci-0:1:2
    localhost,2000:telnet:0:lab:19200 remctl tr=tr1 timestamp max-connections=3 -kickolduser
    => [profile.port-2000]
    => target = "/dev/serial/by-path/pci-0:1:2"
    => baud = 19200
    => listen = "2000,rfc2217"  # 127.0.0.1
    => writers = "all"  # max-connections = 3; here by whole lines
    => log = "/var/log/ser2net/2000-%Y%m%d-%S.jsonl"
    => log-append = true
    => # kickolduser = false: the same here
    => # timeout = 0: no time limit

    LED:rx:sysfs:device=a
    nonsense
    3000:raw:0:/dev/ttyS1
    => # not imported: LED:rx:sysfs:device=a (no LED shows what is sent and received)
    => # not imported: nonsense (expected PORT:STATE:TIMEOUT:DEVICE:OPTIONS)
    => \#("")
    => [profile.port-3000]
    => target = "/dev/ttyS1"
    => baud = 9600
    => listen = "[::]:3000,raw"  # every address of this computer
    => # timeout = 0: no time limit

    RS485CONF:rs:1:2:rts_on_send
    DEFAULT:speed:19200
    DEFAULT:nothing:1
    ROTATOR:r:3000:2000
    2000:off:0:/dev/ttyS0:rs485=rs bogus
    nonsense
    => # not imported: DEFAULT:nothing:1 (it has no counterpart)
    => # not imported: ROTATOR:r:3000:2000 (no address leads to the first free one of several ports)
    => # not imported: nonsense (expected PORT:STATE:TIMEOUT:DEVICE:OPTIONS)
    => \#("")
    => [profile.port-2000]
    => target = "/dev/ttyS0"
    => baud = 19200
    => rs485 = "delay-before=1,delay-after=2,rts-on-send=on"
    => # not imported: bogus (not a setting of a serial port of ser2net)
    => # not imported: listen = "[::]:2000,raw" (enable = off)
    => # timeout = 0: no time limit
    """#
  private static let oldRows = rows(oldLines)

  @Test("the form of ser2net 3 is read, too", arguments: oldRows.indices)
  func convertsOldFiles(_ index: Int) throws {
    let row = Self.oldRows[index]
    #expect(try converted("# a comment\n\n\(row.from)\n").text == row.becomes, "\(row.from)")
  }

  @Test("a connection that is off is not served; the time limit and unknown keys are comments")
  func fields() throws {
    let text = try converted(
      connection() + "  enable: OFF\n  timeout: 60\n  trace-both: x\n  colour: red\n"
    ).text
    #expect(
      text == """
        [profile.board]
        target = "/dev/ttyS0"
        baud = 9600
        # not imported: listen = "[::]:2000,raw" (enable = off)
        # not imported: timeout = 60 (a client may be silent for any time)
        # not imported: trace-both = x (it belongs below 'options:')
        # not imported: colour = red (not a setting of ser2net 4)

        """)
  }

  @Test("definitions and default values count for what follows them")
  func definitions() throws {
    let file = """
      define: &base /dev/serial/by-path/pci-0
      define: &port "*(base)-port1"
      connection: &a
        accepter: tcp,localhost,2001
        connector: serialdev,*(base)-port0
      default:
        name: speed
        value: 115200e71
        class: serialdev
      default:
        name: local
        value: true
      default:
        name: rfc2217
        value: true
        class: telnet
      default:
        name: max-connections
        value: 4
      default:
        name: kickolduser
        value: true
      default:
        name: speed
        value: 300
        class: ipmisol
      connection: &b
        accepter: telnet,tcp,localhost,2002
        connector: serialdev,*(port),local=false
      delete_default:
        name: speed
        class: serialdev
      connection: &c
        accepter: *a
        connector: serialdev,**(port*(*
      """
    #expect(
      try converted(file).text == """
        # not imported: default kickolduser = true (nobody is disconnected for another: 'serialterm attach --force' takes the pen)
        # not imported: default speed of ipmisol = 300 (serialterm has no ports of that class)

        [profile.a]
        target = "/dev/serial/by-path/pci-0-port0"
        baud = 9600
        listen = "2001,raw"  # 127.0.0.1

        [profile.b]
        target = "/dev/serial/by-path/pci-0-port1"
        baud = 115200
        data-bits = 7
        parity = "even"
        listen = "2002,rfc2217"  # 127.0.0.1
        writers = "all"  # max-connections = 4; here by whole lines

        [profile.c]
        target = "*(port*("
        baud = 9600
        # local: the port is usable without a carrier
        # not imported: accepter = a (clients cannot connect through 'a')
        writers = "all"  # max-connections = 4; here by whole lines

        """)
  }

  @Test("the form of ser2net 4.6 with plural names is read, too")
  func newForm() throws {
    let converted = try converted(
      """
      defines:
        dev: /dev/ttyS
      defaults:
        speed:
          value: 115200n81
          class: serialdev
        banner: {value: hi}
      delete_defaults:
        local: [serialdev]
      connections:
        con0:
          accepter: tcp,localhost,2000
          connector: "serialdev,=(dev)0"
        my con:
          accepter: tcp,localhost,2001
          connector: serialdev,*(dev)1
      rotators:
        r:
          accepter: tcp,2002
          connections: [con0]
      leds: {l: {driver: sysfs}}
      admins: {a: {accepter: "tcp,1"}}
      include: /etc/other
      """)
    #expect(
      converted.text == """
        # not imported: default banner = hi (clients get what the device sends, and nothing else)
        # not imported: rotator r (no address leads to the first free one of several ports)
        # not imported: led l (no LED shows what is sent and received)
        # not imported: admin a ('serialterm attach --list' shows who uses the ports)
        # not imported: include = /etc/other (import that file too)

        [profile.con0]
        target = "/dev/ttyS0"
        baud = 115200
        listen = "2000,raw"  # 127.0.0.1

        [profile.my-con]
        # [my con] in ser2net
        target = "*(dev)1"
        baud = 115200
        listen = "2001,raw"  # 127.0.0.1

        """)
    #expect(converted.droppedCount == 5)
    #expect(converted.profileCount == 2)
  }

  @Test("two connections of one device are named")
  func sameDevice() throws {
    let one = "  accepter: tcp,localhost,2000\n  connector: serialdev,/dev/ttyS0\n"
    let text = try converted("connection: &a\n\(one)connection: &b\n\(one)").text
    #expect(
      text.hasSuffix(
        """
        [profile.b]
        # note: a has the same device: one of them can have it open at a time
        target = "/dev/ttyS0"
        baud = 9600
        listen = "2000,raw"  # 127.0.0.1

        """))
  }

  @Test(
    "what ser2net refuses is refused with its place",
    arguments: [
      ("- a\n", "1:1: expected 'connection:'"),
      ("connection: &a text\n", "1:13: expected lines 'KEY: VALUE'"),
      ("connection:\n  accepter: a\n", "2:3: 'connection' has no name: write it as &NAME"),
      ("connection: &a\n  accepter: tcp,1\n", "1:1: the connection 'a' has no 'connector'"),
      ("connection: &a\n  connector: echo\n", "1:1: the connection 'a' has no 'accepter'"),
      ("connection: &a\n  accepter: b\n  accepter: c\n", "3:3: a second 'accepter'"),
      ("connection: &a\n  accepter: [b]\n", "2:13: expected a text"),
      ("connection: &a\n  accepter: *b\n", "2:13: there is no definition 'b' above"),
      ("connection: &a\n  accepter: x*(b)\n", "2:13: there is no definition 'b' above"),
      ("connection: &a\n  accepter: x*(b\n", "2:13: a definition or a file without a closing"),
      ("connection: &a\n  options: x\n", "2:12: expected lines 'KEY: VALUE'"),
      ("default:\n  value: 1\n", "1:1: a default without a name"),
      ("default:\n  names: 1\n", "2:3: 'names' in 'default': expected name, value or class"),
      ("delete_default:\n  name: speed\n", "1:1: 'delete_default' has no 'class'"),
      ("define: &a 1\nconnections: {}\n", "2:1: the old form, 'connection', and the new one"),
    ])
  func refused(_ file: String, _ message: String) {
    do {
      _ = try Ser2netImport(Array(file.utf8), logFormat: { _ in "raw" }) { _, _ in nil }
      Issue.record("it was accepted: \(file)")
    } catch {
      #expect("\(error)".hasPrefix(message), "\(error)")
    }
  }

  @Test("definitions of definitions do not become a text of any size")
  func bomb() {
    var file = "define: &a0 0123456789\n"
    for number in 1...60 { file += "define: &a\(number) '*(a\(number - 1))*(a\(number - 1))'\n" }
    do {
      _ = try Ser2netImport(Array(file.utf8), logFormat: { _ in "raw" }) { _, _ in nil }
      Issue.record("it was accepted")
    } catch {
      #expect(error.what == "the definitions add more than 1 MiB")
    }
    let long = String(repeating: "x", count: 100_000)
    let uses = String(repeating: "define: &b *a\n", count: 11)
    let bomb = Array("define: &a \(long)\n\(uses)".utf8)
    #expect((try? Ser2netImport(bomb, logFormat: { _ in "raw" }) { _, _ in nil }) == nil)
  }

  @Test("a comment is short, and text of a file cannot control the terminal")
  func harmless() throws {
    let long = String(repeating: "long ", count: 1000)
    let text = try converted(
      connection() + "  options:\n    banner: \"\\e[2J\\u202e\(long)\"\n    \"\\n[x]\": a\n"
    ).text
    #expect(
      text.unicodeScalars.allSatisfy {
        $0 == "\n" || ![.control, .format].contains($0.properties.generalCategory)
      }, "\(text)")
    #expect(text.split(separator: "\n").allSatisfy { $0.count < 500 })
    #expect(text.contains("…"))
  }

  @Test("a thousand connections of one name get different names in time")
  func names() throws {
    let one = "connection: &new\n  accepter: tcp,localhost,2000\n  connector: echo\n"
    let many = Array(String(repeating: one, count: 1000).utf8)
    let text = try Ser2netImport(many, logFormat: { _ in "raw" }) { _, _ in nil }
      .text
    #expect(text.contains("[profile.ser2net-new]\n# [new] in ser2net\n"))
    #expect(text.contains("[profile.ser2net-new-1000]\n"))
  }
}
