import Options

/// The help about what users want to do: first the question, then examples, one screen each.
extension HelpTopic {
  static var snippets: String {
    var help = HelpText()
    help.add("How do I send a text that I type often, with one key?")
    help.add(
      """
      EXAMPLE, in ~/.config/serialterm/config.toml
      \(indented(exampleSnippets))
      """)
    help.add(
      "IN A SESSION OF THIS DEVICE",
      [
        ("ctrl-t 1", "sends \"show version\" and Enter; the first nine have a digit"),
        ("ctrl-t z", "sends \"reboot\" and Enter"),
        ("ctrl-t 2", "sends ctrl-c alone"),
        ("ctrl-t :", "lists all commands: type a part of a snippet's name"),
      ], indentation: 12)
    help.add(
      paragraphs: """
        A text may have \\r \\n \\t \\e \\0 and \\xHH. [default.snippets] is for all devices. The command repeat \
        sends a text or a snippet at intervals: 1s snippet: version.
        """)
    help.add("More: man 5 serialterm-configuration")
    return help.text
  }

  /// A profile with snippets.
  static let exampleSnippets = #"""
    [profile.board]
    match = "usb:0403:6001"
    target = "usb:0403:6001"
    [profile.board.snippets]
    version = "show version"
    reboot = { text = "reboot", key = "z" }
    interrupt = { text = '\x03', line-ending = "none" }
    """#

  static var sharing: String {
    var help = HelpText()
    help.add("How can a colleague watch my session, and type?")
    help.add(
      example: """
        serialterm ttyUSB0                          # your session, as always
        serialterm attach                           # in another terminal: join it
        serialterm attach --list                    # the sessions, who is there
        ssh -t lab serialterm attach                # from another computer
        serialterm ttyUSB0 --listen 4000            # for programs of this computer
        serialterm ttyUSB0 --listen 0.0.0.0:4000 --allow 192.168.1.0/24
        serialterm rfc2217://lab:4000               # the colleague, on that network
        serialterm serve ttyUSB0 --listen 4000      # without a session of yours
        """)
    help.add(
      paragraphs: """
        All see what the device sends. The pen is the right to type: one member has it. ctrl-t w asks for the \
        pen or, if you have it, gives it away. What is typed without the pen goes nowhere.

        In a session, ctrl-t : has the commands share, which lets others connect, and who, which lists them. \
        A port of a network has no password: name the computers with --allow, or use ssh.
        """)
    help.add("More: serialterm help web, serialterm attach --help, serialterm serve --help")
    return help.text
  }

  static var logs: String {
    var help = HelpText()
    help.add("How do I keep what the device sends?")
    help.add(
      example: """
        serialterm ttyUSB0 --log boot.txt                  # lines, with their times
        serialterm ttyUSB0 --log '%t-%Y%m%d.txt' --log-rotate 10M --log-keep 5
        serialterm log ttyUSB0 board.txt --log-append      # unattended, until ctrl-c
        serialterm replay boot.jsonl                       # play a log again
        """)
    help.add(
      "FILE",
      [
        ("*.txt", "text: each line with its time, without colours and other escapes"),
        ("*.jsonl", "JSON: bytes, text and times, for programs and for replay"),
        ("*.pcapng", "for Wireshark"),
        ("*.csv", "the numbers in what is received, as a table"),
        ("others", "raw: the bytes as received"),
      ], indentation: 12)
    help.add(
      paragraphs: """
        In a session, ctrl-t f starts a log, and ends it. A file that exists is not replaced: --log-append \
        continues it. What you type is logged with --log-sent only, and then passwords are, too.
        """)
    help.add("More: serialterm log --help, serialterm replay --help")
    return help.text
  }

  static var web: String {
    var help = HelpText()
    help.add("How do I watch a session in a browser?")
    help.add(
      example: """
        serialterm ttyUSB0 --web 8080               # a page beside your session
        serialterm serve ttyUSB0 --web 8080         # without a session of yours
        serialterm-web 8080                         # a page for all your sessions
        ssh -L 8080:localhost:8080 lab              # then open lab's link here
        serialterm serve ttyUSB0 --web 0.0.0.0:8080 --allow 192.168.1.0/24
        """)
    help.add(
      paragraphs: """
        Open the link that is printed. It has a token: who has the link may watch, and type with the pen \
        ('serialterm help sharing').

        In a session, ctrl-t : has the commands share, which takes 8080,web, and stop-sharing.

        Without HOST, only browsers of this computer reach the page. On a network nothing is encrypted: ssh is \
        safer. The program serialterm-web is a package of its own.
        """)
    help.add("More: man 1 serialterm-web")
    return help.text
  }
}
