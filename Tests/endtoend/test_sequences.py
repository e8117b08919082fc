"""Line sequences: played by name from the palette, in the order and at the times that they say."""

import time
import unittest

from Tests.endtoend.faults import HAS_COMPILER, PREFIX
from Tests.endtoend.faults.line import Driver
from Tests.endtoend.harness import serialterm, wait_until
from Tests.endtoend.servers import Serve, free_port
from Tests.endtoend.test_commands import CommandTest
from Tests.endtoend.test_connect import connect

PROFILE = """
[default.sequences]
reset = "dtr=off,wait=120,dtr=on"
[profile.board.sequences]
bootloader = "esp32-bootloader"
long = "rts=off,wait=10000,wait=10000,wait=10000,rts=on"
touch = "baud=1200,wait=10000,wait=10000,wait=10000"
"""


class SequenceTest(CommandTest):
    def begin_with(self, *options, **how):
        file = self.folder / "config.toml"
        file.write_text(PROFILE)
        self.begin("--config", str(file), "--profile", "board", *options, **how)

    def play(self, name):
        self.open_palette(self.terminal, self.screen, name.encode())
        self.terminal.send(b"\r")


@unittest.skipUnless(HAS_COMPILER, "the simulated driver needs a compiler")
class PlayingTests(SequenceTest):
    def setUp(self):
        super().setUp()
        self.driver = Driver(self.device.path, self.folder)

    def begin_with(self, *options, **how):
        super().begin_with(*options, variables=self.driver.variables, **how)

    def lines(self):
        """The changes of DTR and RTS so far."""
        return [call for call in self.driver.trace if call.startswith("TIOCMB")]

    def test_the_steps_of_a_profile_are_played_and_typing_waits_for_the_end(self):
        self.begin_with()
        started = time.monotonic()
        self.play("sequence: reset")
        # A busy machine may see the second step at the same time.
        wait_until(lambda: self.lines()[:1] == ["TIOCMBIC DTR"], "the first step")
        self.terminal.send(b"after\r")
        self.assertEqual(self.device.read_exactly(6), b"after\r")
        self.assertGreaterEqual(time.monotonic() - started, 0.1)
        self.assertEqual(self.lines(), ["TIOCMBIC DTR", "TIOCMBIS DTR"])
        self.screen.wait_for_text("reset was played.")

    def test_a_ready_one_by_its_name_in_the_profile_and_in_the_list(self):
        steps = ["TIOCMBIC DTR", "TIOCMBIS RTS", "TIOCMBIS DTR", "TIOCMBIC RTS", "TIOCMBIC DTR"]
        self.begin_with()
        self.play("sequence: bootloader")
        self.screen.wait_for_text("bootloader was played.")
        self.assertEqual(self.lines(), steps)
        self.play("sequence")
        self.screen.wait_for_text("sequence:")
        self.terminal.send(b"esp32-bootloader\r")
        self.screen.wait_for_text("esp32-bootloader was played.")
        self.assertEqual(self.lines(), steps * 2)

    def test_it_can_be_stopped_and_the_levels_are_shown(self):
        self.begin_with()
        self.play("sequence: long")
        wait_until(lambda: self.lines() == ["TIOCMBIC RTS"], "the first step")
        self.play("sequence: reset")
        self.screen.wait_for_text("long is playing")
        self.terminal.send(b"\x1b")
        self.screen.wait_until_gone("command:")
        self.play("stop")
        self.screen.wait_for_text("long was stopped. DTR on, RTS off")
        self.assertEqual(self.lines(), ["TIOCMBIC RTS"])
        self.expect_nothing_sent()

    def test_unplugged_in_the_middle_it_ends_and_is_not_continued(self):
        self.begin_with()
        self.play("sequence: long")
        wait_until(lambda: self.lines() == ["TIOCMBIC RTS"], "the first step")
        self.device.hang_up()
        self.screen.wait_for_text("long ended with the port.")
        self.device.plug()
        self.screen.wait_for_text("is back")
        self.expect_nothing_sent()
        self.assertEqual(self.lines(), ["TIOCMBIC RTS"])

    def test_it_does_not_keep_the_session_from_ending(self):
        self.begin_with()
        self.play("sequence: long")
        wait_until(lambda: self.lines() == ["TIOCMBIC RTS"], "the first step")
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)


@unittest.skipUnless(HAS_COMPILER, "the simulated driver needs a compiler")
class ServedTests(SequenceTest):
    """With the port of `serialterm serve`, which plays the sequence at its end."""

    def session(self, *options, **how):
        return self.enterContext(connect(self.target, *options, **how))

    def test_the_server_plays_the_whole_sequence(self):
        driver = Driver(self.device.path, self.folder)
        port = free_port()
        self.enterContext(Serve.running(self.device.path, port, self.folder, driver.variables))
        self.target = f"rfc2217://127.0.0.1:{port}"
        self.begin_with()
        self.screen.wait_for_text("at 115200 8N1")
        before = len(driver.trace)
        self.play("sequence: reset")
        self.screen.wait_for_text("reset was played.")
        steps = [call for call in driver.trace[before:] if call.startswith("TIOCMB")]
        self.assertEqual(steps, ["TIOCMBIC DTR", "TIOCMBIS DTR"])
        self.assertNotIn("the network's", "\n".join(self.screen.lines))
        self.terminal.send(b"after\r")
        self.assertEqual(self.device.read_exactly(6), b"after\r")


class RateTests(SequenceTest):
    """On a pseudo-terminal, which has a rate and no lines."""

    def test_a_rate_is_for_the_sequence_only(self):
        self.begin_with("-b", "9600")
        self.play("sequence: touch")
        wait_until(lambda: self.device.settings.output_baud == 1200, "the rate of the step")
        self.play("stop")
        wait_until(lambda: self.device.settings.output_baud == 9600, "the rate before")

    def test_without_modem_lines_or_read_only_it_says_why(self):
        self.begin_with()
        self.open_palette(self.terminal, self.screen, b"sequence: reset")
        self.screen.wait_for_text("(off: this port has no modem lines")
        self.close_palette(self.terminal, self.screen)

    def test_read_only(self):
        self.begin_with("--read-only")
        self.open_palette(self.terminal, self.screen, b"sequence: touch")
        self.screen.wait_for_text("(off: read-only)")


class MistakeTests(SequenceTest):
    def test_a_mistake_is_named_with_its_line(self):
        file = self.folder / "config.toml"
        for text, expected in (
                ("x = 'dtr=up'", "2: 'x': item 1, 'dtr=up': expected dtr=on or dtr=off"),
                ("x = 'esp'", "2: 'x': 'esp' is not a ready sequence: expected one of esp32-"),
                ("x = 3", "2: 'x' is a whole number: expected steps")):
            file.write_text(f"[default.sequences]\n{text}\n")
            result = serialterm("connect", "loopback:", "--config", str(file))
            self.assertEqual(result.status, 2, result)
            self.assertIn(expected, result.stderr.decode())

    def test_the_commands_about_profiles_read_them(self):
        file = self.folder / "config.toml"
        file.write_text(PROFILE)
        shown = serialterm("profile", "show", "board", "--config", str(file))
        self.assertEqual(shown.status, 0, shown)
        self.assertIn(b'[profile.board.sequences]\nbootloader = "esp32-bootloader"\n', shown.stdout)
        listed = serialterm("profile", "list", "--config", str(file))
        self.assertIn(b"sequences=3", listed.stdout)
