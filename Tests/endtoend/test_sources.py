"""The form of the sources: comments have one width, and the parts of the user interface are small.

It needs no binary."""

import re
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
USER_INTERFACE = REPOSITORY / "Sources/serialterm/UserInterface"
WIDTH = 100
MOST_LINES = 300
MOST_PROPERTIES = 12

# The beginning of a type or an extension: its indent, kind and name.
TYPE = re.compile(
    r"^(\s*)(?:@\S+ )*(?:(?:public|package|internal|fileprivate|private|final|indirect) )*"
    r"(class|struct|enum|protocol|extension|actor) (\w+)")
# A property of an instance: its indent, kind and names, and what follows them.
PROPERTY = re.compile(
    r"^(\s*)(?:@\w+(?:\([^)]*\))? )*"
    r"(?:(?:public|package|internal|fileprivate|private|unowned|weak|lazy)(?:\([^)]*\))? )*"
    r"(let|var) (\w+|\([^)]*\))(.*)$")


def long_comments(text, is_swift=True):
    """The numbers of the lines that are too wide: of comments in Swift, all in C."""
    return [
        number for number, line in enumerate(text.splitlines(), 1)
        if len(line) > WIDTH and (not is_swift or line.lstrip().startswith("//"))]


def stored_properties(text):
    """The stored properties of each type in a source file."""
    lines, types, found = text.splitlines(), [], {}
    for number, line in enumerate(lines):
        indent = len(line) - len(line.lstrip())
        if line.strip() and not line.lstrip().startswith(")"):
            types = [each for each in types if each[0] < indent]
        if begun := TYPE.match(line):
            types.append((indent, begun[2], begun[3]))
            continue
        declared = PROPERTY.match(line)
        if not (declared and types and indent == types[-1][0] + 2 and types[-1][1] in ("class", "struct", "actor")):
            continue
        before, brace, _ = declared[4].partition("{")
        following = lines[number + 1].strip() if number + 1 < len(lines) else ""
        is_computed = (
            declared[2] == "var" and brace and "=" not in before and not following.startswith(("didSet", "willSet")))
        if not is_computed:
            found.setdefault(types[-1][2], []).extend(re.findall(r"\w+", declared[3]))
    return found


class SourceTests(unittest.TestCase):
    def test_comments_have_one_width(self):
        for path in sorted((REPOSITORY / "Sources").rglob("*")):
            if path.suffix in (".swift", ".c", ".h"):
                with self.subTest(path.relative_to(REPOSITORY)):
                    self.assertEqual(long_comments(path.read_text(), path.suffix == ".swift"), [])

    def test_files_of_the_user_interface_are_short(self):
        for path in sorted(USER_INTERFACE.rglob("*.swift")):
            with self.subTest(path.name):
                self.assertLessEqual(len(path.read_text().splitlines()), MOST_LINES)

    def test_types_of_the_user_interface_have_few_properties(self):
        counted = 0
        for path in sorted(USER_INTERFACE.rglob("*.swift")):
            for name, properties in stored_properties(path.read_text()).items():
                counted += 1
                with self.subTest(type=name, properties=properties):
                    self.assertLessEqual(len(properties), MOST_PROPERTIES)
        self.assertGreater(counted, 20)

    def test_long_comments_are_found(self):
        wide = "x" * WIDTH
        self.assertEqual(long_comments(f'/// {wide}\nlet a = "{wide}"\n// short\n  // {wide}\n'), [1, 4])
        self.assertEqual(long_comments(f'int a;\nprintf("{wide}");\n', is_swift=False), [2])

    def test_stored_properties_are_found(self):
        self.assertEqual(stored_properties(
            "final class Pump: Machine {\n"
            "  /// What it moves.\n"
            "  let events = Observable<Event>()\n"
            "  @Observed private(set) var state = State.idle\n"
            "  private(set) lazy var report = Report(on: loop) { [app] in app.warn($0) }\n"
            "  private weak var owner: Owner?\n"
            "  var isOn = false {\n"
            "    didSet { update() }\n"
            "  }\n"
            "  var isLoud: Bool {\n"
            "    didSet { update() }\n"
            "  }\n"
            "  private let (width, height): (Int, Int)\n"
            "  static let patience = 3\n"
            "  private static let limit = 3\n"
            "  var count: Int { events.count }\n"
            "  var name: String {\n"
            "    let text = state.text\n"
            "    return text\n"
            "  }\n"
            "\n"
            "  private struct End {\n"
            "    var timer: Timer?\n"
            "    let closure: () -> Void\n"
            "  }\n"
            "\n"
            "  init(\n"
            "    of state: State\n"
            "  ) {\n"
            "    let local = 1\n"
            "  }\n"
            "}\n"
            "\n"
            "enum Limits {\n"
            "  static let most = 1\n"
            "}\n"),
            {"Pump": ["events", "state", "report", "owner", "isOn", "isLoud", "width", "height"],
             "End": ["timer", "closure"]})


if __name__ == "__main__":
    unittest.main()
