"""What a device switches on or off at the user's terminal is given back, in every mode and on every way out."""

import os
import signal

from Tests.endtoend.faults import PREFIX, processes
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_palette import PaletteTest

# What a device can switch: its sequence, and what gives it back. The escape filter lets the first ones pass.
FILTERED = {
    "attributes": (b"\x1b[31;7m", b"\x1b[0m"),
    "hidden cursor": (b"\x1b[?25l", b"\x1b[?25h"),
    "no wrap": (b"\x1b[?7l", b"\x1b[?7h"),
    "scroll region": (b"\x1b[3;9r", b"\x1b[r"),
}
RAW = FILTERED | {
    "application keys": (b"\x1b[?1h", b"\x1b[?1l"),
    "keypad": (b"\x1b=", b"\x1b>"),
    "reverse video": (b"\x1b[?5h", b"\x1b[?5l"),
    "origin mode": (b"\x1b[?6h", b"\x1b[?6l"),
    "insert mode": (b"\x1b[4h", b"\x1b[4l"),
    "alternate screen": (b"\x1b[?1047h", b"\x1b[?1047l"),
    "mouse": (b"\x1b[?1000;1006h", b"\x1b[?1006l"),
    "focus": (b"\x1b[?1004h", b"\x1b[?1004l"),
    "pastes": (b"\x1b[?2004h", b"\x1b[?2004l"),
    "synchronised output": (b"\x1b[?2026h", b"\x1b[?2026l"),
    "line drawing": (b"\x1b(0", b"\x1b(B"),
    "shifted out": (b"\x0e", b"\x0f"),
    "shape of the cursor": (b"\x1b[4 q", b"\x1b[0 q"),
}
MODES = {
    "plain": ((), FILTERED), "line": (("--input-mode", "line"), FILTERED),
    "status": (("--status",), FILTERED), "raw": (("--raw",), RAW),
    "raw and line": (("--raw", "--input-mode", "line"), RAW),
}


class GivenBackTests(PaletteTest):
    def leave(self, way, terminal):
        """Leaves the session; waits until nothing is left of it."""
        guard = self.guard_of(terminal)
        if way == "quit":
            terminal.send(PREFIX + b"q")
        elif way == "unplug":
            self.device.hang_up()
        else:
            os.kill(terminal.pid, way)
        terminal.wait()
        wait_until(lambda: guard not in processes.in_session(terminal.pid), "the guard has ended")
        terminal.transcript.expect_end()
        return terminal.output

    def check(self, mode, way):
        options, table = MODES[mode]
        terminal, screen = self.start("--no-reconnect", *options)
        if mode.endswith("line"):
            screen.wait_for(lambda lines: ">" in lines, "the line")
        for switch, _ in table.values():
            self.device.write(switch)
        self.device.write(b"done")
        terminal.expect(b"done")
        output = self.leave(way, terminal)
        for name, (switch, reset) in table.items():
            with self.subTest(mode=mode, way=way, what=name):
                self.assertGreater(output.rfind(reset), output.rfind(switch), output[-300:])
        if way == "unplug":
            self.device.plug()

    def test_quitting(self):
        for mode in MODES:
            self.check(mode, "quit")

    def test_unplugging(self):
        for mode in MODES:
            self.check(mode, "unplug")

    def test_signals(self):
        for mode in MODES:
            self.check(mode, signal.SIGTERM)

    def test_crashes(self):
        for mode in MODES:
            self.check(mode, signal.SIGSEGV)

    def test_killed(self):
        for mode in MODES:
            self.check(mode, signal.SIGKILL)

    def test_what_waits_behind_a_list_is_given_back_too(self):
        for way in ("quit", signal.SIGTERM):
            terminal, screen = self.start("--no-reconnect")
            self.open_palette(terminal, screen)
            self.device.write_until_read(b"\x1b[?25l\x1b[31m")
            if way == "quit":
                terminal.send(b"\x1b")
                screen.wait_until_gone("command:")
                self.open_palette(terminal, screen)
                self.device.write_until_read(b"\x1b[?25l")
                terminal.send(b"\x1b" + PREFIX + b"q")
                terminal.wait()
                terminal.transcript.expect_end()
                output = terminal.output
            else:
                output = self.leave(way, terminal)
            self.assertGreater(output.rfind(b"\x1b[?25h"), output.rfind(b"\x1b[?25l"))

    def test_another_view_gives_back_what_was_switched_before(self):
        terminal, screen = self.start("--raw")
        self.device.write(b"\x1b[?1000hdone")
        terminal.expect(b"done")
        terminal.send(PREFIX + b"t")
        screen.wait_for_text("timestamps are on")
        output = self.leave("quit", terminal)
        self.assertIn(b"\x1b[?1000l", output)

    def test_a_plot_leaves_no_scroll_region(self):
        terminal, screen = self.start()
        for number in range(40):
            self.device.write(b"value=%d\r\n" % number)
        screen.wait_for_text("value=39")
        terminal.send(PREFIX + b"y")
        wait_until(lambda: not screen.scrolls_whole, "the plot")
        terminal.send(PREFIX + b"q")
        terminal.wait()
        terminal.transcript.expect_end()
        regions = [part.split(b"r")[0] for part in terminal.output.split(b"\x1b[")[1:]
                   if part[:1] in b"0123456789r;" and part.lstrip(b"0123456789;").startswith(b"r")]
        self.assertEqual(regions[-1], b"", regions)
