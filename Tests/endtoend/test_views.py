"""The view of the device's output on a real screen, also in tmux and screen."""

import itertools
import os
import re
import shutil
import subprocess
import tempfile
import unittest

from Tests.endtoend.harness import TIMEOUT, Terminal, environment, serialterm_binary, wait_until
from Tests.endtoend.test_palette import PaletteTest

SERVERS = itertools.count()


class ViewTests(PaletteTest):
    def test_hex_from_the_start(self):
        _, screen = self.start("--hex")
        self.device.write(bytes(range(32)))
        screen.wait_for_text("00000010  10 11 12 13 14 15 16 17  18 19 1a 1b 1c 1d 1e 1f  |....")

    def test_hex_with_local_echo_marks_the_direction(self):
        terminal, screen = self.start("--hex", "--local-echo")
        terminal.send(b"ask")
        screen.wait_for_text("> 00000000  61 73 6b")
        self.device.write(b"yes")
        screen.wait_for_text("< 00000000  79 65 73")

    def test_hex_rows_fit_the_width_that_the_timestamps_leave(self):
        for options, columns, expected in (
                ((), 80, 16), (("-t",), 80, 8), (("-t", "-e"), 80, 8), (("-t",), 93, 16),
                (("--timestamps=iso:us",), 80, 8), ((), 60, 8), (("-t",), 59, 4)):
            with self.subTest(options=options, columns=columns):
                terminal, screen = self.start("--hex", *options, size=(24, columns))
                self.device.write(bytes(range(65, 65 + 16)))
                screen.wait_for(lambda lines: any("P|" in line for line in lines), "all bytes")
                rows = [line for line in screen.lines if line.endswith("|")]
                self.assertEqual(len(rows), 16 // expected, screen.text)
                terminal.close()

    def test_hex_rows_follow_a_window_that_changes_its_size(self):
        terminal, screen = self.start("--hex", "--timestamps", size=(24, 100))
        for columns, rows in ((100, 1), (70, 2), (50, 4), (120, 1)):
            screen.resize(24, columns)
            terminal.send(b"\x14l")
            screen.wait_until_gone("|")
            self.device.write(bytes(range(65, 65 + 16)))
            screen.wait_for(
                lambda lines: sum(line.endswith("|") for line in lines) == rows
                and any("P|" in line for line in lines), f"{rows} rows in {columns} columns")

    def test_a_line_of_hex_that_is_typed_ends_with_a_pause_too(self):
        terminal, screen = self.start("--hex", "--local-echo", "--hex-gap", "500")
        self.device.write(b"x")
        screen.wait_for_text("< 00000000  78")
        for key in (b"a", b"b"):
            terminal.send(key)
            self.assertEqual(self.device.read_exactly(1), key)
        screen.wait_for_text("> 00000000  61 62")

    def test_timestamps_of_every_format(self):
        for name, pattern in (
                ("time", r"\[\d\d:\d\d:\d\d\.\d{3}\] x$"),
                ("iso", r"\[\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}[+-]\d\d:\d\d\] x$"),
                ("delta", r"\[\+ +\d+\.\d{3}\] x$"), ("start", r"\[ *\d+\.\d{3}\] x$"),
                ("epoch:us", r"\[\d{10}\.\d{6}\] x$")):
            with self.subTest(name):
                terminal, screen = self.start(f"--timestamps={name}")
                self.device.write(b"x\r\n")
                screen.wait_for(
                    lambda lines: any(re.match(pattern, line) for line in lines), pattern)
                terminal.close()

    def test_the_format_can_be_chosen(self):
        terminal, screen = self.start()
        self.open_palette(terminal, screen, b"timestamp-format")
        terminal.send(b"\r")
        screen.wait_for_text("timestamps:")
        terminal.send(b"epoch\r")
        screen.wait_until_gone("timestamps:")
        screen.wait_for_text("timestamps are on: epoch.")
        self.device.write(b"x\r\n")
        screen.wait_for(
            lambda lines: any(re.match(r"\[\d{10}\.\d{3}\] x$", line) for line in lines), "a stamp")

    def test_maps_change_what_is_shown_and_not_the_log(self):
        _, screen = self.start("--map", "from-device:lf=crlf", "--log", str(self.log))
        self.device.write(b"one\ntwo\n")
        screen.wait_for(lambda lines: "one" in lines and "two" in lines, "two lines")
        self.wait_for_log(8)
        self.assertEqual(self.log.read_bytes(), b"one\ntwo\n")

    def test_a_device_cannot_make_the_terminal_answer_unless_raw(self):
        terminal, screen = self.start()
        self.device.write(b"\x1b[6n\x1b]0;title\x07 done")
        screen.wait_for(lambda lines: " done" in lines, "what is left of it")
        self.device.write(b"\r\n\x1b[3\x01")
        screen.wait_for_text("^[[3^A")
        terminal.send(b"\x14s")
        screen.wait_for_text("2 escape sequences dropped, which do more than draw; 'raw' passes them.")
        self.assertNotIn(b"\x1b[6n", terminal.output)
        terminal.send(b"\x14:raw\r")
        screen.wait_for_text("raw is on.")
        self.device.write(b"\x1b[6n done")
        terminal.expect(b"\x1b[6n done")
        terminal.close()
        terminal, screen = self.start("--raw")
        self.device.write(b"\x1b[6n done")
        terminal.expect(b"\x1b[6n done")

    def test_what_the_device_left_switched_is_undone(self):
        terminal, screen = self.start()
        self.device.write(b"\x1b[31m\x1b[?25l\x1b[?7l\x1b[2;5r done")
        screen.wait_for_text("done")
        self.assertEqual(self.quit(terminal)[0], 0)
        terminal.transcript.expect_end()
        self.assertTrue(screen.scrolls_whole and screen.cursor_is_shown and screen.wraps)

    def test_what_was_left_switched_before_the_view_changed_is_undone(self):
        terminal, screen = self.start()
        self.device.write(b"\x1b[31m\x1b[?25l\x1b[?7l\x1b[2;5r done")
        screen.wait_for_text("done")
        terminal.send(b"\x14t")
        screen.wait_for_text("timestamps are on")
        terminal.send(b"\x14h")
        screen.wait_for_text("hex is on")
        self.assertEqual(self.quit(terminal)[0], 0)
        terminal.transcript.expect_end()
        self.assertTrue(screen.scrolls_whole and screen.cursor_is_shown and screen.wraps)

    def test_a_list_that_opens_amid_a_sequence_leaves_it_whole(self):
        for options in ((), ("--raw",)):
            with self.subTest(options):
                terminal, screen = self.start(*options)
                self.device.write(b"\x1b[3")
                self.device.write(b"1")
                self.open_palette(terminal, screen)
                self.device.write(b"mred \xe2\x82")
                self.close_palette(terminal, screen)
                self.open_palette(terminal, screen)
                self.device.write(b"\xac done")
                self.close_palette(terminal, screen)
                screen.wait_for(lambda lines: "red € done" in lines, "the text, whole")
                terminal.close()


class MultiplexerTest(unittest.TestCase):
    """A session with the simulated board in a multiplexer, which draws on a separate terminal."""

    def setUp(self):
        self.folder = self.enterContext(tempfile.TemporaryDirectory())
        # A separate server, because one that is ending takes no commands.
        self.name = f"serialterm-test-{os.getpid()}-{next(SERVERS)}"
        self.variables = environment(TMUX=None, STY=None, SCREENDIR=self.folder)

    def run_tool(self, *arguments):
        return subprocess.run(
            arguments, env=self.variables, cwd=self.folder, check=True, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, timeout=TIMEOUT).stdout

    def wait_for_screen(self, text):
        wait_until(lambda: text in self.captured(), f"{text!r} on the screen")

    def check(self):
        self.wait_for_screen("board>")
        before = self.captured()
        self.type("\x14:")
        self.wait_for_screen("command:")
        self.type("send-file")
        self.wait_for_screen("command: send-file")
        self.assertIn("x  send-file: send a file", self.captured())
        self.type("\x1b")
        wait_until(lambda: self.captured() == before, "the screen is as before")
        self.type("\x14q")
        wait_until(lambda: "ended with 0" in self.captured(), "the session has ended")

    @property
    def command(self):
        return f"{serialterm_binary()} connect loopback:board; echo ended with $?; read -r x"


@unittest.skipUnless(shutil.which("tmux"), "needs tmux")
class TmuxTest(MultiplexerTest):
    def begin(self, columns=80, command=None):
        self.tmux("new-session", "-d", "-x", str(columns), "-y", "24", command or self.command)
        self.addCleanup(self.tmux, "kill-server")

    def tmux(self, *arguments):
        return self.run_tool("tmux", "-L", self.name, "-f", "/dev/null", *arguments)

    def captured(self):
        return self.tmux("capture-pane", "-p", "-S", "-100")

    def type(self, keys):
        self.tmux("send-keys", "-l", keys)


class TmuxTests(TmuxTest):
    def test_the_palette(self):
        self.begin()
        self.check()

    def test_a_window_that_is_narrowed_while_the_palette_is_open(self):
        """tmux reflows lines, and counts the empty ones below as text."""
        self.begin(columns=100)
        self.wait_for_screen("board>")
        self.type("\x14:")
        self.wait_for_screen("command:")
        # A few rows: each that is wider than the new window becomes two.
        self.type("modem")
        self.wait_for_screen("command: modem")
        self.tmux("resize-window", "-x", "60")
        self.wait_for_screen("(off: this port has no mo…")
        self.type("\x1b")
        wait_until(lambda: "command:" not in self.captured(), "the palette is gone")
        expected = [
            "serialterm: loopback:board at 115200 8N1. ctrl-t q quits, ct", "rl-t ? for help.", "",
            "serialterm board, firmware 1.0.0", "reset reason: power-on", "ready; try help", "",
            "board> help"]
        self.type("help")
        self.wait_for_screen("board> help")
        self.assertEqual(self.captured().rstrip().split("\n"), expected)

    def test_a_window_that_is_narrowed_so_far_that_the_text_is_pushed_out(self):
        self.begin(columns=100)
        self.wait_for_screen("board>")
        self.type("\x14:")
        self.wait_for_screen("command:")
        self.tmux("resize-window", "-x", "24")
        self.wait_for_screen("  B  baud:")
        self.type("\x1b")
        wait_until(
            lambda: not self.tmux("capture-pane", "-p").replace("board>", "").strip(),
            "nothing of the palette on the screen")


@unittest.skipUnless(shutil.which("screen"), "needs GNU screen")
class GnuScreenTests(MultiplexerTest):
    def screen(self, *arguments):
        return self.run_tool("screen", "-S", self.name, *arguments)

    def captured(self):
        path = os.path.join(self.folder, "hardcopy")
        self.screen("-p", "0", "-X", "hardcopy", path)
        # A separate process writes it, in Latin-1 where it can.
        return wait_until(lambda: os.path.exists(path) and open(path, errors="replace").read(), "the hardcopy")

    def type(self, keys):
        self.screen("-p", "0", "-X", "stuff", keys)

    def test_the_palette(self):
        os.chmod(self.folder, 0o700)
        # Attached to a terminal: without one it has no size.
        terminal = self.enterContext(Terminal(
            "screen", "-c", "/dev/null", "-S", self.name, "sh", "-c", self.command,
            variables={"TMUX": None, "STY": None, "SCREENDIR": self.folder}))
        self.addCleanup(self.screen, "-X", "quit")
        terminal.expect(b"board>")
        self.check()
