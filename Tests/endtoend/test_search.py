"""Searching the received text, with ctrl-t and a slash, and writing it to a file."""

import re
import stat
from pathlib import Path

from Tests.endtoend.faults import PREFIX, SessionTest, disks, processes
from Tests.endtoend.harness.deadline import wait_until
from Tests.endtoend.harness.screen import Screen

OPEN, CLOSE = PREFIX + b"/", b"\x07"
MEBIBYTE = 1 << 20


class SearchTest(SessionTest):
    def start(self, *options, size=(24, 80), **how):
        terminal = self.session(*options, size=size, **how)
        screen = Screen(terminal, size)
        screen.wait_for_text("ctrl-t q")
        return terminal, screen

    def send_lines(self, screen, count):
        self.device.write(b"".join(b"line %d\r\n" % number for number in range(1, count + 1)))
        screen.wait_for_text(f"line {count}")

    def open_search(self, terminal, screen, expression=b""):
        terminal.send(OPEN)
        screen.wait_for_text("search:")
        terminal.send(expression)
        screen.wait_for_text("search: " + expression.decode())


class PanelTests(SearchTest):
    def test_it_finds_what_has_left_the_screen_with_its_time(self):
        terminal, screen = self.start()
        self.send_lines(screen, 3_000)
        self.open_search(terminal, screen, b"LINE 17$".lower())
        screen.wait_for_text("1 match")
        row = next(line for line in screen.lines if line.startswith(">"))
        self.assertRegex(row, r"^>\d\d:\d\d:\d\d\.\d{3} line 17$")
        terminal.send(b"\r")
        screen.wait_for_text("match 1 of 1")
        self.assertIsNotNone(screen.row_of("line 16"))
        self.assertIsNotNone(screen.row_of("line 18"))
        terminal.send(CLOSE)
        screen.wait_until_gone("match 1 of 1")
        # Nothing of what was typed before has reached the device.
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")

    def test_the_device_is_read_and_logged_meanwhile_and_its_text_is_shown_after(self):
        terminal, screen = self.start("--log", str(self.log))
        self.send_lines(screen, 20)
        self.open_search(terminal, screen, b"line 2")
        self.device.write(b"line 21\r\nline 22\r\n")
        screen.wait_for_text("18 bytes came meanwhile")
        screen.wait_for_text(">")
        self.wait_for_log(sum(len(b"line %d\r\n" % number) for number in range(1, 23)))
        screen.wait_for_text("4 matches")
        terminal.send(CLOSE)
        screen.wait_until_gone("search:")
        rows = screen.everything
        start = rows.index("line 1")
        self.assertEqual(rows[start:start + 22], [f"line {n}" for n in range(1, 23)])

    def test_unplugging_and_a_smaller_window_leave_it_open(self):
        terminal, screen = self.start()
        self.send_lines(screen, 100)
        self.open_search(terminal, screen, b"line 9")
        self.device.hang_up()
        terminal.resize(6, 30)
        screen.resize(6, 30)
        screen.wait_for_text("search: line 9")
        terminal.send(b"\r")
        screen.wait_for_text("line 99")
        terminal.send(CLOSE)
        screen.wait_for_text("gone, waiting")

    def test_without_scrollback_the_command_says_why_it_is_off(self):
        terminal, _ = self.start("--scrollback", "0")
        terminal.send(OPEN)
        terminal.expect(b"Not available: the scrollback is off: --scrollback is 0.")

    def test_a_mark_is_found(self):
        terminal, screen = self.start()
        self.send_lines(screen, 3)
        terminal.send(PREFIX + b"M")
        screen.wait_for_text("mark 1 at")
        self.open_search(terminal, screen, b"^--- mark")
        screen.wait_for_text("1 match")


class FileTests(SearchTest):
    def write(self, terminal, screen, name, choice):
        """Writes lines to a file in the folder; returns its contents."""
        terminal.send(b"\rw")
        screen.wait_for_text("write:")
        terminal.send(choice + b"\r")
        screen.wait_for_text("write to:")
        path = Path(self.folder) / name
        terminal.send(str(path).encode() + b"\r")
        screen.wait_for_text("line ")
        wait_until(path.exists, "the file")
        terminal.send(CLOSE)
        screen.wait_for_text("written.")
        return path

    def test_matches_are_written_with_their_times(self):
        terminal, screen = self.start()
        self.send_lines(screen, 300)
        self.open_search(terminal, screen, b"line 29.$")
        screen.wait_for_text("10 matches")
        path = self.write(terminal, screen, "matches.txt", b"matching")
        rows = path.read_text().splitlines()
        self.assertEqual([row.partition("] ")[2] for row in rows],
                         [f"line {number}" for number in range(290, 300)])
        self.assertTrue(all(re.match(r"\[\d{4}-\d\d-\d\dT", row) for row in rows))
        self.assertEqual(stat.S_IMODE(path.stat().st_mode), 0o600)

    def test_everything_is_written_as_it_was_received(self):
        content = b"\x1b[31mred\x1b[0m\xff\r\n" + bytes(range(256)) * 100
        terminal, screen = self.start()
        self.device.write(content + b"\r\nlast line")
        screen.wait_for_text("last line")
        self.open_search(terminal, screen)
        path = self.write(terminal, screen, "all.bin", b"bytes")
        self.assertEqual(path.read_bytes(), content + b"\r\nlast line")

    def write_text(self, terminal, screen, path):
        terminal.send(PREFIX + b":write-text\r")
        screen.wait_for_text("write:")
        terminal.send(b"\r")
        screen.wait_for_text("write to:")
        terminal.send(f"{path}\r".encode())

    def test_what_is_no_regular_file_is_refused(self):
        terminal, screen = self.start()
        self.send_lines(screen, 30)
        self.write_text(terminal, screen, "/dev/full")
        screen.wait_for_text("full exists")
        terminal.send(b"append\r")
        screen.wait_for_text("/dev/full is a device.")

    def test_a_full_disk_is_said_and_the_session_goes_on(self):
        with disks.small(Path(self.folder) / "disk", 16) as disk:
            terminal, screen = self.start()
            self.send_lines(screen, 3_000)
            self.write_text(terminal, screen, disk / "lines.txt")
            screen.wait_for_text("No space left on device")
            self.send_lines(screen, 3)
            self.quit(terminal)


class MemoryTests(SearchTest):
    def growth(self, *options):
        """The MiB of memory that 9 MiB of lines cost."""
        terminal, _ = self.start(*options)
        before = processes.memory(terminal.pid)[0]
        line = b"a line of the usual length, with a number %d\r\n"
        lines = b"".join(line % number for number in range(200_000))
        self.assertGreater(len(lines), 9 * MEBIBYTE)
        self.device.write(lines + b"the end\r\n")
        terminal.expect(b"the end")
        growth = processes.memory(terminal.pid)[0] - before
        self.quit(terminal)
        return growth

    def test_the_memory_is_bounded(self):
        growth = self.growth() - self.growth("--scrollback", "0")
        # Without a limit it is nine, and what the terminal has not taken yet is not the same each time.
        self.assertLess(growth, 6)
        self.assertGreater(growth, 3)
