"""One way of being told: no closure of a class can be replaced from outside (docs/observing.md)."""

import re
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
# A type or an extension, and its kind.
TYPE = re.compile(
    r"^(\s*)(?:@\S+ )*(?:(?:public|package|internal|fileprivate|private|final|indirect) )*"
    r"(class|struct|enum|protocol|extension|actor) ")
# A property whose type is a closure, or an optional one.
CLOSURE = re.compile(
    r"^(\s*)(?:@\S+ )*((?:(?:public|package|internal|fileprivate|private|unowned|weak|private\(set\)|static) )*)"
    r"var (\w+): \(.*\) (?:async )?(?:throws(?:\(\w+\))? )?-> ")


def slots(text):
    """The mutable closures of classes and protocols in a source file that others can set: their lines and names."""
    found, types = [], []
    for number, line in enumerate(text.splitlines(), 1):
        indent = len(line) - len(line.lstrip())
        if line.strip():
            types = [(at, kind) for at, kind in types if at < indent]
        if kind := TYPE.match(line):
            types.append((indent, kind[2]))
            continue
        closure = CLOSURE.match(line)
        # A computed property has a body; one that only gives is no slot.
        is_computed = line.rstrip().endswith(("{", "}")) and "= {" not in line and "set" not in line
        if (closure and types and types[-1][1] in ("class", "protocol", "actor") and not is_computed
                and not re.search(r"\b(?:fileprivate|private)\b", closure[2])):
            found.append((number, closure[3]))
    return found


class ToldTests(unittest.TestCase):
    def test_no_class_has_a_closure_that_others_set(self):
        for path in sorted((REPOSITORY / "Sources").rglob("*.swift")):
            with self.subTest(path.relative_to(REPOSITORY)):
                self.assertEqual(slots(path.read_text()), [])

    def test_nothing_is_called_like_such_a_closure(self):
        for path in sorted((REPOSITORY / "Sources").rglob("*.swift")):
            with self.subTest(path.relative_to(REPOSITORY)):
                self.assertEqual(re.findall(r"\bvar (on[A-Z]\w*): .*->", path.read_text()), [])

    def test_such_closures_are_found(self):
        self.assertEqual(slots(
            "final class Pump {\n"
            "  var onEnd: (Int) -> Void = { _ in }\n"
            "  package var ask: ((Int) throws -> Bool)?\n"
            "  let limit: (Int) -> Bool\n"
            "  private var answers: [(Int) -> Void] = []\n"
            "  private var then: (Int) -> Void = { _ in }\n"
            "  var shown: (Int) -> Bool { { $0 > 0 } }\n"
            "  func run() {\n"
            "    let x = 1\n"
            "  }\n"
            "}\n"
            "struct Table {\n"
            "  var convert: (Int) -> Int\n"
            "}\n"), [(2, "onEnd"), (3, "ask")])


if __name__ == "__main__":
    unittest.main()
