"""The list of the public declarations, which scripts/api makes: each change of them is a difference."""

import importlib.machinery
import importlib.util
import json
import re
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import environment
from Tests.endtoend.harness.program import REPOSITORY

SOURCE = """
public protocol Sound {
  func play()
  var name: String { get }
}
extension Sound {
  public var name: String { "" }
  public func twice() {}
}
public struct Pair<Value>: Sendable where Value: Sendable {
  public var first: Value
  let second: Value
  public init(_ first: Value, _ second: Value = 2) where Value == Int { (self.first, self.second) = (first, second) }
}
extension Pair: Equatable where Value: Equatable {}
extension Pair where Value: Hashable { public func mix() async throws {} }
public enum Answer: Hashable { case yes, no(Int) }
open class Base { open func begin() {} }
@available(*, deprecated, message: "Use Base.") public func old() {}
package func ofThePackage() {}
func ofTheModule() {}
extension Int { public var half: Int { self / 2 } }
"""
LISTED = """\
enum Answer: Equatable, Hashable
  case no(Int)
  case yes
open class Base
  open func begin()
struct Pair<Value>: Equatable where Value : Equatable, Value : Sendable, Sendable where Value : Sendable
  var first: Value
  init(_ first: Value, _ second: Value = 2) where Value == Int
  func mix() async throws where Value : Hashable, Value : Sendable
protocol Sound
  var name: String { get }
  var name: String { get } // default
  func play()
  func twice()
extension Int
  var half: Int { get }
@deprecated func old()
"""


def script():
    """scripts/api as a module."""
    loader = importlib.machinery.SourceFileLoader("api", str(REPOSITORY / "scripts/api"))
    module = importlib.util.module_from_spec(importlib.util.spec_from_loader("api", loader))
    loader.exec_module(module)
    return module


class DeclarationTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.script = script()

    def listed(self, source):
        """The lines for a module with this source."""
        with tempfile.TemporaryDirectory() as folder:
            (Path(folder) / "Sample.swift").write_text(source)
            subprocess.run(
                ["swiftc", "-swift-version", "6", "-package-name", "sample", "-parse-as-library", "-module-name",
                 "Sample", "-emit-module", "-emit-symbol-graph", "-emit-symbol-graph-dir", ".",
                 "-symbol-graph-minimum-access-level", "public", "-symbol-graph-skip-synthesized-members",
                 "Sample.swift"],
                cwd=folder, check=True, env=environment())
            graphs = [json.loads(path.read_text()) for path in sorted(Path(folder).glob("*.symbols.json"))]
        return "".join(f"{line}\n" for line in self.script.lines(graphs))

    @unittest.skipUnless(shutil.which("swiftc"), "needs Swift")
    def test_every_kind_of_declaration_is_listed(self):
        self.assertEqual(self.listed(SOURCE), LISTED)

    @unittest.skipUnless(shutil.which("swiftc"), "needs Swift")
    def test_changed_declarations_are_differences_below_their_type(self):
        changed = self.listed(SOURCE.replace("yes, no(Int)", "yes, no(Int), perhaps").replace(
            "open func begin", "public func begin").replace("  func play()\n", "").replace("half: Int", "half: Int?"))
        lines = self.script.difference(LISTED.splitlines(), changed.splitlines(), "old")
        self.assertEqual(
            [line for line in lines[2:] if not line.startswith(" ")],
            ["@@ -1,8 +1,9 @@ enum Answer: Equatable, Hashable", "+  case perhaps",
             "-  open func begin()", "+  func begin()",
             "@@ -10,8 +11,7 @@ protocol Sound", "-  func play()",
             "-  var half: Int { get }", "+  var half: Int? { get }"])


class PolicyTests(unittest.TestCase):
    def test_every_enum_is_complete_or_may_grow(self):
        """Each public enum is in one of the two columns of the table in docs/api.md."""
        page = (REPOSITORY / "docs/api.md").read_text()
        rows = re.findall(r"(?m)^\| `(\w+)` \|(.*)\|(.*)\|$", page)
        named = sorted(
            f"{product}.{name}" for product, *columns in rows for column in columns
            for name in re.findall(r"`([\w.]+)`", column))
        listed = []
        for file in (REPOSITORY / "docs/api").glob("*.txt"):
            owners = []
            for line in file.read_text().splitlines():
                words = re.match(r"( *)(?:@\w+ |\w+ )*?(enum|struct|class|actor|protocol|extension) ([\w.]+)", line)
                if words:
                    owners[len(words[1]) // 2:] = [words[3]]
                    if words[2] == "enum":
                        listed.append(".".join([file.stem, *owners]))
        self.assertGreater(len(listed), 30)
        self.assertEqual(named, sorted(listed))


if __name__ == "__main__":
    unittest.main()
