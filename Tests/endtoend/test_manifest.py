"""Package.swift says what each target imports: otherwise an old build keeps objects of the layout of before.
And the targets that docs/portability.md calls portable import nothing of a platform."""

import json
import re
import runpy
import subprocess
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
IMPORT = re.compile(
    r"(?m)^\s*(?:@\w+ )*(?:(?:public|package|internal|fileprivate|private) )?"
    r"import (?:(?:struct|class|enum|protocol|func|typealias|let|var) )?(\w+)")

# What a portable target may import besides, as the page says.
EXCEPTIONS = {"Time": {"Glibc"}, "Configuration": {"CYaml"}}


def portable_targets():
    """The targets in the table of the page, with the targets that it says they import."""
    page = (REPOSITORY / "docs/portability.md").read_text()
    table = page.partition("## Portable targets\n")[2].partition("\n## ")[0]
    return {
        name: set(re.findall(r"`(\w+)`", imports))
        for name, imports in re.findall(r"(?m)^\| `(\w+)` \|.*\| (.*) \|$", table)}


class ManifestTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        words = ["swift", "package", "dump-package"]
        cls.targets = json.loads(
            subprocess.run(words, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout)["targets"]

    def folder(self, target):
        folder = "Tests" if target["type"] == "test" else "Sources"
        return REPOSITORY / (target.get("path") or f"{folder}/{target['name']}")

    def imported(self, target):
        """What its files import, without the folders in its own that are other targets."""
        folder = self.folder(target)
        return {
            name for file in folder.rglob("*.swift")
            if file.relative_to(folder).parts[0] not in target["exclude"]
            for name in IMPORT.findall(file.read_text())}

    def declared(self, target):
        return {name[0] for entry in target["dependencies"] for name in entry.values()}

    def test_every_target_declares_the_targets_that_it_imports(self):
        names = {target["name"] for target in self.targets}
        for target in self.targets:
            with self.subTest(target["name"]):
                undeclared = (self.imported(target) & names) - self.declared(target)
                self.assertEqual(undeclared - {target["name"]}, set())

    def test_portable_targets_import_only_portable_targets(self):
        portable = portable_targets()
        self.assertGreater(len(portable), 8)
        self.assertLessEqual(portable.keys(), {target["name"] for target in self.targets})
        for target in self.targets:
            if target["name"] in portable:
                with self.subTest(target["name"]):
                    used = self.imported(target) | self.declared(target)
                    self.assertEqual(used - EXCEPTIONS.get(target["name"], set()), portable[target["name"]])

    def test_layers_are_those_of_the_picture_and_nothing_imports_upward(self):
        result = subprocess.run(
            [REPOSITORY / "scripts/layers", "--check"], stdout=subprocess.PIPE, text=True, check=False)
        self.assertEqual((result.stdout, result.returncode), ("", 0))

    def test_an_import_of_a_higher_layer_is_found(self):
        layers = runpy.run_path(str(REPOSITORY / "scripts/layers"))
        modules = {"Below": {"Above"}, "Above": {"Beside"}, "Beside": set()}
        rows = [("high", ["Above", "Beside"]), ("low", ["Below"])]
        self.assertEqual(
            layers["upward"](modules, rows), ["Below imports Above, which is in a higher layer"])


if __name__ == "__main__":
    unittest.main()
