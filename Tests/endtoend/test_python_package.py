"""The Python package: sessions of the shared core, the plugin of pytest, and the schema of what it reads."""

import ast
import asyncio
import importlib.util
import json
import os
import re
import signal
import subprocess
import sys
import tempfile
import textwrap
import unittest
from pathlib import Path
from unittest import mock

from Tests.endtoend.harness import (
    Device, Loopback, Pipes, environment, serialterm_binary, soak, wait_until)
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.transfers.bench import PYTHON, missing_package

sys.path.insert(0, str(REPOSITORY / "python"))

import serialterm
import serialterm.aio
from serialterm import _core
from serialterm.robot import SerialBoard


def lacks(module):
    return importlib.util.find_spec(module) is None


def descriptors():
    return len(os.listdir("/proc/self/fd"))


class PackageTestCase(unittest.TestCase):
    def setUp(self):
        self.enterContext(mock.patch.dict(os.environ, SERIALTERM=os.path.abspath(serialterm_binary())))

    def board(self, target="loopback:board", **options):
        return self.enterContext(serialterm.open(target, **options))


class SessionTests(PackageTestCase):
    def test_a_dialogue_with_groups(self):
        board = self.board()
        board.write("version\r")
        match = board.expect(r"firmware (\S+)\r", timeout=60)
        self.assertRegex(match.group(1), r"^\d+\.\d+")
        self.assertEqual(match[1], match.groups()[0])
        # What was matched is read; what follows is not.
        board.write("help\r")
        board.expect("help")

    def test_bytes_are_exact_in_both_directions(self):
        every = bytes(range(256)) * 300
        with Device() as device:
            board = self.board(device.path)
            board.write(every[:4000])
            self.assertEqual(device.read_exactly(4000), every[:4000])
            device.write(every)
            self.assertEqual(board.read(len(every)), every)
            self.assertEqual(board.read(), b"")
            self.assertEqual(board.lost, 0)

    def test_bytes_that_nobody_reads_are_dropped_and_counted(self):
        received = _core.Received(limit=100)
        for number in range(100):
            received.add(b"%09d\n" % number)
        kept = received.take()
        self.assertLessEqual(len(kept), 150)
        self.assertEqual(received.lost + len(kept), 1000)
        self.assertTrue(kept.endswith(b"000000099\n"))

    def test_a_time_out_shows_the_last_lines(self):
        with Device() as device:
            board = self.board(device.path)
            device.write(b"booting\r\n\x1b[31mpanic: \xff\r\n")
            board.expect("booting")
            with self.assertRaises(serialterm.Timeout) as caught:
                board.expect("login:", timeout=0.2)
            self.assertEqual(
                str(caught.exception),
                "Timed out after 0.2 s waiting for /login:/.\nThe last lines received:\n"
                "  booting\n  \\x1b[31mpanic: \\xff")
            self.assertEqual(caught.exception.last_lines[0], "booting")
            # The session is as good as before.
            board.write("x")
            self.assertEqual(device.read_exactly(1), b"x")

    def test_lines_without_their_ends(self):
        with Device() as device:
            board = self.board(device.path)
            device.write(b"one\r\ntwo\nthree")
            lines = board.lines(timeout=60)
            self.assertEqual([next(lines), next(lines)], ["one", "two"])
            with self.assertRaises(serialterm.Timeout):
                next(board.lines(timeout=0.1))
            self.assertEqual(board.read(), b"three")

    def test_lines_of_an_instrument_that_ends_them_with_cr(self):
        with Device() as device:
            board = self.board(device.path)
            device.write(b"+1.0\r+2.0\r+3.")
            lines = board.lines(timeout=60)
            self.assertEqual([next(lines), next(lines)], ["+1.0", "+2.0"])
            with self.assertRaisesRegex(serialterm.Timeout, r"\n  \+2.0\n  \+3\.$"):
                next(board.lines(timeout=0.1))
            device.write(b"0\r")
            self.assertEqual(next(board.lines(timeout=60)), "+3.0")

    def test_expressions_mean_what_they_mean_in_the_program(self):
        for text, pattern in [
                (b"x OK\r\nnext\r\n", "OK$"), (b"x\r+1.0\r+2.0\r", r"^\+(.*)$"), (b"a\nb\n", "^b$"), (b"a\r\nb", "^b$"),
                (b"a\r\nb", r"^\nb|\nb$"), (b"t=1 C\r\n", "t=.*"), (b"a\rb", "a(?:.|\r)b"), (b"1$^\r", r"1\$\^$"),
                (b"^$.\r\n", "[$.^]+"), (b"shell> ", "> $")]:
            with self.subTest(text=text, pattern=pattern), Device() as device:
                with serialterm.open(device.path) as board:
                    device.write(text)
                    board.read(len(text), timeout=60)
                    board._core.received.position = 0
                    # The program's own match first, and its groups.
                    judged = board.command("expect", regex=pattern)["match"]
                    match = board.expect(pattern, timeout=1)
                    self.assertEqual([match.group(), *match.groups()], judged)

    def test_frames_of_a_bus(self):
        with Device() as device:
            board = self.board(device.path, frames="modbus-rtu")
            device.write(bytes.fromhex("010300000002c40b"))
            frame = next(board.frames(timeout=60))
            self.assertEqual((frame.check, frame.data.hex()), ("good", "010300000002c40b"))

    def test_events_of_a_port_that_is_unplugged_and_comes_back(self):
        seen = []
        with tempfile.TemporaryDirectory() as folder, \
                Device(link=Path(folder) / "port") as device:
            board = self.board(device.path)
            board.observe(lambda event: seen.append(event.kind))
            device.write(b"before")
            board.expect("before")
            device.hang_up()
            board.wait_for("unplugged")
            self.assertEqual(board.state, "waiting")
            with self.assertRaisesRegex(serialterm.CommandFailed, "no device"):
                board.write("lost")
            device.plug(says=b"boot\r\n")
            board.wait_for("back")
            board.expect("boot")
            board.write("on")
            self.assertEqual(device.read_exactly(2), b"on")
            self.assertEqual(seen, ["unplugged", "back"])
            self.assertEqual(
                board.transcript, "! open\n< before\n! unplugged\n> lost\n! back\n< boot\n> on")

    def test_the_line(self):
        with Loopback("--pair") as pair:
            board = self.board(pair.nodes[0])
            board.set(baud=9600, stop_bits=2)
            self.assertIn("9600 8N2", board.wait_for("settings").members["settings"])
            # A pseudo-terminal has neither: the reason arrives.
            for use, reason in [(lambda: board.set_line(dtr=False), "modem lines"),
                                (lambda: board.pulse("rts"), "modem lines"),
                                (board.break_, "no break")]:
                with self.assertRaisesRegex(serialterm.CommandFailed, reason):
                    use()

    def test_lending_the_port(self):
        with Device() as device:
            board = self.board(device.path)
            with board.released() as node:
                self.assertEqual(node, device.path)
                self.assertFalse(device.exclusive)
                self.assertEqual(board.state, "released")
            self.assertEqual(board.state, "open")
            self.assertTrue(device.exclusive)

    def test_logs(self):
        with tempfile.TemporaryDirectory() as folder, Device() as device:
            path = Path(folder) / "board.log"
            board = self.board(device.path)
            board.start_log(path)
            device.write(b"kept\r\n")
            board.expect("kept")
            with self.assertRaisesRegex(serialterm.CommandFailed, "a log is on already"):
                board.start_log(path)
            board.stop_log()
            wait_until(lambda: b"kept" in path.read_bytes(), "the log is written")
            with self.assertRaisesRegex(serialterm.CommandFailed, "no log is on"):
                board.stop_log()

    def test_the_log_of_a_session(self):
        with tempfile.TemporaryDirectory() as folder, Device() as device:
            path = Path(folder) / "board.log"
            path.write_bytes(content := bytes(range(256)) * 100)
            board = self.board(device.path, log=str(path), log_append=True)
            self.assertEqual(board.read_log(), content)

    def test_a_file(self):
        with tempfile.TemporaryDirectory() as folder, Device() as device:
            path = Path(folder) / "file"
            path.write_bytes(b"content")
            board = self.board(device.path)
            board.send_file(path)
            self.assertEqual(device.read_exactly(7), b"content")
            self.assertEqual(board.wait_for("file").members["bytes"], 7)

    def test_errors_say_why(self):
        with self.assertRaisesRegex(serialterm.Closed, "nonexistent") as caught:
            serialterm.open("/dev/nonexistent")
        self.assertEqual(caught.exception.status, 3)
        with self.assertRaisesRegex(serialterm.Error, "no-such-program: there is no such program. Install"):
            serialterm.open("loopback:", program="no-such-program")
        with self.assertRaisesRegex(AttributeError, r"Serial is serialterm.open\("):
            serialterm.Serial("/dev/ttyUSB0")
        with self.assertRaisesRegex(AttributeError, "serialterm has no attribute 'Port'$"):
            serialterm.Port("/dev/ttyUSB0")
        board = self.board()
        with self.assertRaisesRegex(AttributeError, r"readline is lines\(\)"):
            board.readline()
        with self.assertRaisesRegex(AttributeError, r"dtr is set_line\(dtr=True\) here"):
            board.dtr = True
        with self.assertRaisesRegex(AttributeError, "a session has no attribute 'shout'$"):
            board.shout()
        board.close()
        board.close()
        with self.assertRaisesRegex(serialterm.Closed, "the session is closed"):
            board.write("x")

    def test_sessions_leave_no_descriptor_and_no_process(self):
        self.check_sessions(3)

    @soak
    def test_300_sessions_leave_no_descriptor_and_no_process(self):
        self.check_sessions(300)

    def check_sessions(self, count):
        with serialterm.open("loopback:"):
            pass
        before = descriptors()
        for _ in range(count):
            with serialterm.open("loopback:") as board:
                board.write("x")
                board.expect("x")
        self.assertEqual(descriptors(), before)
        self.assertEqual(Path(f"/proc/self/task/{os.getpid()}/children").read_text().split(), [])

    def test_the_example_of_the_page_runs(self):
        for page in (REPOSITORY / "docs/python.md", REPOSITORY / "README.md"):
            code = textwrap.dedent(
                re.search(r"```python\n( *import serialterm\n.*?)\n *```", page.read_text(), re.S)[1])
            self.assertLessEqual(len(code.splitlines()), 8, page)
            self.assertIn('"usb:0403:6001"', code)
            with Device() as device:
                device.write(b"12 ok\r\n")
                names = {}
                exec(code.replace("usb:0403:6001", device.path), names)  # noqa: S102
                self.assertEqual(device.read_exactly(5), b"help\r")
                self.assertEqual(names["m"].group(1), "12")


class ReceivedTests(unittest.TestCase):
    """Lines and expressions in received bytes, without a program."""

    @staticmethod
    def received(*pieces):
        received = _core.Received(limit=1000)
        for piece in pieces:
            received.add(piece)
        return received

    def test_lines_are_the_same_however_their_ends_are_divided(self):
        for text, expected in [
                (b"+1.0\r+2.0\r", ["+1.0", "+2.0"]), (b"a\nb\n", ["a", "b"]), (b"a\r\nb\r\n", ["a", "b"]),
                (b"a\n\rb\n\r", ["a", "b"]), (b"a\r\r\nb\r\r\n", ["a", "b"]),
                (b"a\r\n\r\nb\r\n", ["a", "", "b"]), (b"a\n\nb\n", ["a", "", "b"]), (b"\r\n", [""]), (b"\r", []),
                (b"a\r\r\n\r\r\nb\n", ["a", "", "b"]), (b"a\rb\r\nc\n\rd\r", ["a", "b", "c", "d"])]:
            lefts = set()
            for cuts in range(1 << (len(text) - 1)):
                places = [0, *(i for i in range(1, len(text)) if cuts >> (i - 1) & 1), len(text)]
                pieces = [text[a:b] for a, b in zip(places, places[1:])]
                received, lines = self.received(), []
                for piece in pieces:
                    received.add(piece)
                    while (line := received.take_line()) is not None:
                        lines.append(line.decode())
                self.assertEqual(lines, expected, pieces)
                # What is left is the rest of an end, and the same however the text is divided.
                left = received.take()
                self.assertEqual(left.strip(b"\r\n"), b"", pieces)
                self.assertTrue(text.endswith(left), pieces)
                lefts.add(left)
            self.assertEqual(len(lefts), 1, text)

    def test_what_follows_a_line_is_read_exactly(self):
        for end, after, rest in [
                (b"\r", b"\nb\n", b"b\n"), (b"\r", b"b\n", b"b\n"), (b"\r", b"\n\n", b"\n"),
                (b"\r", b"\r\n\n", b"\r\n\n"), (b"\r", b"\r\r\x01", b"\r\r\x01"),
                (b"\r", b"\n\r\r\x01", b"\r\r\x01"), (b"\n", b"\rb", b"\rb"), (b"\n", b"\n\x01", b"\n\x01")]:
            for cuts in range(1 << len(after)):
                places = [0, *(i for i in range(len(after)) if cuts >> i & 1), len(after)]
                first, *pieces = [after[a:b] for a, b in zip(places, places[1:])]
                # The first piece arrives with the line, if it is not empty.
                for also in ("nothing", "lines", "reads"):
                    received = self.received(b"OK" + end + first)
                    self.assertEqual(received.take_line(), b"OK")
                    data = b""
                    for piece in pieces:
                        if also == "reads":
                            data += received.take()
                        elif also == "lines" and b"\n" not in rest:
                            # A search without a result reads nothing.
                            self.assertIsNone(received.take_line())
                        received.add(piece)
                    self.assertEqual(data + received.take(), rest, (end, first, pieces, also))
                    self.assertEqual(received.lost, 0)

    def test_a_long_line_comes_in_many_pieces(self):
        for filler in (b"x", b"\r", b"\0"):
            received = _core.Received(limit=4_194_304)
            for _ in range(1024):
                received.add(filler * 4096)
                self.assertIsNone(received.take_line())
            received.add(b"end\n")
            line = received.take_line()
            self.assertEqual(line, b"end" if filler == b"\r" else filler * 4_194_304 + b"end")

    def test_a_line_whose_beginning_was_dropped(self):
        received = _core.Received(limit=100)
        received.add(b"a" * 100)
        self.assertIsNone(received.take_line())
        received.add(b"b" * 60)
        received.add(b"c\nd\n")
        self.assertEqual([received.take_line(), received.take_line()], [b"a" * 40 + b"b" * 60 + b"c", b"d"])
        self.assertEqual(received.lost, 60)

    def test_the_rest_of_a_line_that_was_read_or_matched_is_a_line(self):
        for text, expected in [(b"OK\rnext\r", [b"", b"next"]), (b"OK\r\nnext\r\n", [b"", b"next"])]:
            received = self.received(text)
            received.search(_core.compiled("OK"))
            self.assertEqual([received.take_line(), received.take_line(), received.take_line()], [*expected, None])
            # Not if the match has its end.
            received = self.received(text)
            received.search(_core.compiled(r"OK\r"))
            self.assertEqual([received.take_line(), received.take_line()], [b"next", None])

    def test_expressions_know_the_ends_of_lines(self):
        for pattern, text, found in [
                ("OK$", b"OK\r\n", b"OK"), ("^b$", b"a\rb\rc", b"b"), ("^b$", b"a\r\nb\nc", b"b"),
                ("^$", b"a\r\nb", None),
                ("a.b", b"a\rb", None), ("(?s)a.b", b"a\rb", b"a\rb"), ("(?s:a.)b.", b"a\rb\r", None),
                ("(?s:a.)b.", b"a\rbc", b"a\rbc"), ("(?i)ok$", b"OK\r", b"OK"),
                (r"[]$^.]+\.\$$", b"]$^..$\r", b"]$^..$"),
                ("(?#a$(.[)x$", b"x\r", b"x"), ("(?P<n>.)(?P=n)$", b"aa\r", b"aa"), (r"\$$", b"$\r", b"$"),
                ("((?s:.)).$", b"\r\r\n", None),
                # A compiled one is that of the module re.
                (re.compile(b"OK$"), b"OK\r\n", None), (re.compile(b"a.b"), b"a\rb", b"a\rb")]:
            match = self.received(text).search(_core.compiled(pattern))
            self.assertEqual(match and match[0], found, pattern)
        for wrong in ("(", "a)", "[", "*", "(?z)"):
            with self.assertRaises(re.error) as caught:
                _core.compiled(wrong + "$")
            self.assertEqual(caught.exception.pattern, wrong.encode() + b"$")
        self.assertEqual([_core.shown(pattern) for pattern in ("a$\r", b"\xff", re.compile(b"^"))],
                         ["/a$\\r/", "/\\xff/", "/^/"])


class DocumentationTests(unittest.TestCase):
    def test_everything_public_has_a_docstring(self):
        """The documentation is made of them."""
        lacking = []

        def look(node, name):
            for child in node.body:
                if not isinstance(child, (ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef)):
                    continue
                if child.name.startswith("_"):
                    continue
                if not ast.get_docstring(child):
                    lacking.append(f"{name}.{child.name}")
                if isinstance(child, ast.ClassDef):
                    look(child, f"{name}.{child.name}")

        for path in (REPOSITORY / "python/serialterm").glob("*.py"):
            module = ast.parse(path.read_text())
            if not ast.get_docstring(module):
                lacking.append(path.name)
            look(module, path.stem)
        self.assertEqual(lacking, [])


class AsyncTests(PackageTestCase):
    def run_session(self, target, use, **options):
        async def whole():
            async with await serialterm.aio.open(target, **options) as board:
                return await asyncio.wait_for(use(board), 20)
        return asyncio.run(whole())

    def test_it_does_what_the_blocking_one_does(self):
        public = {name for name in vars(serialterm.Session) if not name.startswith("_")}
        self.assertEqual(
            {name for name in vars(serialterm.aio.Session) if not name.startswith("_")}, public)

    def test_a_dialogue_beside_another_task(self):
        with Device() as device:
            async def use(board):
                waiting = asyncio.ensure_future(board.expect(r"(\d+) ok", timeout=60))
                await board.write(b"\x00help\r")
                self.assertEqual(device.read_exactly(6), b"\x00help\r")
                device.write(b"12 ok\r\nnext\r\n")
                self.assertEqual((await waiting).group(1), "12")
                async for line in board.lines():
                    if line == "next":
                        break
                with self.assertRaisesRegex(serialterm.Timeout, "  next$"):
                    await board.expect("never", timeout=0.1)
                async def nothing():
                    async with board.released():
                        self.assertFalse(device.exclusive)
                await nothing()
                self.assertTrue(device.exclusive)
                with self.assertRaisesRegex(serialterm.CommandFailed, "modem lines"):
                    await board.set_line(dtr=True)
            self.run_session(device.path, use)

    def test_lines_of_an_instrument_that_ends_them_with_cr(self):
        with Device() as device:
            async def use(board):
                device.write(b"+1.0\r+2.0\r")
                lines = board.lines(timeout=60)
                self.assertEqual([await anext(lines), await anext(lines)], ["+1.0", "+2.0"])
                # The LF of a CR LF comes later.
                device.write(b"\nOK\r\n")
                self.assertEqual(await anext(lines), "OK")
                device.write(b"x=1\r\n")
                self.assertEqual((await board.expect("^x=(.*)$")).group(1), "1")
            self.run_session(device.path, use)

    def test_unplugged_and_back(self):
        with tempfile.TemporaryDirectory() as folder, \
                Device(link=Path(folder) / "port") as device:
            async def use(board):
                device.hang_up()
                await board.wait_for("unplugged")
                device.plug(says=b"boot")
                await board.wait_for("back")
                await board.expect("boot")
            self.run_session(device.path, use)

    def test_a_command_that_is_read_late_is_cancelled_too(self):
        with Device() as device:
            async def use(board):
                board._process.send_signal(signal.SIGSTOP)
                # More than the pipe and the buffer before it hold. The device does not read what is sent.
                with self.assertRaisesRegex(serialterm.Timeout, "read its input"):
                    await board.command("send", 0.05, hex="00" * 60_000, unused="x" * 200_000)
                board._process.send_signal(signal.SIGCONT)
                await board.command("statistics", 60)
            self.run_session(device.path, use)

    def test_errors_say_why(self):
        with self.assertRaisesRegex(serialterm.Closed, "nonexistent"):
            self.run_session("/dev/nonexistent", None)


TEST_FILE = """
import os, pytest, serialterm

def test_passes(board):
    board.write("version\\r")
    assert board.expect(r"firmware (\\S+)\\r").group(1)

def test_fails(board):
    board.write("help\\r")
    board.expect("never-said", timeout=0.3)

def test_one(board_module):
    board_module.write("version\\r")
    test_one.node = board_module.node

def test_two(board_module):
    assert test_one.node == board_module.node
    board_module.expect("firmware")

def test_target(serialterm_target):
    print("TARGET", os.environ.get("PYTEST_XDIST_WORKER"), serialterm_target)
"""


@unittest.skipIf(lacks("pytest"), "needs python3-pytest")
class PytestTests(PackageTestCase):
    def pytest(self, *options, text=TEST_FILE):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (folder / "test_board.py").write_text(text)
        ended = subprocess.run(
            [sys.executable, "-m", "pytest", "-p", "serialterm.pytest_plugin", "-p",
             "no:cacheprovider", "-ra", *options],
            cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
            env={**environment(), "PYTHONPATH": str(REPOSITORY / "python"),
                 "SERIALTERM": os.path.abspath(serialterm_binary())})
        return ended.stdout

    def test_the_report_of_a_failure_has_the_transcript(self):
        said = self.pytest("--serial-target", "loopback:board")
        self.assertRegex(said, "1 failed, 4 passed")
        report = said.partition("serial transcript of board: loopback:board")[2]
        self.assertIn("! open\n", report)
        self.assertIn("> help\n", report)
        self.assertRegex(report, "\n< .*version")
        self.assertIn("Timed out after 0.3 s waiting for /never-said/.", said)

    def test_without_a_board_tests_are_skipped_with_the_reason(self):
        said = self.pytest()
        self.assertIn("no board: name one with --serial-target", said)
        self.assertRegex(said, "5 skipped")

    def test_a_named_board_that_is_missing_is_an_error(self):
        said = self.pytest("--serial-target", "/dev/nonexistent")
        # Four tests use a board; the fifth asks for the name alone.
        self.assertRegex(said, r"(?m)^=+ 1 passed, 4 errors in")
        self.assertRegex(said, r"--serial-target /dev/nonexistent: .*no such device")
        self.assertNotIn("another exception", said)

    def test_a_board_that_is_unplugged_in_a_test(self):
        target = Path(self.enterContext(tempfile.TemporaryDirectory())) / "port"
        # The test owns the pseudo-terminal.
        said = self.pytest("--serial-target", str(target), text="""
import os, pty, tty, pytest

class Board:
    def plug(self, path, says):
        self.master, self.port = pty.openpty()
        tty.setraw(self.port)
        os.write(self.master, says)
        os.symlink(os.ttyname(self.port), path)
    def unplug(self, path):
        os.unlink(path)
        os.close(self.master)
        os.close(self.port)

@pytest.fixture
def device(serialterm_target):
    device = Board()
    device.plug(serialterm_target, b"before")
    return device

def test_it(device, board, serialterm_target):
    board.expect("before")
    device.unplug(serialterm_target)
    board.wait_for("unplugged")
    device.plug(serialterm_target, b"again")
    board.wait_for("back")
    board.expect("again")
""")
        self.assertRegex(said, "1 passed")

    @unittest.skipIf(lacks("xdist"), "needs python3-pytest-xdist")
    def test_workers_have_a_board_each(self):
        with Loopback("--pair") as pair:
            said = self.pytest(
                "-n", "2", "-s", "--serial-target", pair.nodes[0], "--serial-target", pair.nodes[1],
                text="""
import os, time
def worker(board, serialterm_target):
    open(f"{os.environ['PYTEST_XDIST_WORKER']}.{os.path.basename(serialterm_target)}", "w")
    # Both workers have their board at once: each waits for the other's byte.
    board.write("x")
    board.expect("x")
def test_one(board, serialterm_target): worker(board, serialterm_target)
def test_two(board, serialterm_target): worker(board, serialterm_target)
""")
            self.assertRegex(said, "2 passed")


class RobotTests(PackageTestCase):
    def test_lines_of_an_instrument_that_ends_them_with_cr(self):
        with Device() as device:
            board = SerialBoard()
            board.open_board(device.path)
            self.addCleanup(board.close_board)
            device.write(b"+1.0\r+2.0\rOK 7\r\n")
            self.assertEqual([board.read_line(), board.read_line()], ["+1.0", "+2.0"])
            self.assertEqual(board.expect("^OK (.*)$"), "7")

    @unittest.skipIf(missing_package("robot"), missing_package("robot"))
    def test_keywords(self):
        with tempfile.TemporaryDirectory() as folder:
            suite = Path(folder) / "board.robot"
            suite.write_text("""
*** Settings ***
Library    serialterm.robot.SerialBoard

*** Test Cases ***
The Board Says Its Version
    Open Board    loopback:board
    Write    version\\r
    ${version}=    Expect    firmware (\\\\S+)\\r
    Should Match Regexp    ${version}    ^\\\\d+
    Run Keyword And Expect Error    *Timed out after 0.2 s*    Expect    never    0.2
    Close Board
""")
            ended = subprocess.run(
                [PYTHON, "-m", "robot", "--output", "NONE", "--log", "NONE", "--report", "NONE", suite],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60,
                env={**environment(), "PYTHONPATH": str(REPOSITORY / "python"),
                     "SERIALTERM": os.path.abspath(serialterm_binary())})
            self.assertEqual(ended.returncode, 0, ended.stdout)


class ProtocolTests(unittest.TestCase):
    """Commands of --json that the package uses."""

    def session(self, target, *options):
        return self.enterContext(Pipes(serialterm_binary(), "connect", target, "--json", *options))

    def test_a_cancelled_command_says_so_and_the_next_is_performed(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(b'{"id": 1, "command": "expect", "regex": "never", "timeout": 60}\n'
                         b'{"id": 2, "command": "cancel"}\n{"id": 3, "command": "statistics"}\n')
            program.stdout.expect(b'{"event":"failed","id":1,"reason":"cancelled"}\n'
                           b'{"event":"done","id":2}\n')
            program.stdout.expect(b'{"event":"done","id":3')

    def test_a_cancelled_send_counts_what_was_not_sent(self):
        with Device() as device:
            program = self.session(device.path)
            data = "00" * 60_000
            program.send(f'{{"id": 1, "command": "send", "hex": "{data}"}}\n'.encode())
            program.send(b'{"id": 2, "command": "cancel"}\n')
            match = program.stdout.expect(re.compile(
                rb'{"event":"failed","id":1,"reason":"cancelled","unsent":(\d+)}\n'
                rb'{"event":"done","id":2}\n'))
            left = int(match.group(1))
            self.assertGreater(left, 0)
            self.assertEqual(device.read_exactly(60_000 - left), bytes(60_000 - left))
            program.send(b'{"id": 3, "command": "send", "text": "next"}\n')
            self.assertEqual(device.read_exactly(4), b"next")

    def test_commands_are_those_of_now_and_a_watch_goes_on(self):
        with Device() as device, serialterm.open(device.path, program=serialterm_binary()) as port:
            self.assertTrue(port.commands()["send"]["enabled"])
            port.command("watch", events=["people"])
            with port.released():
                record = port.commands()["send"]
                self.assertEqual((record["enabled"], record["code"]), (False, "released"))
            port.set(baud=9600)
            self.assertEqual(port.commands()["baud"]["value"], "9600")
            self.assertEqual(port._core.watched["events"], ["commands", "people"])

    def test_lending_and_taking_back(self):
        with Device() as device:
            program = self.session(device.path)
            program.send(b'{"id": 1, "command": "release"}\n')
            program.stdout.expect(b'"state":"released"')
            program.stdout.expect(b'{"event":"done","id":1}\n')
            self.assertFalse(device.exclusive)
            program.send(b'{"id": 2, "command": "send", "text": "x"}\n')
            program.stdout.expect(re.compile(rb'{"event":"failed","id":2,"reason":"port released","code":"released"}\n'))
            program.send(b'{"id": 3, "command": "take-back"}\n')
            program.stdout.expect(b'{"event":"done","id":3}\n')
            # That is at once; the port may be open before or after.
            wait_until(lambda: program.stdout.data.count(b'"state":"open"') == 2, "it is open again")
            self.assertTrue(device.exclusive)


@unittest.skipIf(lacks("jsonschema"), "needs python3-jsonschema")
class SchemaTests(PackageTestCase):
    """docs/json.schema.json is true of what the program prints."""

    def test_every_event_of_a_session(self):
        import jsonschema
        schema = json.loads((REPOSITORY / "docs/json.schema.json").read_text())
        validator = jsonschema.Draft202012Validator(schema)
        seen = set()

        def check(line):
            event = json.loads(line)
            problems = list(validator.iter_errors(event))
            self.assertEqual(problems, [], line)
            # A member that the schema does not know is not described.
            known = schema["$defs"][event["event"]]["properties"].keys() | {"port"}
            self.assertLessEqual(event.keys(), known, line)
            seen.add(event["event"])

        with tempfile.TemporaryDirectory() as folder, \
                Device(link=Path(folder) / "port") as device:
            source = Path(folder) / "file"
            source.write_bytes(b"content" * 10)
            program = self.enterContext(Pipes(
                serialterm_binary(), "connect", device.path, "--json", "--frames=modbus-rtu"))
            program.stdout.expect(b'"state":"open"')
            device.write(bytes.fromhex("010300000002c40bff"))
            program.stdout.expect(b'"frame"')
            for number, members in enumerate([
                    {"command": "send", "text": "x"},
                    {"command": "expect", "regex": "never", "timeout": 0.1},
                    {"command": "send-file", "path": str(source)},
                    {"command": "statistics"}, {"command": "nonsense"},
                    {"command": "start-log", "path": f"{folder}/log"}, {"command": "stop-log"}]):
                program.send(json.dumps({"id": number, **members}).encode() + b"\n")
                program.stdout.expect(re.compile(rb'{"event":"(done|failed)","id":%d' % number))
            device.hang_up()
            program.stdout.expect(b'"state":"waiting"')
            device.plug()
            program.stdout.expect(b'"state":"open"')
            program.send(b'{"id": 99, "command": "close"}\n')
            self.assertEqual(program.wait(), 0)
            for line in program.stdout.data.splitlines():
                check(line)
        self.assertLessEqual(
            {"hello", "state", "received", "frame", "file", "done", "failed"}, seen)
        for wrong in ({"event": "state", "state": "odd", "node": None}, {"event": "unheard-of"},
                      {"event": "received", "time": "now", "text": "x"}):
            self.assertTrue(list(validator.iter_errors(wrong)), wrong)


if __name__ == "__main__":
    unittest.main()
