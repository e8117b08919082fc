import FoundationEssentials

/// A message of a page: one for the server, or a command for the session. Which commands are for
/// pages, the session's program decides.
enum BrowserCommand: Equatable {
  case hello(token: String, name: String)
  case join(session: String)
  /// A file follows in binary messages.
  case upload(Upload.Request)
  /// A command for the session, as a line of JSON.
  case forward(line: String)
  /// The user has another name from now on. The session gets it too, as this line.
  case rename(to: String, line: String)

  /// The length of the longest message in bytes.
  static let limit = 16_384

  /// Parses a message.
  ///
  /// - Throws: ``Refusal``.
  init(_ text: some Collection<UInt8>) throws(Refusal) {
    guard text.count <= Self.limit else {
      throw Refusal(id: nil, reason: "a message has at most \(Self.limit) bytes")
    }
    guard let members = try? JSONDecoder().decode([String: Scalar].self, from: Data(text)) else {
      throw Refusal(id: nil, reason: "not a JSON object of texts and numbers")
    }
    let id = members["id"]
    guard case .text(let name)? = members["command"] else {
      throw Refusal(id: id, reason: "a message needs a command")
    }
    switch name {
    case "hello":
      self = .hello(token: members["token"]?.text ?? "", name: members["name"]?.text ?? "")
    case "join":
      guard let session = members["session"]?.text else {
        throw Refusal(id: id, reason: "join needs a session")
      }
      self = .join(session: session)
    case "upload":
      guard let id, id != .null, let name = members["name"]?.text,
        let size = members["size"]?.number, (0...Upload.largest).contains(size)
      else {
        throw Refusal(
          id: id,
          reason: "upload needs an id, a name, and a size of at most \(Upload.largest) bytes")
      }
      self = .upload(
        Upload.Request(
          id: id, name: name, size: size, protocolName: members["protocol"]?.text ?? "raw"))
    case "name":
      guard let text = members["argument"]?.text else {
        throw Refusal(id: id, reason: "name needs an argument")
      }
      let own = Browser.memberName(text)
      self = .rename(
        to: own, line: Self.line(of: members.merging(["argument": .text(own)]) { $1 }))
    case "watch", "send-file":
      // The server gives them itself: what pages get, and the file of an upload.
      throw Refusal(id: id, reason: "'\(name)' is not for pages")
    default:
      // Written anew: a member that occurs twice, or a line end between members, would be read
      // differently elsewhere.
      self = .forward(line: Self.line(of: members))
    }
  }

  /// A JSON object as one line.
  static func line(of members: [String: Scalar]) -> String {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    let data = (try? encoder.encode(members)) ?? Data("{}".utf8)
    return String(decoding: data, as: UTF8.self)
  }

  /// A value of a JSON object: all that messages of pages consist of.
  enum Scalar: Codable, Hashable, Sendable {
    case text(String)
    case number(Int)
    case fraction(Double)
    case flag(Bool)
    case null

    var text: String? { if case .text(let text) = self { text } else { nil } }
    var number: Int? { if case .number(let number) = self { number } else { nil } }

    init(from decoder: any Decoder) throws {
      let value = try decoder.singleValueContainer()
      if value.decodeNil() {
        self = .null
      } else if let flag = try? value.decode(Bool.self) {
        self = .flag(flag)
      } else if let number = try? value.decode(Int.self) {
        self = .number(number)
      } else if let fraction = try? value.decode(Double.self) {
        self = .fraction(fraction)
      } else {
        self = .text(try value.decode(String.self))
      }
    }

    func encode(to encoder: any Encoder) throws {
      var value = encoder.singleValueContainer()
      switch self {
      case .text(let text): try value.encode(text)
      case .number(let number): try value.encode(number)
      case .fraction(let fraction): try value.encode(fraction)
      case .flag(let flag): try value.encode(flag)
      case .null: try value.encodeNil()
      }
    }
  }

  /// A message that is not passed on.
  struct Refusal: Error, Equatable {
    let id: Scalar?
    let reason: String

    /// The answer for the page.
    var line: String {
      BrowserCommand.line(of: [
        "event": .text("failed"), "id": id ?? .null, "reason": .text(reason),
      ])
    }
  }
}
