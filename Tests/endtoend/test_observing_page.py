"""The walks of docs/observing.md are true: every function is in its file, and each function leads to the next.

It needs no binary."""

import re
import unittest

from Tests.endtoend.harness.program import REPOSITORY

PAGE = REPOSITORY / "docs/observing.md"
STEP = re.compile(r"(?ms)^\d+\. \[(\S+\.swift): ([\w, ]+)\]\((\S+)\)(.*?)(?=^\d+\. |^$|\Z)")
# An observer: a function before it mentions what it observes, answers or has set, and so does the observer.
OBSERVES = re.compile(r"(?:observes|receives|answers|set)\s+`(\w+)`")
# A closure: the function gives it to one that a file before it declares.
REGISTERS = re.compile(r"given\s+to\s+`(\w+)`")
# The most files that a reader should have to open.
LIMITS = {
    "From a udev removal to a grey row": 18, "From a byte of the device to the screen": 10,
    "From a key to the device": 7}


def walks():
    """The title of each walk, and its steps: file, functions, what the page says."""
    for section in PAGE.read_text().split("\n## ")[1:]:
        title, _, text = section.partition("\n")
        steps = [
            (name, functions.split(", "), (PAGE.parent / path).resolve(), said)
            for name, functions, path, said in STEP.findall(text)]
        if steps:
            yield title, steps


def end_of_pair(text, start):
    """The index after the bracket that closes the one at an index."""
    opening = text[start]
    closing = {"(": ")", "{": "}"}[opening]
    depth = 0
    for index in range(start, len(text)):
        depth += (text[index] == opening) - (text[index] == closing)
        if depth == 0:
            return index + 1
    return len(text)


def bodies(text, name):
    """The bodies of all functions and properties of a name, with the closures in them."""
    text = re.sub(r"//.*", "", text)
    found = []
    declaration = r"(?<!\.)\binit(?=\()" if name == "init" else rf"\b(?:func|var|let) {name}\b"
    for match in re.finditer(declaration, text):
        index = match.end()
        if match[0].startswith(("func", "init")):
            # A default value of a parameter may be a closure.
            index = end_of_pair(text, text.index("(", index))
        # A requirement of a protocol and a stored property have none.
        brace = text.find("{", index)
        ends = re.compile(r"\n\s*\n|\n\s*(?:\w+ )*(?:func|var|let|init)\b|\n}").search(text, index)
        if brace >= 0 and not (ends and ends.start() < brace):
            found.append(text[brace:end_of_pair(text, brace)])
    return found


def mentions(texts, name):
    return any(re.search(rf"\b{name}\b", text) for text in texts)


def missing_links(steps):
    """The functions of a walk that no function before them leads to."""
    before, files, missing = [], [], []
    for name, functions, path, said in steps:
        text = path.read_text()
        for number, function in enumerate(functions):
            own = bodies(text, function)
            observed, registered = OBSERVES.search(said), REGISTERS.search(said)
            if not before:
                found = True
            elif number == 0 and observed:
                found = mentions(before, observed[1]) and mentions(
                    [body for each in functions for body in bodies(text, each)], observed[1])
            elif number == 0 and registered:
                found = mentions(own, registered[1]) and any(
                    re.search(rf"\bfunc {registered[1]}\b", file) for file in files)
            else:
                found = mentions(before, function)
            if not found:
                missing.append(f"{name}: {function}")
            before += own
        files.append(text)
    return missing


class ObservingPageTests(unittest.TestCase):
    def test_every_walk_is_there(self):
        self.assertEqual({title for title, _ in walks()}, set(LIMITS))

    def test_every_function_is_in_its_file(self):
        for title, steps in walks():
            for name, functions, path, _ in steps:
                for function in functions:
                    with self.subTest(walk=title, step=f"{name}: {function}"):
                        self.assertEqual(path.name, name)
                        self.assertTrue(bodies(path.read_text(), function))

    def test_each_function_leads_to_the_next(self):
        """The body of a function before it calls it, or mentions what it observes or answers."""
        for title, steps in walks():
            with self.subTest(walk=title):
                self.assertEqual(missing_links(steps), [])

    def test_exchanged_steps_are_found(self):
        steps = dict(walks())["From a udev removal to a grey row"]
        names = [name for name, *_ in steps]
        row, screen = names.index("ChoiceListView.swift"), names.index("Screen.swift")
        steps[row], steps[screen] = steps[screen], steps[row]
        self.assertIn("ChoiceListView.swift: content", missing_links(steps))

    def test_a_reader_opens_few_files(self):
        for title, steps in walks():
            with self.subTest(walk=title):
                self.assertLessEqual(len({path for *_, path, _ in steps}), LIMITS[title])


if __name__ == "__main__":
    unittest.main()
