/// The options of a connection of ser2net that have no counterpart, or need none.
enum Ser2netOption {
  /// The reason why an option is not imported; nil for an unknown one.
  static func reason(_ name: String) -> String? { reasons[name] }

  /// What serialterm does in any case, if the option has this value; nil if that is not so.
  static func sameBehaviour(_ name: String, _ value: String) -> String? {
    switch name {
    case "timeout", "connback-timeout":
      return value.allSatisfy { $0 == "0" } ? "no time limit" : nil
    case "chardelay" where Ser2netGensio.boolean(value) == false:
      return "bytes are passed on at once"
    default: break
    }
    guard booleans.contains(name), Ser2netGensio.boolean(value) == false else { return nil }
    return "the same here"
  }

  private static let booleans: Set<String> = [
    "kickolduser", "telnet-brk-on-sync", "timeout-on-os-queue", "no-con-to-acc", "no-acc-to-con",
    "mdns",
    "mdns-sysattrs", "trace-hexdump", "trace-timestamp", "trace-read-hexdump",
    "trace-read-timestamp",
    "trace-write-hexdump", "trace-write-timestamp", "trace-both-hexdump", "trace-both-timestamp",
  ]

  private static let reasons: [String: String] = {
    var reasons = [
      "kickolduser":
        "nobody is disconnected for another: 'serialterm attach --force' takes the pen",
      "timeout": "a client may be silent for any time",
      "timeout-on-os-queue": "a client may be silent for any time",
      "banner": "clients get what the device sends, and nothing else",
      "signature": "the server says that it is serialterm",
      "openstr": "nothing is sent to the device by itself; see 'snippets', and 'serialterm run'",
      "closestr": "nothing is sent to the device by itself; see 'snippets', and 'serialterm run'",
      "closeon": "no text of the device disconnects clients",
      "telnet-brk-on-sync": "a telnet BREAK sends a break, the synch signal does not",
      "no-acc-to-con": "expected true or false",
      "no-con-to-acc": "clients always get what the device sends",
      "connback": "serve waits for clients, and connects to none",
      "connback-timeout": "serve waits for clients, and connects to none",
      "authdir": "there are no passwords; see ssh:// and --group",
      "authdir-admin": "there are no passwords; see ssh:// and --group",
      "pamauth": "there are no passwords; see ssh:// and --group",
      "pamauth-admin": "there are no passwords; see ssh:// and --group",
      "allowed-users": "there are no passwords; see ssh:// and --group",
      "accepter-retry-time": "a service manager starts serve again",
      "connector-retry-time": "a missing device is awaited, and opened at once",
      "led-tx": "no LED shows what is sent and received",
      "led-rx": "no LED shows what is sent and received",
      "led-conn": "no LED shows what is sent and received",
      "net-to-dev-bufsize": "the buffer adapts itself",
      "dev-to-net-bufsize": "the buffer adapts itself",
      "sendon": "bytes are passed on at once",
    ]
    for name in ["chardelay", "chardelay-scale", "chardelay-min", "chardelay-max"] {
      reasons[name] = "bytes are passed on at once"
    }
    for name in [
      "mdns", "mdns-interface", "mdns-nettype", "mdns-name", "mdns-type", "mdns-domain",
      "mdns-host",
      "mdns-txt", "mdns-sysattrs",
    ] {
      reasons[name] = "the port is not announced in the network"
    }
    for name in ["read", "write", "both"] {
      reasons["trace-\(name)"] = "it names no file"
      for what in ["hexdump", "timestamp"] {
        reasons["trace-\(name)-\(what)"] = "there is no trace-\(name)"
      }
    }
    for what in ["hexdump", "timestamp"] { reasons["trace-\(what)"] = "there is no trace" }
    return reasons
  }()
}
