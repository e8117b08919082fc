"""Package.swift says what each target imports: otherwise an old build keeps objects of the layout of before."""

import json
import re
import subprocess
import unittest
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
IMPORT = re.compile(r"(?m)^(?:@\w+ )?(?:(?:public|package|internal|private) )?import (\w+)")


class ManifestTests(unittest.TestCase):
    def test_every_target_declares_the_targets_that_it_imports(self):
        words = ["swift", "package", "dump-package"]
        package = json.loads(
            subprocess.run(words, cwd=REPOSITORY, check=True, stdout=subprocess.PIPE).stdout)
        names = {target["name"] for target in package["targets"]}
        for target in package["targets"]:
            folder = "Tests" if target["type"] == "test" else "Sources"
            path = REPOSITORY / (target.get("path") or f"{folder}/{target['name']}")
            declared = {name[0] for entry in target["dependencies"] for name in entry.values()}
            imported = {
                name for file in path.rglob("*.swift") for name in IMPORT.findall(file.read_text())}
            with self.subTest(target["name"]):
                self.assertLessEqual(imported & names, declared | {target["name"]})


if __name__ == "__main__":
    unittest.main()
