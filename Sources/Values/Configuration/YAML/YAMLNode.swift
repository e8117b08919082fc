/// A node of a YAML document.
public struct YAMLNode: Hashable, Sendable {
  public let content: Content
  /// The name of the anchor before the node; nil without one.
  public let anchor: String?
  public let place: YAMLPlace

  public enum Content: Hashable, Sendable {
    /// A text, in quotes or without. An absent value is an empty text.
    case scalar(String)
    case sequence([YAMLNode])
    /// The pairs in the order of the file. Keys may be repeated.
    case mapping([YAMLPair])
    /// The name of an anchor. It is not replaced by its node: a few lines of aliases to aliases
    /// would otherwise become a document of any size.
    case alias(String)
  }

  init(_ content: Content, anchor: String?, at place: YAMLPlace) {
    (self.content, self.anchor, self.place) = (content, anchor, place)
  }
}

/// A key of a mapping and its value.
public struct YAMLPair: Hashable, Sendable {
  public let key: String
  public let value: YAMLNode
  /// The place of the key.
  public let place: YAMLPlace
}

/// A place in a document.
public struct YAMLPlace: Hashable, Sendable {
  /// The line, counted from 1.
  public let line: Int
  /// The character in the line, counted from 1.
  public let column: Int
}

/// An error in a document, with its place.
public struct YAMLError: Error, Hashable, Sendable, CustomStringConvertible {
  public let place: YAMLPlace
  /// A description of the error.
  public let what: String

  init(at place: YAMLPlace, _ what: String) { (self.place, self.what) = (place, what) }

  /// The place and the error: `12:5: message`.
  public var description: String { "\(place.line):\(place.column): \(what)" }
}
