"""What the documentation says is so: links lead somewhere, options exist, examples run."""

import re
import shlex
import shutil
import subprocess
import unittest

from Tests.endtoend.harness import Loopback, environment, run, serialterm, slow
from Tests.endtoend.harness.program import REPOSITORY

PAGES = [
    REPOSITORY / path for path in (
        "docs/guide.md", "docs/cookbook.md", "docs/troubleshooting.md", "docs/library.md",
        "docs/install.md", "udev-rules/README.md")]
LINK = re.compile(r"\]\(([^)#\s]*)(?:#([^)\s]*))?\)")


def anchors(page):
    """What a page's headings are linked by, as GitHub makes it."""
    headings = re.findall(r"(?m)^#+ (.*)$", page.read_text())
    return {re.sub(r"[^\w -]", "", heading.lower()).replace(" ", "-") for heading in headings}


def commands():
    """Each command line of serialterm in a block of the documentation, with its page."""
    for page in PAGES:
        for block in re.findall(r"(?ms)^```\n(.*?)^```", page.read_text()):
            for line in block.replace("|\n", "| ").splitlines():
                for part in re.split(r"\s*\|\s*|\s+&$", line.removeprefix("$ ")):
                    if part.startswith("serialterm "):
                        yield page.name, part


class DocumentationTests(unittest.TestCase):
    def test_every_link_leads_somewhere(self):
        for page in PAGES:
            for path, anchor in LINK.findall(page.read_text()):
                if "://" in path:
                    continue
                with self.subTest(page=page.name, link=f"{path}#{anchor}"):
                    target = (page.parent / path).resolve() if path else page
                    self.assertTrue(target.exists())
                    if anchor:
                        self.assertIn(anchor, anchors(target))

    def test_every_option_exists(self):
        known = {}
        lines = list(commands())
        self.assertGreater(len(lines), 20)
        for page, line in lines:
            words = shlex.split(line.partition(" >")[0].partition(" <")[0], comments=True)[1:]
            command = words[0] if words and re.fullmatch("[a-z]+", words[0]) else "connect"
            if command not in known:
                known[command] = serialterm(command, "--help").stdout.decode()
            for word in words:
                if word.startswith("-"):
                    with self.subTest(page=page, line=line):
                        self.assertRegex(known[command], rf"(?m)[ \[/]{re.escape(word)}\b")

    def test_guide_and_its_first_pipe_work(self):
        answer = serialterm("connect", "loopback:board", "--linger", "1", stdin=b"version\r")
        self.assertEqual(answer.status, 0)
        self.assertIn(b"firmware", answer.stdout.rpartition(b"version\r")[2])


@slow
@unittest.skipUnless(shutil.which("swift"), "needs Swift")
class ExampleTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = REPOSITORY / "Examples"
        subprocess.run(
            ["swift", "build", "--package-path", folder], check=True, stdout=subprocess.DEVNULL,
            env=environment())
        cls.programs = folder / ".build/debug"

    def test_devices_are_listed(self):
        expected = serialterm("list", "--names").stdout.decode().split()
        result = run(self.programs / "WatchDevices", "0")
        self.assertEqual(result.status, 0)
        self.assertEqual(re.findall(r"(?m)^there is (\S+),", result.stdout.decode()), expected)

    def test_device_is_asked(self):
        with Loopback("--board") as board:
            result = run(self.programs / "AskDevice", board.node, "echo from the library")
        self.assertEqual(result.status, 0)
        self.assertIn(b"\nfrom the library", result.stdout.replace(b"\r", b""))

    def test_missing_port_and_missing_device_are_told(self):
        result = run(self.programs / "AskDevice", "/dev/ttyNONE9", "x")
        self.assertEqual((result.status, result.stdout), (1, b"/dev/ttyNONE9: notFound in stat\n"))
        self.assertEqual(run(self.programs / "FollowDevice", "usb:ffff:fffe").status, 3)
