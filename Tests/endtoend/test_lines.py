"""What a line is: the same in text logs, in the search, for alerts and for --collapse."""

import os
import pty
import select
import threading

from Tests.endtoend.test_log_formats import STAMP
from Tests.endtoend.test_search import SearchTest

ENDS = {
    "CR LF": b"one\r\ntwo\r\ntwo\r\nthree\r\n", "LF CR": b"one\n\rtwo\n\rtwo\n\rthree\n\r",
    "CR CR LF": b"one\r\r\ntwo\r\r\ntwo\r\r\nthree\r\r\n", "CR before, LF after": b"\rone\n\rtwo\n\rtwo\n\rthree\n"}


class LineTests(SearchTest):
    def logged(self, terminal):
        """The lines of the text log after the session, without events."""
        self.assertEqual(terminal.leave()[0], 0)
        lines = [STAMP.sub("", line) for line in (self.folder / "log.txt").read_text().splitlines()]
        return [line for line in lines if not line.startswith("[")]

    def begin(self, *options):
        (self.folder / "log.txt").unlink(missing_ok=True)
        return self.start("-L", str(self.folder / "log.txt"), *options)

    def test_line_ends_of_every_kind_are_one_end_everywhere(self):
        for name, said in ENDS.items():
            with self.subTest(name):
                terminal, screen = self.begin("--collapse")
                self.device.write(said)
                screen.wait_for_text("three")
                self.assertEqual([line for line in screen.lines if line in ("one", "two (×2)", "three", "two")],
                                 ["one", "two (×2)", "three"])
                self.open_search(terminal, screen, b"^two$")
                screen.wait_for_text("2 matches")
                terminal.send(b"\x1b")
                screen.wait_until_gone("2 matches")
                self.assertEqual(self.logged(terminal), ["one", "two", "two", "three"])

    def test_a_progress_bar_is_one_line_and_an_instrument_without_lf_has_lines(self):
        terminal, screen = self.begin()
        self.device.write(b"1.25\r1.50\r")
        screen.wait_for_text("1.50")
        self.device.write(b"\r\nflashing\r\n" + b"".join(b"%3d %%\r" % part for part in range(0, 101, 10)) + b"\ndone\r\n")
        screen.wait_for_text("done")
        self.assertEqual(self.logged(terminal), ["1.25", "1.50", "flashing", "100 %", "done"])

    def test_a_correction_at_a_shell_is_in_no_line(self):
        terminal, screen = self.begin()
        shell = Shell(self.device)
        self.addCleanup(shell.stop)
        screen.wait_for_text("board$")
        for typed, shown in ((b"echo helo", "board$ echo helo"), (b"\x7f", "board$ echo hel"),
                             (b"lo!\x1b[D\x1b[Dxx\x7f\x7f", "board$ echo hello!"), (b"\x1b[C\x1b[C\x7f", "board$ echo hello")):
            terminal.send(typed)
            screen.wait_for(lambda lines, shown=shown: shown in lines, shown)
        terminal.send(b"\r")
        screen.wait_for(lambda lines: "hello" in lines, "the answer")
        # The command before, changed in its middle.
        terminal.send(b"\x1b[A\x01\x1b[C\x1b[C\x1b[C\x1b[Cx\x7f -n\r")
        screen.wait_for(lambda lines: any(line.startswith("helloboard$") for line in lines), "the answer without a line end")
        self.open_search(terminal, screen, b"echo")
        screen.wait_for_text("2 matches")
        terminal.send(b"\x1b")
        screen.wait_until_gone("2 matches")
        lines = self.logged(terminal)
        self.assertEqual(lines[-4:], ["board$ echo hello", "hello", "board$ echo -n hello", "helloboard$ "])


class Shell:
    """bash on a terminal of its own, joined with a device."""

    def __init__(self, device):
        self._pid, self._terminal = pty.fork()
        if self._pid == 0:
            os.environ.update(TERM="vt102", PS1="board$ ", HISTFILE="/dev/null", LC_ALL="C.UTF-8")
            os.execvp("bash", ["bash", "--noprofile", "--norc", "-i"])
        self._device = device
        self._stopped = os.pipe()
        self._thread = threading.Thread(target=self._join)
        self._thread.start()

    def _join(self):
        ends = {self._terminal: self._device.descriptor, self._device.descriptor: self._terminal}
        while True:
            ready = select.select([*ends, self._stopped[0]], [], [])[0]
            if self._stopped[0] in ready:
                return
            for end in ready:
                os.write(ends[end], os.read(end, 4096))

    def stop(self):
        os.write(self._stopped[1], b"x")
        self._thread.join()
        os.close(self._terminal)
        os.waitpid(self._pid, 0)
        for end in self._stopped:
            os.close(end)
