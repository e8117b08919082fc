/// Where a heading or a key with its value is in a document.
struct TOMLStatement: Hashable {
  /// The path of the heading, or of the one that the key is below; empty for none.
  let heading: [String]
  /// The parts of the key; empty for a heading.
  let key: [String]
  /// The line, counted from 1.
  let line: Int
  /// The bytes from the key, or the bracket, to the end of the value, or the bracket.
  let range: Range<Int>
  /// The bytes of the value; empty for a heading.
  let value: Range<Int>
  /// Whether it is the heading of an element of an array of tables, `[[a]]`.
  let isElement: Bool

  var isHeading: Bool { key.isEmpty }
  /// The keys on the way to the value, or to the table.
  var path: [String] { heading + key }
}
