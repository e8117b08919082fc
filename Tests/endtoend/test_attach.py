"""`serialterm attach`: joins a session of another terminal, watches it, and gets the pen."""

import contextlib
import itertools
import json
import re
import signal
import socket
import tempfile
import threading
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX, record, waits
from Tests.endtoend.harness import (
    Device, Pipes, Terminal, serialterm, serialterm_binary, soak, unread, wait_until)
from Tests.endtoend.harness.pace import pace
from Tests.endtoend.harness.screen import Screen

# A long message is wrapped between words.
EXPLAINED = re.compile(rb"The\s+pen\s+is\s+the\s+right\s+to\s+type")
HERE = re.compile(rb"(\S+ on pts/\d+) has the pen: you watch")


class AttachCase(unittest.TestCase):
    def setUp(self):
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.folder = folder
        # Sessions of other tests are not in this folder.
        runtime = folder / "run"
        runtime.mkdir(mode=0o700)
        self._waits = folder / "waits"
        self._waits.mkdir()
        self.variables = waits.counted(self._waits, {"XDG_RUNTIME_DIR": str(runtime)})
        self.device = self.enterContext(Device(folder / "ttyBOARD"))

    def waited(self, program):
        """The milliseconds for which a program has waited for nothing but time."""
        return waits.milliseconds(self._waits, program.pid)

    def session(self, *options, device=None):
        """A session at a terminal."""
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", (device or self.device).path, *options,
            variables=self.variables))
        terminal.expect(b"ctrl-t q quits")
        return terminal

    def viewer(self, *words, watches=True, **how):
        """A viewer at a terminal."""
        viewer = self.enterContext(Terminal(
            serialterm_binary(), "attach", *words, variables=self.variables, **how))
        if watches:
            viewer.expect(b"you watch")
        return viewer

    def pipes(self, *words):
        """A viewer with pipes."""
        return self.enterContext(
            Pipes(serialterm_binary(), "attach", *words, variables=self.variables))

    def attach(self, *words, **how):
        """A viewer without a terminal, until it ends."""
        return serialterm("attach", *words, variables=self.variables, **how)

    def show(self, text, *streams):
        """Every stream shows the bytes of the device."""
        self.device.write(text)
        for stream in streams:
            stream.expect(text.rstrip())

    def assert_nothing_reached_the_device(self):
        self.assertEqual(unread(self.device.descriptor), 0)


class ListTests(AttachCase):
    def test_a_table_says_which_device_since_when_and_who_is_there(self):
        session = self.session()
        viewer = self.viewer()
        session.expect(b"is here")
        result = self.attach("--list")
        self.assertEqual((result.status, result.stderr), (0, b""))
        header, line = result.stdout.decode().splitlines()
        self.assertEqual(
            header.split(), ["SESSION", "DEVICE", "COMMAND", "SINCE", "PEN", "OTHERS"])
        self.assertRegex(
            line, rf"^{session.pid} +{self.device.path} +connect +\d{{4}}-\d\d-\d\d \d\d:\d\d +\S+ on "
            rf"pts/\d+ +\S+ on pts/\d+$")
        viewer.leave()
        session.expect(b"has left")
        self.assertTrue(self.attach("--list").stdout.rstrip().endswith(b" -"))

    def test_on_a_terminal_it_fits_the_window(self):
        session = self.session()
        self.viewer()
        session.expect(b"is here")
        for columns in (80, 40):
            with self.subTest(columns):
                terminal = self.viewer("--list", watches=False, size=(24, columns))
                screen = Screen(terminal, (24, columns))
                terminal.expect(b"others: ")
                self.assertEqual(terminal.wait(), 0)
                rows = terminal.output.decode().replace("\r", "").split("\n")
                self.assertTrue(all(len(row) <= columns for row in rows), rows)
                self.assertIn(str(session.pid), screen.text)
                self.assertIn("pen: ", screen.text)

    def test_json_has_the_same_for_programs(self):
        session = self.session()
        self.viewer()
        session.expect(b"is here")
        result = self.attach("--list", "--json")
        self.assertEqual(result.status, 0)
        entry, = json.loads(result.stdout)
        self.assertEqual((entry["pid"], entry["port"], entry["command"], entry["addresses"]),
                         (session.pid, self.device.path, "connect", []))
        self.assertRegex(entry["pen"], r"on pts/\d+$")
        self.assertEqual(len(entry["others"]), 1)
        self.assertRegex(entry["since"], r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d")

    def test_without_sessions_the_list_is_empty_and_joining_fails(self):
        result = self.attach("--list")
        self.assertEqual((result.status, result.stdout), (0, b""))
        self.assertIn(b"no session of yours is running", result.stderr)
        self.assertEqual(self.attach("--list", "--json").stdout, b"[]\n")
        result = self.attach()
        self.assertEqual(result.status, 3)
        self.assertIn(b"no session of yours is running", result.stderr)

    def test_sessions_that_do_not_answer_are_waited_for_together(self):
        self.session()
        folder = self.folder / "run/serialterm"
        for number in range(1, 12):
            listener = self.enterContext(socket.socket(socket.AF_UNIX))
            listener.bind(str(folder / f"{number}.sock"))
            listener.listen()
        # The last one answers, a byte at a time, and never ends.
        answer = threading.Thread(target=self.trickle, args=(listener,))
        answer.start()
        viewer = self.pipes("--list")
        self.assertEqual(viewer.wait(), 0)
        self.assertIn(self.device.path.encode(), viewer.stdout.data)
        self.assertLess(self.waited(viewer), 3_000)
        answer.join()

    @staticmethod
    def trickle(listener):
        connection, _ = listener.accept()
        started = time.monotonic()
        with connection, contextlib.suppress(OSError):
            for count in itertools.count():
                connection.sendall(b"s")
                pace(started, count, 20)

    def test_a_session_that_was_killed_is_not_listed(self):
        session = self.session()
        session.process.kill()
        session.wait()
        self.assertEqual(self.attach("--list", "--json").stdout, b"[]\n")

    def test_options_that_exclude_each_other(self):
        for words, message in (
            (("--force", "--read-only"), b"--force takes the pen, --read-only sends nothing"),
        ):
            result = self.attach(*words)
            self.assertEqual(result.status, 2)
            self.assertIn(message, result.stderr)


class ChoosingTests(AttachCase):
    def test_by_process_device_link_and_name(self):
        session = self.session()
        with Device() as device:
            self.session(device=device)
            names = (str(session.pid), self.device.path, self.device.node, "ttyBOARD")
            for name in names:
                with self.subTest(name):
                    viewer = self.pipes(name)
                    viewer.stderr.expect(b"you watch")
                    self.show(name.encode(), viewer.stdout)
                    viewer.close()

    def test_nobody_can_type_what_is_added_to_names(self):
        session = self.session()
        for typed, shown in (
                ("Max", "Max"), ("ann (agent)", "ann [agent]"), ("ann\u3164 (pid 1)", "ann [pid 1]"),
                (" ann\u200b\x1b", "ann\ufffd")):
            with self.subTest(typed):
                viewer = self.viewer("--as", typed)
                session.expect(f"{shown} is here".encode())
                viewer.close()

    def test_the_only_one_needs_no_name(self):
        session = self.session()
        viewer = self.viewer()
        self.show(b"hello", session, viewer)

    def test_a_profile_joins_its_session_and_is_listed(self):
        config = self.folder / "config.toml"
        config.write_text(f'[profile.board]\ntarget = "{self.device.path}"\n')
        self.variables["XDG_CONFIG_HOME"] = str(self.folder / "configuration")
        session = self.enterContext(Terminal(
            serialterm_binary(), "connect", "board", "--config", str(config), variables=self.variables))
        session.expect(b"ctrl-t q quits")
        listed = self.attach("--list")
        self.assertRegex(listed.stdout, rb"SESSION +DEVICE +PROFILE +COMMAND")
        self.assertRegex(listed.stdout, rb"(?m)^%d +%s +board +connect" % (session.pid, self.device.path.encode()))
        [entry] = json.loads(self.attach("--list", "--json").stdout)
        self.assertEqual(entry["profile"], "board")
        viewer = self.viewer("board")
        self.show(b"hello", session, viewer)

    def test_the_first_message_about_the_pen_says_what_it_is(self):
        session = self.session()
        viewer = self.viewer()
        viewer.expect(EXPLAINED)
        viewer.send(PREFIX + b"w")
        session.expect(re.compile(rb"asks\s+for\s+the\s+pen\."))
        session.expect(EXPLAINED)
        viewer.send(b"x")
        viewer.expect(b"not sent")
        viewer.expect(re.compile(rb"Press\s+ctrl-t\s+w\s+to\s+ask\s+for\s+it\."))
        for terminal in (session, viewer):
            self.assertEqual(len(EXPLAINED.findall(terminal.output)), 1)

    def test_none_of_that_name(self):
        self.session()
        result = self.attach("ttyNONE9")
        self.assertEqual(result.status, 3)
        self.assertIn(b"no session 'ttyNONE9' of yours is running. 'serialterm attach --list' lists yours.",
                      result.stderr)

    def test_several_without_a_terminal_are_listed(self):
        first = self.session()
        second = self.session(device=self.enterContext(Device()))
        result = self.attach()
        self.assertEqual(result.status, 2)
        self.assertIn(b"several sessions: name one of them.", result.stderr)
        for session in (first, second):
            self.assertRegex(result.stderr, rb"(?m)^%d " % session.pid)

    def test_several_at_a_terminal_are_asked_for(self):
        self.session()
        second = self.session(device=self.enterContext(Device()))
        for size in ((24, 80), (24, 40)):
            with self.subTest(size):
                viewer = self.viewer(watches=False, size=size)
                screen = Screen(viewer, size)
                lines = screen.wait_for_text("join session:")
                self.assertTrue(all(len(line) <= size[1] for line in screen.lines), lines)
                viewer.send(b"nobody\r")
                screen.wait_for_text("nothing matches")
                viewer.send(b"\x15%d" % second.pid)
                screen.wait_for_text("1/2")
                viewer.send(b"\r")
                viewer.expect(b"you watch")
                second.expect(b"is here")
                viewer.leave()
        with self.viewer(watches=False) as undecided:
            undecided.expect(b"join session")
            undecided.send(b"\x1b")
            self.assertEqual(undecided.wait(), 0)
            self.assertEqual(undecided.settings, undecided.original_settings)

    def test_where_lists_are_printed_a_wrong_answer_gets_a_reason(self):
        self.session()
        second = self.session(device=self.enterContext(Device()))
        viewer = self.viewer("--plain", watches=False)
        viewer.expect(b"join session:")
        viewer.send(b"999\r")  # No session, and no number of a pseudo-terminal.
        viewer.expect(b"'999' is not in the list.")
        viewer.send(b"%d\r" % second.pid)
        viewer.expect(b"you watch")

    def test_a_signal_ends_the_question(self):
        self.session()
        self.session(device=self.enterContext(Device()))
        viewer = self.viewer(watches=False)
        viewer.expect(b"join session")
        viewer.signal(signal.SIGTERM)
        self.assertEqual(viewer.wait(), 128 + signal.SIGTERM)
        self.assertEqual(viewer.settings, viewer.original_settings)

    def test_shells_complete_the_sessions(self):
        first = self.session()
        with Device() as device:
            self.session(device=device)
            result = serialterm(
                "complete-line", "fish", "serialterm attach ", variables=self.variables)
            words = result.stdout.decode()
            self.assertIn(f"{self.device.path}\tconnect, process {first.pid}", words)
            self.assertIn(device.path, words)


class Talker(threading.Thread):
    """A device that sends numbered lines on and on."""

    def __init__(self, device):
        super().__init__(daemon=True)
        self.device = device
        self.number = 0
        self._end = threading.Event()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *_):
        self._end.set()
        self.join()

    def run(self):
        while not self._end.is_set():
            # Lines of different lengths: reads end anywhere in them.
            self.device.write(b"".join(
                b"<%08d%s>\n" % (number, b"." * (number % 37))
                for number in range(self.number, self.number + 7)))
            self.number += 7
            self._end.wait(0.001)


class SeamTests(AttachCase):
    def check(self, data):
        """The lines follow each other; the first one may have lost its beginning."""
        lines = data[:data.rindex(b"\n")].split(b"\n")[1:]
        self.assertGreater(len(lines), 100)
        first = int(lines[0][1:9])
        for number, line in enumerate(lines, first):
            if line != b"<%08d%s>" % (number, b"." * (number % 37)):
                self.fail(f"{line!r} instead of line {number}")
        return first

    def test_what_was_shown_before_and_what_comes_then_are_one_stream(self):
        """Viewers that come while the device talks get no byte twice, and none is missing."""
        self.join(3)

    @soak
    def test_so_are_they_for_hundreds_of_viewers(self):
        self.join(300)

    def join(self, count):
        session = self.session()
        session.transcript.discard()
        with Talker(self.device) as talker:
            wait_until(lambda: talker.number > 100, "the device talks")
            for _ in range(count):
                viewer = self.pipes()
                viewer.stderr.expect(b"you watch")
                joined = talker.number
                viewer.stdout.expect(b"<%08d" % (joined + 500))
                first = self.check(viewer.stdout.data)
                self.assertLess(first, joined, "it has got what was shown before")
                viewer.close()

    def test_many_that_come_at_once(self):
        session = self.session()
        session.transcript.discard()
        with Talker(self.device) as talker:
            wait_until(lambda: talker.number > 100, "the device talks")
            viewers = [self.pipes() for _ in range(8)]
            for viewer in viewers:
                viewer.stderr.expect(b"you watch")
            live = b"<%08d" % (talker.number + 500)
            for viewer in viewers:
                viewer.stdout.expect(live)
                self.check(viewer.stdout.data)

    def test_every_byte_passes_unchanged(self):
        """Also those that mean something in the protocol."""
        session = self.session("--raw")
        data = bytes(range(256)) * 8 + b"\xff\xf0\xff\xfa" * 20
        self.device.write(data)
        session.expect(b"\xff\xf0\xff\xfa" * 20)
        self.assertEqual(self.attach().stdout, data)
        viewer = self.pipes()
        self.assertEqual(viewer.stdout.read_exactly(len(data)), data)
        self.device.write(data)
        self.assertEqual(viewer.stdout.read_exactly(len(data)), data)


class ViewTests(AttachCase):
    def test_each_viewer_has_its_own_view(self):
        session = self.session()
        self.show(b"first", session)
        plain, hexadecimal = self.viewer(), self.viewer("--hex")
        plain.expect(b"first")
        hexadecimal.expect(b"66 69 72 73 74")
        self.device.write(b"second")
        session.expect(b"second")
        plain.expect(b"second")
        hexadecimal.expect(b"73 65 63 6f 6e 64")

    def test_the_times_of_what_was_shown_before_are_those_at_which_it_came(self):
        session = self.session("-t")
        clock = re.compile(rb"(\d\d:\d\d:\d\d\.\d+)\S* .*early")
        self.show(b"early\r\n", session)
        viewer = self.viewer("-t")
        viewer.expect(b"early")
        stamps = [clock.search(each.output).group(1) for each in (session, viewer)]
        self.assertEqual(*stamps)

    def test_what_was_shown_before_can_be_searched(self):
        session = self.session()
        self.device.write(b"".join(b"line %d\r\n" % number for number in range(200)))
        session.expect(b"line 199")
        viewer = self.viewer()
        screen = Screen(viewer)
        screen.wait_for_text("line 199")
        viewer.send(PREFIX + b"/")
        screen.wait_for_text("search:")
        viewer.send(b"line 17$")
        screen.wait_for_text("1 match")
        row = re.compile(r"^>\d\d:\d\d:\d\d\.\d{3} line 17$")
        wait_until(lambda: any(map(row.match, screen.lines)), "the line, and when it came")

    def test_a_log_of_a_viewer_has_what_comes_from_then_on(self):
        session = self.session()
        self.show(b"before\r\n", session)
        log = self.folder / "viewer.log"
        viewer = self.viewer("--log", str(log))
        viewer.expect(b"before")
        self.show(b"after\r\n", viewer)
        viewer.leave()
        self.assertEqual(log.read_bytes(), b"after\r\n")


class JoinedScreenTests(AttachCase):
    """Who joins while a full-screen program runs sees the screen of that program."""

    # A title, colours, wide characters, line drawing of another character set, a scroll region, a saved cursor.
    PICTURE = (
        b"\x1b[?1049h\x1b[2J\x1b[2;23r\x1b[1;30H\x1b[1;32mthe title\x1b7\x1b[0m\x1b(0"
        + b"".join(b"\x1b[%d;%dHlq\x1b[44m \x1b[3%dmk\x1b[0m" % (row, row, row % 8) for row in range(2, 24))
        + b"\x1b(B\x1b[24;1H\x1b[7m\xe4\xb8\x96\xe7\x95\x8c\x1b[0m\x1b[20;80H\x1b[31m|\x1b)0\x0e")
    # More than what is kept of it, and nothing that is left of it.
    UPDATES = b"".join(b"\x1b[12;40H%06d" % number for number in range(8_000)) + b"\x0f\x1b[20;80H!\x0e"
    # Where the device goes on: in the next row, its colour, its character set; then in the saved place.
    MORE = b"qqq\x1b8 and more"

    def picture(self, screen):
        return screen.cells, screen.cursor, screen.is_alternate, screen.wraps

    def begin(self, updates=b""):
        """A session of which a program has drawn the screen, and that screen."""
        session = self.session()
        screen = Screen(session)
        self.device.write(b"$ vi\r\n" + self.PICTURE + updates)
        screen.wait_for(lambda lines: lines[19].endswith("!" if updates else "|"), "the last character of the picture")
        return session, screen

    def test_it_is_the_same_screen_and_goes_on(self):
        for updates in (b"", self.UPDATES):
            with self.subTest(len(updates)):
                session, screen = self.begin(updates)
                before = self.picture(screen)
                viewer = self.viewer()
                seen = Screen(viewer)
                seen.wait_for(lambda lines: self.picture(seen) == before, "the program's screen")
                # A panel over it leaves no trace.
                viewer.send(PREFIX + b":")
                seen.wait_for_text("command:")
                viewer.send(b"\x1b")
                seen.wait_for(lambda lines: self.picture(seen) == before, "the program's screen again")
                # The message that somebody is here is on the screen until a key is typed.
                session.send(b"k")
                self.assertEqual(self.device.read_exactly(1), b"k")
                self.device.write(self.MORE)
                screen.wait_for_text("and more")
                seen.wait_for(lambda lines: self.picture(seen) == self.picture(screen), "what it draws next")
                self.device.write(b"\x1b[?1049l$ ")
                # Of what was before the program, there is what is kept: the line, or the screen that it is on.
                seen.wait_for(lambda lines: not seen.is_alternate and "$ vi" in lines, "the lines of before")
                self.assertEqual(seen.lines[seen.cursor[0] - 1], "$ vi")
                viewer.leave()
                session.leave()

    def test_views_of_bytes_get_the_bytes(self):
        self.begin()
        sent = b"$ vi\r\n" + self.PICTURE
        self.assertEqual(self.attach().stdout, sent)
        self.viewer("--hex").expect(b"1b 29 30 0e")


class PenTests(AttachCase):
    def setUp(self):
        super().setUp()
        self.holder = self.session()

    def ask(self, viewer):
        viewer.send(PREFIX + b"w")
        viewer.expect(b"is asked for the pen.")
        self.holder.expect(b"asks for the pen. ctrl-t w gives it.")

    def test_keys_of_a_viewer_go_nowhere(self):
        viewer = self.viewer()
        viewer.send(b"reboot\r")
        viewer.expect(b"has the pen.")
        for keys in (b"b", b"D", b"g"):
            viewer.send(PREFIX + keys)
        self.show(b"still here", self.holder, viewer)
        self.holder.send(b"k")
        self.assertEqual(self.device.read_exactly(1), b"k")
        self.assert_nothing_reached_the_device()

    def answer(self, viewer, keys):
        """A viewer asks for the pen, and the holder answers with keys."""
        self.ask(viewer)
        self.holder.send(PREFIX + b"w")
        self.holder.expect(b"give it to")
        self.holder.send(keys)

    def test_the_holder_gives_it_and_gets_it_back(self):
        viewer = self.viewer()
        self.answer(viewer, b"\r")
        viewer.expect(b"you have the pen.")
        viewer.send(b"v")
        self.assertEqual(self.device.read_exactly(1), b"v")
        self.holder.send(b"h")
        self.holder.expect(b"not sent: ")
        self.assert_nothing_reached_the_device()
        viewer.leave()
        self.holder.expect(b"you have the pen.")
        self.holder.send(b"h")
        self.assertEqual(self.device.read_exactly(1), b"h")

    def test_the_holder_keeps_it(self):
        viewer = self.viewer()
        self.answer(viewer, b"keep\r")
        viewer.expect(b"you do not get the pen: it is kept.")
        self.holder.expect(b"you keep the pen")
        viewer.send(b"v")
        viewer.expect(b"not sent: ")
        self.holder.send(b"h")
        self.assertEqual(self.device.read_exactly(1), b"h")

    def test_force_takes_it_and_the_holder_and_the_log_know(self):
        log = self.folder / "session.jsonl"
        with Device() as device:
            holder = self.session("--log", str(log), device=device)
            operator = self.viewer("--force", device.node, watches=False)
            operator.expect(re.compile(rb"you have taken the pen from \S+ on pts/\d+"))
            holder.expect(re.compile(rb"has taken the pen from you"))
            operator.send(b"o")
            self.assertEqual(device.read_exactly(1), b"o")
            holder.send(b"h")
            holder.expect(b"not sent: ")
            self.assertEqual(unread(device.descriptor), 0)
            # It takes it back without a word to the others.
            holder.send(PREFIX + b":")
            holder.send(b"take-pen\r")
            operator.expect(b"has taken the pen from you")

    def test_who_sets_the_line_is_named_and_the_port_is_not_back(self):
        viewer = self.viewer()
        name = HERE.search(viewer.output).group(1)
        self.holder.send(PREFIX + b"B57600\r")
        viewer.expect(name + b" set 57600 8N1.")
        self.answer(viewer, b"\r")
        viewer.expect(b"you have the pen.")
        viewer.send(PREFIX + b"B9600\r")
        self.holder.expect(re.compile(rb"\S+ on pts/\d+ set 9600 8N1\."))
        wait_until(lambda: self.device.settings.output_baud == 9600, "the device has the rate")
        self.show(b"after it\r\n", self.holder, viewer)
        for member in (self.holder, viewer):
            self.assertNotIn(b"is back", member.output)
            self.assertEqual(member.output.count(b" set "), 1)

    def test_the_palette_says_who_has_it(self):
        viewer = self.viewer()
        screen = Screen(viewer)
        name = HERE.search(viewer.output).group(1).decode()
        viewer.send(PREFIX + b":")
        viewer.send(b"break")
        wait_until(lambda: f"{name} has the pen" in screen.text, "break is off, with the reason")

    def test_leaving_ends_only_the_viewer(self):
        viewer, other = self.viewer(), self.viewer()
        status, _ = viewer.leave()
        self.assertEqual(status, 0)
        self.assertEqual(viewer.settings, viewer.original_settings)
        self.holder.expect(b"has left.")
        self.show(b"goes on", self.holder, other)

    def test_a_viewer_that_is_killed_is_gone_at_once(self):
        viewer = self.viewer()
        self.answer(viewer, b"\r")
        viewer.expect(b"you have the pen.")
        waited, killed = self.waited(self.holder), time.monotonic()
        viewer.process.kill()
        self.holder.expect(b"you have the pen.")
        milliseconds = (time.monotonic() - killed) * 1000
        record(55, "viewer with the pen killed to another has it", milliseconds, "ms", at_most=100)
        self.assertLessEqual(self.waited(self.holder) - waited, 100)
        self.holder.expect(b"has left.")


class EndTests(AttachCase):
    def test_quitting_the_session_tells_everybody_why(self):
        session = self.session()
        viewers = [self.viewer(), self.viewer()]
        pipe = self.pipes()
        pipe.stderr.expect(b"you watch")
        self.show(b"last words", session, *viewers, pipe.stdout)
        self.assertEqual(session.leave()[0], 0)
        for viewer in viewers:
            viewer.expect(b"the session has ended: ")
            self.assertEqual(viewer.wait(), 0)
            self.assertEqual(viewer.settings, viewer.original_settings)
        self.assertEqual(pipe.wait(), 0)
        pipe.stderr.expect(b"the session has ended: ")

    def test_a_session_that_ends_by_a_signal_says_so(self):
        session = self.session()
        viewer = self.viewer()
        session.signal(15)
        viewer.expect(b"the session has ended: it was stopped by signal 15 (TERM).")
        self.assertEqual(viewer.wait(), 0)

    def test_a_session_that_is_killed_is_a_lost_connection(self):
        session = self.session()
        viewer = self.viewer()
        session.process.kill()
        viewer.expect(re.compile(rb"\(session %d\): the connection is lost" % session.pid))
        self.assertEqual(viewer.wait(), 6)
        self.assertEqual(viewer.settings, viewer.original_settings)

    def test_unplugging_is_seen_by_all(self):
        session = self.session()
        viewer = self.viewer()
        screen = Screen(viewer)
        self.device.hang_up()
        session.expect(b"is gone, waiting")
        viewer.expect(b"is gone; the session waits for it.")
        viewer.send(PREFIX + b":")
        viewer.send(b"break")
        wait_until(lambda: "no device" in screen.text, "commands are off meanwhile")
        viewer.send(b"\x1b")
        late = self.viewer()
        self.device.plug()
        session.expect(b"is back after")
        for each in (viewer, late):
            each.expect(b"is back.")
        self.show(b"again", session, viewer, late)


class PipeTests(AttachCase):
    def test_without_input_it_prints_what_was_shown_and_ends(self):
        session = self.session()
        self.show(b"booted\r\n", session)
        result = self.attach()
        self.assertEqual((result.status, result.stdout), (0, b"booted\r\n"))

    def test_input_of_a_viewer_is_refused_and_said(self):
        session = self.session()
        result = self.attach(stdin=b"hello")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.stderr, rb"5 bytes were not sent: \S+ on pts/\d+ has the pen")
        self.show(b"x", session)
        self.assert_nothing_reached_the_device()

    def test_forced_input_is_sent(self):
        session = self.session()
        result = self.attach("--force", stdin=b"hello")
        self.assertEqual((result.status, self.device.read_exactly(5)), (0, b"hello"), result)
        session.expect(b"you have the pen.")

    def test_a_reader_that_ends_ends_the_viewer(self):
        session = self.session()
        viewer = self.pipes()
        viewer.stderr.expect(b"you watch")
        viewer.close_stdout()
        self.device.write(b"into the void\r\n")
        self.assertEqual(viewer.wait(), 9)
        session.expect(b"has left")


class ServiceTests(AttachCase):
    """Sessions without a user."""

    def service(self, *words, ready=None):
        program = self.enterContext(
            Pipes(serialterm_binary(), *words, variables=self.variables))
        if ready:
            program.stderr.expect(ready)
        return program

    def test_a_session_that_logs_sends_nothing_for_anybody(self):
        log = self.folder / "board.log"
        self.service("log", self.device.path, str(log), ready=b"logging")
        viewer = self.viewer("--force", watches=False)
        viewer.expect(b"Nobody may write here: you watch.")
        self.assertIn(b" log ", self.attach("--list").stdout)
        viewer.send(b"x" + PREFIX + b"w")
        viewer.expect(b"nobody writes here")
        self.show(b"seen", viewer)
        self.assert_nothing_reached_the_device()
        wait_until(lambda: log.read_bytes() == b"seen", "it is logged")

    def test_it_knows_the_screen_of_a_program(self):
        log = self.folder / "board.log"
        self.service("log", self.device.path, str(log), ready=b"logging")
        sent = b"$ vi\r\n" + JoinedScreenTests.PICTURE + JoinedScreenTests.UPDATES
        self.device.write(sent)
        wait_until(lambda: log.stat().st_size == len(sent), "it is logged")
        screen = Screen(self.viewer(watches=False))
        screen.wait_for(lambda lines: lines[11].endswith("007999"), "the last update")
        self.assertIn("the title", screen.lines[0])
        self.assertIn("\u250c\u2500", screen.lines[1])
        self.assertTrue(screen.is_alternate)

    def test_a_program_that_drives_a_session_has_the_pen(self):
        log = self.folder / "driven.jsonl"
        program = self.service(
            "connect", self.device.path, "--json", "--log", str(log))
        program.stdout.expect(b'"open"')
        wait_until(lambda: self.attach("--list").stdout, "the session can be joined")
        viewer = self.viewer()
        viewer.send(b"x" + PREFIX + b"w")
        viewer.expect(b"is a program and cannot be asked")
        program.send(b'{"command":"send","text":"one","id":1}\n')
        program.stdout.expect(b'"done"')
        self.assertEqual(self.device.read_exactly(3), b"one")
        # An operator cannot take it either: scripted bytes must not depend on anybody.
        result = self.attach("--force", stdin=b"two")
        self.assertEqual(result.status, 1)
        self.assertRegex(result.stderr, rb"3 bytes were not sent: \S+ \(pid \d+\) has the pen")
        self.assert_nothing_reached_the_device()
        program.send(b'{"command":"send","text":"three","id":2}\n')
        self.assertEqual(self.device.read_exactly(5), b"three")
        program.close_stdin()
        self.assertEqual(program.wait(), 0)

    def test_a_script_is_watched_and_not_disturbed(self):
        script = self.folder / "login.script"
        script.write_text("expect /login: /\nsend \"root\"\nexpect /# /\n")
        program = self.service("run", self.device.path, str(script), "--timeout", "60")
        wait_until(lambda: self.attach("--list").stdout, "the session can be joined")
        viewer = self.viewer("--force", watches=False)
        viewer.expect(b"pen")
        viewer.send(b"x")
        self.device.write(b"login: ")
        self.assertEqual(self.device.read_exactly(4), b"root")
        self.device.write(b"# ")
        self.assertEqual(program.wait(), 0)
        viewer.expect(b"the session has ended")
        self.assertEqual(viewer.wait(), 0)

    def test_the_command_of_exec_is_watched(self):
        program = self.service("connect", self.device.path, "--exec", "cat; echo done")
        wait_until(lambda: self.attach("--list").stdout, "the session can be joined")
        viewer = self.viewer()
        viewer.send(b"x")
        viewer.expect(b"has the pen")
        self.show(b"for the command", viewer)
        self.assertEqual(self.device.read_exactly(15), b"for the command")
        self.assert_nothing_reached_the_device()
        program.signal(15)
        viewer.expect(b"the session has ended")


if __name__ == "__main__":
    unittest.main()
