"""A device asks its terminal something, and it changes what keys send."""

import base64
import json
import signal

from Tests.endtoend.faults import PREFIX, processes
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_palette import PaletteTest

# What resize(1) sends, and its answer on a screen of 24 rows and 80 columns.
RESIZE = b"\x1b7\x1b[r\x1b[999;999H\x1b[6n\x1b8"
SIZE = b"\x1b[24;80R"
KIND = b"\x1b[?62;22c"


class QuestionTests(PaletteTest):
    def test_nothing_is_answered_unless_the_user_wants_it(self):
        terminal, screen = self.start()
        self.device.write(RESIZE + b"\x1b[c\x1b[5n size?\r\n")
        screen.wait_for_text("gets no answer")
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")
        self.open_palette(terminal, screen, b"answer")
        terminal.send(b"\r")
        screen.wait_for_text("off   now")
        terminal.send(b"size\r")
        screen.wait_for_text("answer is size.")
        self.device.write(b"\x1b[c" + RESIZE)
        self.assertEqual(self.device.read_exactly(len(SIZE)), SIZE)
        for question in (b"\x1b[6n", b"\x1b[c", b"\x1b[5n"):
            self.assertNotIn(question, terminal.output)
        self.assertEqual(terminal.leave()[0], 0)

    def test_answers_are_logged_with_their_author(self):
        path = self.folder / "session.jsonl"
        terminal, _ = self.start("--answer", "all", "--log", str(path), "--log-sent")
        self.device.write(b"\x1b[c")
        self.assertEqual(self.device.read_exactly(len(KIND)), KIND)
        terminal.send(b"ls")
        self.assertEqual(self.device.read_exactly(2), b"ls")
        self.assertEqual(terminal.leave()[0], 0)
        sent = [entry for entry in map(json.loads, path.read_text().splitlines())
                if entry.get("direction") == "to-device"]
        self.assertEqual(
            [(entry.get("by"), base64.b64decode(entry["bytes"])) for entry in sent], [("terminal", KIND), (None, b"ls")])

    def test_a_session_that_only_reads_answers_nothing(self):
        terminal, screen = self.start("--answer", "all", "--read-only")
        self.device.write(b"\x1b[c\x1b[5n" + RESIZE + b"end\r\n")
        screen.wait_for_text("end")
        self.open_palette(terminal, screen, b"answer")
        screen.wait_for_text("read-only")
        self.close_palette(terminal, screen)
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(self.device.rest(), b"")


class KeyTests(PaletteTest):
    # What a device switches, and what the prefix and q are then.
    FORMS = (
        (b"\x1b[>4;2m", b"\x1b[27;5;116~", b"q"), (b"\x1b[=1u", b"\x1b[116;5u", b"q"),
        (b"\x1b[=31u", b"\x1b[1077::116;5:1u\x1b[57442;1:3u\x1b[1077;1:3u", b"\x1b[1081::113;1:1;1081u"))

    def test_the_prefix_is_known_where_the_device_has_changed_the_keys(self):
        for switch, prefix, key in self.FORMS:
            with self.subTest(switch=switch):
                terminal, screen = self.start("--raw")
                self.device.write(switch + b"editor\r\n")
                screen.wait_for_text("editor")
                self.assertIn(switch, terminal.output)
                # A list takes these keys, too: escape closes it.
                terminal.send(prefix + b"\x1b[58u")
                screen.wait_for_text("command:")
                terminal.send(b"\x1b[27u")
                screen.wait_until_gone("command:")
                # The device has them as it wants them.
                terminal.send(b"\x1b[97;5u")
                self.assertEqual(self.device.read_exactly(7), b"\x1b[97;5u")
                self.assertEqual(terminal.leave(prefix + key)[0], 0)

    def test_a_kill_gives_the_keys_and_the_colours_back(self):
        terminal, screen = self.start("--raw")
        wait_until(lambda: processes.in_session(terminal.pid, processes.GUARD), "the guard runs")
        self.device.write(b"\x1b[>4;2m\x1b[>1u editor\r\n")
        screen.wait_for_text("editor")
        # The second change is as well known as the first.
        self.device.write(b"\x1b]11;#300\x07 red\r\n")
        screen.wait_for_text("red")
        before = len(terminal.output)
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        wait_until(lambda: not processes.in_session(terminal.pid), "the guard ends too")
        terminal.transcript.expect_end()
        for undoing in (b"\x1b[>4m", b"\x1b[<1u", b"\x1b]111\x1b\\"):
            self.assertIn(undoing, terminal.output[before:])

    def test_ctrl_q_quits_where_the_keyboard_has_no_q(self):
        terminal, _ = self.start()
        self.assertEqual(terminal.leave(PREFIX + b"\x11")[0], 0)
