import Testing

@testable import Configuration

@Suite("Tables", .timeLimit(.minutes(30)))
struct TableTreeTests {
  @Test(
    "the forms of a table mean the same",
    arguments: [
      "[a.b]\nc = 1\nd = 2", "a.b.c = 1\na.b.d = 2", "a = {b = {c = 1, d = 2}}",
      "a.b = {c = 1, d = 2}", "[a]\nb.c = 1\nb.d = 2", "[a]\nb = {c = 1, d = 2}",
      "a = {b.c = 1, b.d = 2}", "[ a . 'b' ]\n\"c\" = 1\nd = 2", "[a]\n[a.b]\nc = 1\nd = 2",
      "[a.b]\nc = 1\nd = 2\n[a]",
    ])
  func forms(_ text: String) throws {
    #expect(try entries(text).map(\.text) == ["a = {b = {c = 1, d = 2}}"])
  }

  @Test(
    "tables may be extended where TOML allows it",
    arguments: [
      // A table that was only on the path to another one is defined later.
      ("[a.b.c]\nd = 1\n[a]\ne = 2", "a = {b = {c = {d = 1}}, e = 2}"),
      ("[a.b.c]\n[a]\nb.x = 1", "a = {b = {c = {}, x = 1}}"),
      // Headings add tables to those of dotted keys.
      ("[a]\nb.c = 1\n[a.b.d]\ne = 2", "a = {b = {c = 1, d = {e = 2}}}"),
      ("[a]\nb.c = 1\n[[a.b.d]]", "a = {b = {c = 1, d = [{}]}}"),
      ("a.b = 1\nc = 2\na.d = 3", "a = {b = 1, d = 3}, c = 2"),
      // Arrays of tables: a heading belongs to the last element.
      ("[[a]]\nb = 1\n[[a]]\nb = 2", "a = [{b = 1}, {b = 2}]"),
      ("[[a]]\n[a.b]\nc = 1\n[[a]]\n[a.b]\nc = 2", "a = [{b = {c = 1}}, {b = {c = 2}}]"),
      ("[[a]]\n[[a.b]]\n[[a.b]]\n[[a]]\n[[a.b]]", "a = [{b = [{}, {}]}, {b = [{}]}]"),
      ("[[a.b]]\n[a]\nc = 1", "a = {b = [{}], c = 1}"),
    ])
  func extends(_ text: String, _ expected: String) throws {
    #expect(try entries(text).map(\.text).joined(separator: ", ") == expected)
  }

  @Test(
    "nothing is defined twice",
    arguments: [
      ("a = 1\na = 2", "2: duplicate key 'a': see line 1"),
      ("a = 1\n'a' = 2", "2: duplicate key 'a': see line 1"),
      ("a.b = 1\na.b = 2", "2: duplicate key 'a.b': see line 1"),
      ("a.b = 1\na = 2", "2: duplicate key 'a': see line 1"),
      ("[a]\nb = 1\n[a]\nc = 2", "3: duplicate table [a]: see line 1"),
      ("[a.b]\n[a]\n[a]", "3: duplicate table [a]: see line 2"),
      ("[a.b.c]\n[a]\nb.x = 1\n[a.b]", "4: duplicate table [a.b]: see line 3"),
      ("[a]\nb.c = 1\n[a.b]", "3: duplicate table [a.b]: see line 2"),
      ("[a]\nb.c.d = 1\n[a.b.c]", "3: duplicate table [a.b.c]: see line 2"),
      ("a = {}\n[a]", "2: duplicate table [a]: see line 1"),
      ("[a]\nb = 1\n[a.b]", "3: duplicate table [a.b]: see line 2"),
      ("[a.b]\n[a]\nb = 1", "3: duplicate key 'b': see line 1"),
      ("[[a]]\n[a]", "2: 'a' is an array of tables (line 1): write [[a]]"),
      ("[a]\n[[a]]", "2: 'a' is a table (line 1), not an array of tables"),
      ("[a.b]\n[[a]]", "2: 'a' is a table (line 1), not an array of tables"),
      ("a = []\n[[a]]", "2: 'a' is an array (line 1), not an array of tables"),
      ("a = [{}]\n[[a]]", "2: 'a' is an array (line 1), not an array of tables"),
      ("a = 1\n[a.b]", "2: 'a' is a whole number (line 1), to which a table cannot be added"),
      ("a = {}\n[a.b]", "2: 'a' is an inline table (line 1), to which a table cannot be added"),
      ("a = [{}]\n[a.b]", "2: 'a' is an array (line 1), to which a table cannot be added"),
      ("a = {}\na.b = 1", "2: 'a' is an inline table (line 1), to which a dotted key cannot add"),
      (
        "a = {b = {}}\na.b.c = 1",
        "2: 'a' is an inline table (line 1), to which a dotted key cannot add"
      ),
      ("a = 1\na.b = 1", "2: 'a' is a whole number (line 1), to which a dotted key cannot add"),
      ("[a.b]\n[a]\nb.c = 1", "3: 'b' is a table (line 1), to which a dotted key cannot add"),
      ("[a.b.c]\n[a]\nb.c.d = 1", "3: 'b.c' is a table (line 1), to which a dotted key cannot add"),
      (
        "[[a.b]]\n[a]\nb.c = 1",
        "3: 'b' is an array of tables (line 1), to which a dotted key cannot add"
      ),
    ])
  func refuses(_ text: String, _ expected: String) {
    #expect(error(text) == expected)
  }
}
