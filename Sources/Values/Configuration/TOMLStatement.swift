/// The position of a heading, or of a key with its value, in a document.
struct TOMLStatement: Hashable {
  /// The path of the heading, or of the heading above the key; empty for none.
  let heading: [String]
  /// The parts of the key; empty for a heading.
  let key: [String]
  /// The line, counted from 1.
  let line: Int
  /// The bytes from the key to the end of the value, or from bracket to bracket.
  let range: Range<Int>
  /// The bytes of the value; empty for a heading.
  let value: Range<Int>
  /// Whether it is the heading of an element in an array of tables, `[[a]]`.
  let isElement: Bool

  var isHeading: Bool { key.isEmpty }
  /// The keys that lead to the value or the table.
  var path: [String] { heading + key }
}
