/// Who writes bytes to a session: a kind and a name. Every byte in a session's queue has an author.
///
/// Two authors are equal if their kinds and names are.
public struct Author: Sendable {
  /// A kind of author; a program may add kinds.
  public struct Kind: Hashable, Sendable {
    /// The name of the kind: `file`.
    public let name: String

    /// Creates a kind.
    public init(_ name: String) { self.name = name }

    /// A user who types.
    public static let keyboard = Kind("keyboard")
    /// Standard input that is not a terminal.
    public static let pipe = Kind("pipe")
    /// A file that is sent.
    public static let file = Kind("file")
    /// A script.
    public static let script = Kind("script")
    /// A program.
    public static let program = Kind("program")
  }

  /// One reference, so that copying an author with each event costs little.
  private final class Identity: Sendable {
    let kind: Kind
    let name: String

    init(_ kind: Kind, _ name: String) { (self.kind, self.name) = (kind, name) }
  }

  private let identity: Identity

  /// Creates an author.
  public init(_ kind: Kind, _ name: String) { identity = Identity(kind, name) }

  /// The kind.
  public var kind: Kind { identity.kind }
  /// The name within the kind: of a file, without its folder.
  public var name: String { identity.name }

  /// A user who types.
  public static let keyboard = Author(.keyboard, "keyboard")
  /// Standard input that is not a terminal.
  public static let pipe = Author(.pipe, "standard input")
  /// A script.
  public static let script = Author(.script, "script")
  /// The program that has the session.
  public static let program = Author(.program, "program")
  /// A file that is sent.
  public static func file(_ name: String) -> Author { Author(.file, name) }
  /// Nobody who wrote to the session: what the driver held before the port was opened.
  public static let unknown = Author(Kind("unknown"), "unknown")
}

extension Author: Hashable {
  /// Whether the kinds and the names are equal.
  public static func == (one: Author, other: Author) -> Bool {
    one.identity === other.identity || (one.kind == other.kind && one.name == other.name)
  }

  /// Hashes the kind and the name.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(kind)
    hasher.combine(name)
  }
}

extension Author: CustomStringConvertible {
  /// The name.
  public var description: String { name }
}
