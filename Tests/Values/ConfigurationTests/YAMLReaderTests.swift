import Testing

@testable import Configuration

@Suite("Reading YAML", .timeLimit(.minutes(30)))
struct YAMLReaderTests {
  /// Files, each followed by its nodes. `<x>` is a character as a hexadecimal number.
  private static let files = #"""
    connection: &con00
      accepter: tcp,2012
      connector: serialdev,/dev/ttyS0,9600n81,local
    => { "connection" &con00 { "accepter" "tcp,2012" "connector" "serialdev,/dev/ttyS0,9600n81,local" } }
    # A comment
    %YAML 1.1
    ---
    define: &banner \r\nport \p device \d [\B] (Debian GNU/Linux)\r\n\r\n

    connection: &con0096
        accepter: tcp,localhost,2000
        enable: on
        options:
          banner: *banner
          kickolduser: true
        connector: serialdev,
                  /dev/ttyS0,
                  9600n81,local
    => { "define" &banner "<5c>r<5c>nport <5c>p device <5c>d [<5c>B] (Debian GNU/Linux)<5c>r<5c>n<5c>r<5c>n" "connection" &con0096 { "accepter" "tcp,localhost,2000" "enable" "on" "options" { "banner" *banner "kickolduser" "true" } "connector" "serialdev, /dev/ttyS0, 9600n81,local" } }
    connection: &toS0telnet
           accepter: telnet(rfc2217),tcp,1234
           connector: serialdev,/dev/ttyS0,local
    connection: &tomyhost
           accepter: telnet,sctp,::1,1234
           connector: telnet,ssl,tcp,myhost.domain.org,1234
    => { "connection" &toS0telnet { "accepter" "telnet(rfc2217),tcp,1234" "connector" "serialdev,/dev/ttyS0,local" } "connection" &tomyhost { "accepter" "telnet,sctp,::1,1234" "connector" "telnet,ssl,tcp,myhost.domain.org,1234" } }
    connection: &authsol
           accepter: telnet(rfc2217),mux,certauth,ssl,sctp,1234
           connector: ipmisol,lan -U ipmiusr -P test -p 9001
                         ipmiserver.domain.org,9600
           options:
                  banner: My banner
    => { "connection" &authsol { "accepter" "telnet(rfc2217),mux,certauth,ssl,sctp,1234" "connector" "ipmisol,lan -U ipmiusr -P test -p 9001 ipmiserver.domain.org,9600" "options" { "banner" "My banner" } } }
    rotator: &rot1
      accepter: telnet,tcp,192.168.27.3,2020
      connections: [
        *con1,
        *con2
      ]
    => { "rotator" &rot1 { "accepter" "telnet,tcp,192.168.27.3,2020" "connections" [ *con1 *con2 ] } }
    define: &serbase "/dev/serial/by-path/pci-0000:00:1d.0"
    define: &serUSB0 "*(serbase)-usb-0:1.8.2.4:1.0"
    connection: &con1
      connector: serialdev,*(serUSB0)-port0
    => { "define" &serbase "/dev/serial/by-path/pci-0000:00:1d.0" "define" &serUSB0 "*(serbase)-usb-0:1.8.2.4:1.0" "connection" &con1 { "connector" "serialdev,*(serUSB0)-port0" } }
    connection: &con6
      accepter: tcp,2007
      options:
        openstr: 'Hello\x20there'
        closestr: 'Goodbye\nnow'
        banner: '''a Special Banner \d'''
        closeon: 'ctrl-a\001nil\000'
    => { "connection" &con6 { "accepter" "tcp,2007" "options" { "openstr" "Hello<5c>x20there" "closestr" "Goodbye<5c>nnow" "banner" "'a Special Banner <5c>d'" "closeon" "ctrl-a<5c>001nil<5c>000" } } }
    connection: &con7
      options:
        sendon: ""
        trace-read: <trace read file>
        banner:
        signature:
        mdns-txt: "server=ser2net"
        mdns-txt: "type=echo"
        mdns-domain: <NULL>
    => { "connection" &con7 { "options" { "sendon" "" "trace-read" "<trace read file>" "banner" "" "signature" "" "mdns-txt" "server=ser2net" "mdns-txt" "type=echo" "mdns-domain" "<NULL>" } } }
    led: &led1
      driver: sysfs
      options:
        device: "tpacpi::standby"
    default:
      name: speed
      value: 115200n81
    delete_default:
      name: speed,
      class: serialdev
    => { "led" &led1 { "driver" "sysfs" "options" { "device" "tpacpi::standby" } } "default" { "name" "speed" "value" "115200n81" } "delete_default" { "name" "speed," "class" "serialdev" } }
    connector: "serialdev,/dev/ttyUSB0,9600n81  local"
    connector: serialdev,/dev/ttyUSB0,
           9600n81
           local nobreak
           rtscts
    => { "connector" "serialdev,/dev/ttyUSB0,9600n81  local" "connector" "serialdev,/dev/ttyUSB0, 9600n81 local nobreak rtscts" }
    connections:
      con0: {accepter: "tcp,2000", connector: 'serialdev,/dev/ttyS0', options: {banner: a b, mdns: true}}
      con1:
        accepter: tcp,2001 # after a text
    delete_defaults:
      speed: [serialdev, ipmisol]
    => { "connections" { "con0" { "accepter" "tcp,2000" "connector" "serialdev,/dev/ttyS0" "options" { "banner" "a b" "mdns" "true" } } "con1" { "accepter" "tcp,2001" } } "delete_defaults" { "speed" [ "serialdev" "ipmisol" ] } }
    a: plain text
      over lines

      and a paragraph
    b: "folded
       here \
       there

       x\tA\x41\u00e9\U0001F600\N\_\L\P\e\0\\\/\" "
    c: 'one

      two  '
    => { "a" "plain text over lines<a>and a paragraph" "b" "folded here there<a>x<9>AA<e9><1f600><85><a0><2028><2029><1b><0><5c>/<22> " "c" "one<a>two  " }
    - a
    - - b
      - c
    -
      - d
    - k: v
      l:
      - m
      - n: o
        p: q
    -
    - ""
    => [ "a" [ "b" "c" ] [ "d" ] { "k" "v" "l" [ "m" { "n" "o" "p" "q" } ] } "" "" ]
    key:
    - a
    - b
    other: z
    "quoted key": 1
    'it''s': 2
    k with blanks : 3
    empty:
    => { "key" [ "a" "b" ] "other" "z" "quoted key" "1" "it's" "2" "k with blanks" "3" "empty" "" }
    --- # first
    a: b
    ...
    ---
    - c
    ---
    'd'
    => { "a" "b" } --- [ "c" ] --- "d"
    [a, [b, c], {d: e, f}, "g", 'h', ]
    => [ "a" [ "b" "c" ] { "d" "e" "f" "" } "g" "h" ]
    {a: [1,
      2], b : x # comment
      , "c":d, e: {},
    f: []}
    => { "a" [ "1" "2" ] "b" "x" "c" "d" "e" { } "f" [ ] }
    x: &one text
    y: [&two a, *one, &three]
    z: &list
      - *one
    w: &map
      k: *two
    => { "x" &one "text" "y" [ &two "a" *one &three "" ] "z" &list [ *one ] "w" &map { "k" *two } }
    url: http://host:80/x#y
    time: 12:30
    neg: -1
    dash: -a - b
    question: ?x
    colon: :x
    tab:	after	tabs	
    => { "url" "http://host:80/x#y" "time" "12:30" "neg" "-1" "dash" "-a - b" "question" "?x" "colon" ":x" "tab" "after<9>tabs" }
      indented: 1
      same: 2
    => { "indented" "1" "same" "2" }
    ключ: значение
    é: "ü"
    => { "<43a><43b><44e><447>" "<437><43d><430><447><435><43d><438><435>" "<e9>" "<fc>" }
    # nothing
    => 
    a:
      b:
        c: d
      e: f
    g: h
    => { "a" { "b" { "c" "d" } "e" "f" } "g" "h" }
    text alone
      of two lines
    => "text alone of two lines"
    "a quoted
    text alone"
    => "a quoted text alone"
    a: [b: c]
    => { "a" [ { "b" "c" } ] }
    a: |
      b
    => { "a" "b<a>" }
    a: >
      b
    => { "a" "b<a>" }
    a: !!str b
    => { "a" "b" }
    ? a
    : b
    => { "a" "b" }
    &x a: b
    => { "a" "b" }
    %TAG ! x
    ---
    a: b
    => { "a" "b" }
    --- a
    => "a"
    [a?b]
    => [ "a?b" ]
    a: b #c
    d: "e"#f
    => { "a" "b" "d" "e" }
    """#

  /// Files, each followed by the error.
  private static let mistakes = #"""
    a: b: c
    => 1:5: a key must begin a line; a text with a colon needs quotes
    a: "b" c
    => 1:8: expected the end of the line, or a key in column 1 as in line 1
    a: [b, c
    => 1:4: the bracket has no closing one
    a: [
    => 2:1: the file ends within a bracket
    a: {b: c]
    => 1:9: expected ',' or '}', for the bracket in line 1
    a: [b,, c]
    => 1:7: unexpected ',': a text that begins with it needs quotes
    a: "b
    c: d
    => 1:4: the text has no closing quote
    a: 'b
    ---
    c: d'
    => 2:1: the text has no closing quote before this line
    a:
      b: c
     d: e
    => 3:2: expected the end of the line, or a key in column 1 as in line 1
    a: b
      c: d
    => 2:4: a key must begin a line; a text with a colon needs quotes
    a: b
    c
    => 2:1: expected a key of one line, with a colon
    - a
    b: c
    => 2:1: expected '- ' in column 1 as in line 1
    	a: b
    => 1:1: a tab cannot indent a line: write blanks
    a:
    	b: c
    => 2:1: a tab cannot indent a line: write blanks
    a: b
    	
      c
    => 2:1: a tab cannot indent a line: write blanks
    a: [b
    	]
    => 2:1: a tab cannot indent a line: write blanks
    a: - b
    => 1:4: a list begins on a line of its own
    a: "\q"
    => 1:5: unknown escape sequence; for a backslash write \\, or use single quotes
    a: "\x4"
    => 1:7: expected a hexadecimal digit of an escape sequence
    a: "\ud800"
    => 1:7: found invalid Unicode character escape code
    a: &x &y b
    => 1:7: expected the end of the line, or a key in column 1 as in line 1
    a: &x *y
    => 1:7: expected the end of the line, or a key in column 1 as in line 1
    *x : b
    => 1:1: expected a text as the key
    a: *
    => 1:4: a name after '&' or '*' has letters, digits, '-' and '_', then a blank
    a: &b! c
    => 1:4: a name after '&' or '*' has letters, digits, '-' and '_', then a blank
    a: @b
    => 1:4: unexpected '@': a text that begins with it needs quotes
    a: %b
    => 1:4: unexpected '%': a text that begins with it needs quotes
    %YAML 1.1
    a: b
    => 2:1: expected '---' before a document
    a: b
    ... c
    => 2:5: expected '---' before a document
    ...
    => 1:1: unexpected '.': a text that begins with it needs quotes
    a: b
    ---
    c: d
    ---
    	e: f
    => 5:1: a tab cannot indent a line: write blanks
    [a]: b
    => 1:1: expected a text as the key
    {[a]: b}
    => 1:2: expected a text as the key
    {a
    : b}
    => 2:1: expected ',' or '}', for the bracket in line 1
    [a:,b]
    => 1:3: a key must begin a line; a text with a colon needs quotes
    [:a]
    => 1:2: unexpected ':': a text that begins with it needs quotes
    é: ]
    => 1:4: unexpected ']': a text that begins with it needs quotes
    a: ,b
    => 1:4: unexpected ',': a text that begins with it needs quotes
    a: [b
    c: d
    => 2:2: expected ',' or ']', for the bracket in line 1
    a: |x
      b
    => 1:5: did not find expected comment or line break
    a: "\U00110000"
    => 1:7: found invalid Unicode character escape code
    %FOO
    ---
    a: b
    => 1:5: found unknown directive name
    """#

  /// The files of a table, and the lines after `=> `.
  private static func rows(_ table: String) -> [(file: String, becomes: String)] {
    var rows: [(file: String, becomes: String)] = []
    var file = ""
    for line in table.split(separator: "\n", omittingEmptySubsequences: false) {
      if line.hasPrefix("=> ") {
        rows.append((file, String(line.dropFirst(3))))
        file = ""
      } else {
        file += "\(line)\n"
      }
    }
    return rows
  }

  private static let readRows: [(file: String, becomes: String)] = rows(files)
  private static let mistakeRows: [(file: String, becomes: String)] = rows(mistakes)

  private func result(_ file: String) -> String {
    do {
      return try YAMLReader.documents(in: Array(file.utf8)).map(text).joined(separator: " --- ")
    } catch {
      return "\(error)"
    }
  }

  private func text(_ node: YAMLNode) -> String {
    let anchor = node.anchor.map { "&\($0) " } ?? ""
    switch node.content {
    case .scalar(let text): return anchor + quoted(text)
    case .alias(let name): return "*\(name)"
    case .sequence(let items): return anchor + "[" + items.map { " " + text($0) }.joined() + " ]"
    case .mapping(let pairs):
      return anchor + "{" + pairs.map { " \(quoted($0.key)) \(text($0.value))" }.joined() + " }"
    }
  }

  private func quoted(_ text: String) -> String {
    let shown = text.unicodeScalars.map { scalar in
      (0x20...0x7E).contains(scalar.value) && scalar != "\"" && scalar != "\\"
        ? String(scalar) : "<\(String(scalar.value, radix: 16))>"
    }
    return "\"\(shown.joined())\""
  }

  @Test("a file becomes nodes", arguments: readRows.indices)
  func trees(_ index: Int) {
    let row = Self.readRows[index]
    #expect(result(row.file) == row.becomes, "\(row.file)")
    // Windows' ends of lines, and a byte order mark, change nothing.
    let other =
      "\u{FEFF}"
      + row.file.split(separator: "\n", omittingEmptySubsequences: false)
      .joined(separator: "\r\n")
    #expect(result(other) == row.becomes, "\(row.file)")
  }

  @Test(
    "a mistake has its line and column", arguments: mistakeRows.indices)
  func refusals(_ index: Int) {
    let row = Self.mistakeRows[index]
    #expect(result(row.file) == row.becomes, "\(row.file)")
  }

  @Test("characters that are not text are refused, besides those that end a line in YAML 1.1")
  func characters() {
    #expect(result("a: \u{1}\n") == "1:1: unexpected control character: not a text file")
    #expect(result("a: b\nc: \u{85}\n") == #"{ "a" "b" "c" "" }"#)
    for before in ["a: b\u{85}c: ", "\u{FEFF}a: b\r\nc: "] {
      #expect(
        result("\(before)@x\n") == "2:4: unexpected '@': a text that begins with it needs quotes")
    }
    // The ends of lines of YAML 1.1, besides a CR alone, which is not text.
    for end in ["\n", "\r\n", "\u{85}", "\u{2028}", "\u{2029}"] {
      for before in ["a: é\(end)c: ", "\u{FEFF}a: é\(end)c: "] {
        #expect(result("\(before)@\n").hasPrefix("2:4: unexpected '@'"))
        for character in ["\u{9B}", "\u{FFFE}"] {
          #expect(
            result("\(before)\(character)\n").hasPrefix("2:4: a character that is not text"))
        }
      }
    }
    do {
      _ = try YAMLReader.documents(in: [0x61, 0x0A, 0xFF])
      Issue.record("it is not UTF-8")
    } catch {
      #expect("\(error)" == "2:1: not UTF-8")
    }
  }

  @Test("the nesting, the keys and the file have limits")
  func limits() {
    for (level, isRead) in [(63, true), (64, false)] {
      let lists = String(repeating: "[", count: level) + String(repeating: "]", count: level)
      let items = String(repeating: "- ", count: level) + "a"
      for file in [lists, items, "\(items)\n"] {
        #expect(result(file).contains("nested deeper than 64 levels") == !isRead, "\(level)")
      }
    }
    let key = String(repeating: "k", count: 1024)
    #expect(result("\(key): v") == "{ \"\(key)\" \"v\" }")
    #expect(result("\(key)k: v").hasPrefix("1:1026: a key must begin a line"))
    let large = [UInt8](repeating: 0x23, count: YAMLReader.largestFile)
    #expect((try? YAMLReader.documents(in: large)) == [])
    #expect((try? YAMLReader.documents(in: large + [0x23])) == nil)
  }

  @Test("aliases of aliases stay what they are")
  func aliases() throws {
    var file = "a0: &a0 [x]\n"
    for number in 1...60 { file += "a\(number): &a\(number) [*a\(number - 1), *a\(number - 1)]\n" }
    let documents = try YAMLReader.documents(in: Array(file.utf8))
    guard case .mapping(let pairs) = documents[0].content else {
      Issue.record("a mapping")
      return
    }
    #expect(pairs.count == 61)
    #expect(text(pairs[60].value) == "&a60 [ *a59 *a59 ]")
  }

  @Test("a node knows its place")
  func places() throws {
    let node = try YAMLReader.documents(in: Array("# é\nб: é\n\nkey:\n  - &x y\n".utf8))[0]
    guard case .mapping(let pairs) = node.content,
      case .sequence(let items) = pairs[1].value.content
    else {
      Issue.record("a mapping with a list")
      return
    }
    #expect(pairs.map(\.place) == [YAMLPlace(line: 2, column: 1), YAMLPlace(line: 4, column: 1)])
    #expect(pairs[0].value.place == YAMLPlace(line: 2, column: 4))
    #expect(items[0].place == YAMLPlace(line: 5, column: 5))
  }
}
