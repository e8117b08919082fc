/// A gensio of an accepter or connector, with its arguments: `telnet(rfc2217)`. See gensio(5).
///
/// ser2net stacks gensios: `telnet(rfc2217),ssl,tcp,localhost,2000`. The last one is followed by an
/// address, or by a device with its settings.
struct Ser2netGensio: Hashable {
  let name: String
  let arguments: [String]

  /// The names of gensio(5), which are no hosts.
  static let names: Set<String> = [
    "afskmdm", "ax25", "axfec", "certauth", "chardelay", "cm108gpio", "conacc", "convcode", "dev",
    "dummy", "echo", "file", "fsk", "hdlc", "ipmisol", "keepopen", "kiss", "mdns", "msgdelim",
    "mux", "perf", "pty", "ratelimit", "relpkt", "script", "sctp", "sdev", "serialdev", "soapy",
    "sound", "ssl", "stdio", "tcp", "telnet", "trace", "udp", "unix", "unixdgram", "unixseq", "xlt",
  ]

  /// Separates the first gensio of a text from the rest.
  ///
  /// - Returns: nil for a bracket without a closing one.
  static func first(of text: Substring) -> (gensio: Ser2netGensio, rest: Substring)? {
    let text = text.drop { $0.isWhitespace }
    let name = text.prefix { $0 != "," && $0 != "(" }
    var rest = text[name.endIndex...]
    var arguments: [String] = []
    if rest.first == "(" {
      guard let (words, end) = Self.words(rest.dropFirst()) else { return nil }
      arguments = words
      rest = end
    }
    if rest.first == "," { rest = rest.dropFirst() }
    let gensio = Ser2netGensio(name: String(name), arguments: arguments)
    return (gensio, rest.drop { $0.isWhitespace })
  }

  /// Splits a text at blanks and commas, outside quotes.
  static func words(of text: Substring) -> [String] {
    words(text, isInBrackets: false)?.words ?? []
  }

  /// Splits a text as gensio does: quotes and backslashes protect blanks and commas.
  private static func words(
    _ text: Substring, isInBrackets: Bool = true
  ) -> (words: [String], rest: Substring)? {
    var words: [String] = []
    var word: String?
    var quote: Character?
    var index = text.startIndex
    while index < text.endIndex {
      let character = text[index]
      index = text.index(after: index)
      if character == "\\", index < text.endIndex {
        word = (word ?? "") + String(text[index])
        index = text.index(after: index)
      } else if character == quote {
        quote = nil
      } else if quote == nil, character == "'" || character == "\"" {
        quote = character
        word = word ?? ""
      } else if quote == nil, isInBrackets, character == ")" {
        return (words + (word.map { [$0] } ?? []), text[index...])
      } else if quote == nil, character == "," || character.isWhitespace {
        if let word { words.append(word) }
        word = nil
      } else {
        word = (word ?? "") + String(character)
      }
    }
    guard !isInBrackets, quote == nil else { return nil }
    return (words + (word.map { [$0] } ?? []), text[index...])
  }

  /// The value of a boolean argument: `rfc2217`, `rfc2217=true`. Nil if it is absent.
  func flag(_ name: String) -> Bool? { arguments.compactMap { Self.flag($0, name) }.last }

  /// The value of a boolean in a word: `rtscts`, `rtscts=false`. Nil for another word.
  static func flag(_ word: String, _ name: String) -> Bool? {
    if word == name { return true }
    guard word.hasPrefix("\(name)=") else { return nil }
    return boolean(String(word.dropFirst(name.count + 1)))
  }

  static func boolean(_ text: String) -> Bool? {
    switch text.lowercased() {
    case "true", "1", "yes", "on": true
    case "false", "0", "no", "off": false
    default: nil
    }
  }
}

/// Where an accepter waits for clients, or a connector connects to: `localhost,2000`.
struct Ser2netAddress: Hashable {
  /// The host; nil for all addresses of this computer.
  let host: String?
  /// The port as text.
  let port: String

  /// Parses an address; nil if it is none.
  init?(_ text: Substring) {
    var parts = text.split(separator: ",", omittingEmptySubsequences: false)
      .map { String($0.filter { !$0.isWhitespace }) }
    var family = ""
    if let first = parts.first, ["ipv4", "ipv6", "ipv6n4"].contains(first) {
      family = first
      parts.removeFirst()
    }
    guard (1...2).contains(parts.count), let port = parts.last, !port.isEmpty,
      port.utf8.allSatisfy({ (0x30...0x39).contains($0) })
    else { return nil }
    self.port = port
    let host = parts.count == 2 ? parts[0] : ""
    self.host = host.isEmpty ? (family == "ipv4" ? "0.0.0.0" : nil) : host
  }

  /// The address in the form HOST:PORT.
  var text: String {
    guard let host else { return "[::]:\(port)" }
    return host.contains(":") ? "[\(host)]:\(port)" : "\(host):\(port)"
  }
}
