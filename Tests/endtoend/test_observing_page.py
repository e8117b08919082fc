"""The walks of docs/observing.md are true: every function is in its file, and each step leads to the next.

It needs no binary."""

import re
import unittest

from Tests.endtoend.harness.program import REPOSITORY

PAGE = REPOSITORY / "docs/observing.md"
STEP = re.compile(r"(?ms)^\d+\. \[(\S+\.swift): (\w+)\]\((\S+)\)(.*?)(?=^\d+\. |^$|\Z)")
# The most files that a reader should have to open.
LIMITS = {
    "From a udev removal to a grey row": 18, "From a byte of the device to the screen": 15,
    "From a key to the device": 8}


def walks():
    """The title of each walk, and its steps: file, function, text of the file, what the page says."""
    for section in PAGE.read_text().split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        steps = [
            (name, function, (PAGE.parent / path).resolve(), said)
            for name, function, path, said in STEP.findall(text)]
        if steps:
            yield title, steps


class ObservingPageTests(unittest.TestCase):
    def test_every_walk_is_there(self):
        self.assertEqual({title for title, _ in walks()}, set(LIMITS))

    def test_every_function_is_in_its_file(self):
        for title, steps in walks():
            for name, function, path, _ in steps:
                with self.subTest(walk=title, step=f"{name}: {function}"):
                    self.assertEqual(path.name, name)
                    self.assertRegex(path.read_text(), rf"\b(func|var|let) {function}\b")

    def test_each_step_leads_to_the_next(self):
        """A function is called by a step before it, or it observes or answers what such a step names."""
        for title, steps in walks():
            before = steps[0][2].read_text()
            for name, function, path, said in steps[1:]:
                with self.subTest(walk=title, step=f"{name}: {function}"):
                    text = path.read_text()
                    link = re.search(r"(?:observes|receives|answers|used)\s+`(\w+)`", said)
                    if link:
                        self.assertRegex(text, rf"\b{link[1]}\b")
                    self.assertRegex(before, rf"\b{link[1] if link else function}\b")
                    before += text

    def test_a_reader_opens_few_files(self):
        for title, steps in walks():
            with self.subTest(walk=title):
                self.assertLessEqual(len({path for *_, path, _ in steps}), LIMITS[title])


if __name__ == "__main__":
    unittest.main()
