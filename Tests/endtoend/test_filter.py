"""A command between the device and the screen: `--filter`."""

import os
import re
import signal

from Tests.endtoend.faults import processes, record, text
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_palette import PaletteTest


class FilterTests(PaletteTest):
    def toggle(self, terminal, screen):
        self.open_palette(terminal, screen, b"filter")
        terminal.send(b"\r")

    def test_what_the_command_makes_of_it_is_shown_and_the_log_has_the_bytes(self):
        _, screen = self.start("--filter", "sed -u s/0x1234/main.c:7/", "--log", str(self.log))
        said = b"pc 0x1234\r\nsp 0x5678\r\n"
        self.device.write(said)
        screen.wait_for(
            lambda lines: "pc main.c:7" in lines and "sp 0x5678" in lines, "what sed made")
        self.wait_for_log(len(said))
        self.assertEqual(self.log.read_bytes(), said)

    def test_what_it_says_is_shown_in_lines_and_made_harmless(self):
        terminal, screen = self.start(
            "--filter", "echo one; echo two >&2; printf 'thr\\033[6nee\\n'; cat")
        screen.wait_for(
            lambda lines: all(line in lines for line in ("one", "two", "three")), "three lines")
        self.device.write(b"four")
        screen.wait_for_text("four")
        self.assertNotIn(b"\x1b[6n", terminal.output)

    def test_it_composes_with_stamps_and_highlights(self):
        _, screen = self.start(
            "--filter", "sed -u s/E1/error/", "--timestamps", "epoch", "--highlight", "error=red")
        self.device.write(b"E1 here\r\n")
        screen.wait_for(lambda _: screen.colour_of("error") == "red", "error in red")
        self.assertRegex(screen.lines[screen.row_of("error")], r"^\[\d+\.\d{3}\] error here$")

    def test_it_is_switched_off_and_on(self):
        terminal, screen = self.start("--filter", "sed -u s/a/b/")
        for word, shown in ((b"a1", "b1"), (b"a2", "a2"), (b"a3", "b3")):
            self.device.write(word + b"\r\n")
            screen.wait_for(lambda lines, shown=shown: shown in lines, shown)
            self.toggle(terminal, screen)
            screen.wait_for_text(f"filter is {'on' if shown == 'a2' else 'off'}.")
            terminal.send(b"\x14l")
            screen.wait_until_gone("filter is")

    def test_one_that_ends_is_said_and_the_screen_goes_on(self):
        terminal, screen = self.start("--filter", "head -c 3; exit 3", "--log", str(self.log))
        self.device.write(b"abc")
        screen.wait_for_text("the filter ended with status 3: the output is shown unfiltered.")
        screen.wait_for_text("abc")
        self.device.write(b"after")
        screen.wait_for_text("after")
        self.wait_for_log(8)
        self.assertEqual(self.log.read_bytes(), b"abcafter")
        self.assertEqual(self.quit(terminal)[0], 0)

    def test_one_that_is_killed_is_said(self):
        terminal, screen = self.start("--filter", "echo pid $$.; exec cat")
        pid = int(terminal.expect(re.compile(rb"pid (\d+)\.")).group(1))
        os.kill(pid, signal.SIGKILL)
        terminal.expect(b"the filter was stopped by signal 9")
        self.device.write(b"after")
        terminal.expect(b"after")

    def test_one_that_is_not_there_is_said(self):
        terminal, _ = self.start("--filter", "/nonexistent/command")
        terminal.expect(b"not found")
        terminal.expect(b"the filter ended with status 127")

    def test_one_that_closes_its_ends_is_let_go(self):
        terminal, _ = self.start("--filter", "exec sleep 60 >/dev/null 2>&1 </dev/null")
        terminal.expect(b"the filter takes and writes nothing any more")
        self.device.write(b"after")
        terminal.expect(b"after")
        wait_until(
            lambda: "sleep" not in str(processes.in_session(terminal.pid)), "it was told to end")

    def test_what_comes_until_it_is_let_go_is_counted(self):
        terminal, _ = self.start("--filter", "exec 0<&-; exec sleep 60")
        sent = 0

        def is_let_go():
            nonlocal sent
            self.device.write(b"~")
            sent += 1
            return b"the filter takes and writes nothing any more" in terminal.output

        wait_until(is_let_go, "it is let go")
        self.device.write(b"end")
        terminal.expect(b"end")
        count = re.search(rb"(\d+) bytes were not taken by it\.", terminal.output)
        self.assertEqual(
            terminal.output.count(b"~") + (int(count.group(1)) if count else 0), sent)

    def test_one_that_stalls_loses_nothing_but_the_screen_and_the_count_is_exact(self):
        terminal, _ = self.start("--filter", "exec sleep 60", "--log", str(self.log))
        said = text(2_000_000)
        self.device.write(said)
        self.wait_for_log(len(said))
        self.assertTrue(self.log.read_bytes() == said, "what the log got differs")
        terminal.expect(b"the filter is too slow")
        terminal.send(b"\x14:filter\r")
        terminal.expect(b"2,000,000 bytes were not taken by the filter.")
        self.device.write(b"shown again")
        terminal.expect(b"shown again")

    def test_one_that_stalls_does_not_keep_the_session(self):
        terminal, _ = self.start("--filter", "trap '' TERM; exec sleep 60")
        self.device.write(text(1_000))
        status, seconds = self.quit(terminal)
        record(68, "quit key to the end, the filter hangs", seconds * 1000, "ms", at_most=500)
        self.assertEqual(status, 0)
        self.assertEqual(terminal.settings, terminal.original_settings)
        wait_until(lambda: not processes.in_session(terminal.pid), "it was killed")

    def test_at_the_end_it_may_show_what_it_has(self):
        terminal, _ = self.start("--filter", "wc -c; echo bye", "--log", str(self.log))
        self.device.write(b"12345")
        self.wait_for_log(5)
        status, _ = self.quit(terminal)
        self.assertEqual(status, 0)
        terminal.expect(b"5\r\nbye")
        wait_until(lambda: not processes.in_session(terminal.pid), "nobody is left")
        self.assert_given_back(terminal)

    def test_much_at_once_passes_whole(self):
        """As much as waits for a command that is not given any time to run."""
        terminal, _ = self.start("--filter", "cat")
        said = text(400_000)
        self.device.write(said)
        self.device.write(b"the end")
        terminal.expect(b"the end")
        self.assertIn(said + b"the end", terminal.output)
