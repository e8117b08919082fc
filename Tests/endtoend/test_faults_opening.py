"""Row 39: the requests to the driver from the opening to the closing of a port, in order, and nothing
else."""

import contextlib
import os
import signal

from Tests.endtoend.faults import processes, record
from Tests.endtoend.faults.line import Driver, DriverCase
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, serialterm, serialterm_binary, shell_status, wait_until)

OPENING = ["open", "flock", "TCGETS2", "TIOCEXCL", "TCGETS2", "TCSETS2", "TCGETS2"]
# Queries without effect: the state of the port, each once, and the counters at the end.
QUESTIONS = ["TIOCMGET", "TIOCGICOUNT", "TIOCGICOUNT"]
CLOSING = ["TCSETS2", "TIOCNXCL", "flock LOCK_UN", "close"]
# Takes longer than any test waits.
LONG = ",".join(["wait=10000"] * (2 + int(TIMEOUT / 10)))


class Row39OpeningTests(DriverCase):
    def test_only_what_was_asked_for_is_set(self):
        calls = self.trace()
        self.assertEqual(calls, OPENING + QUESTIONS + CLOSING)
        # The assertion above has found none.
        record(39, "requests that nobody asked for, from the opening to the closing", 0, "")

    def test_lines_are_set_by_the_first_request(self):
        calls = self.trace("--dtr", "off", "--rts", "off")
        self.assertEqual(calls[:4], ["open", "flock", "TIOCMBIC DTR RTS", "TCGETS2"])
        record(39, "requests between the opening and DTR and RTS as asked", calls.index(
            "TIOCMBIC DTR RTS") - calls.index("open") - len(["flock"]) - 1, "")
        self.assertEqual(len([call for call in calls if call.startswith("TIOCMB")]), 1)

    def test_lines_are_deasserted_before_others_are_asserted(self):
        calls = self.trace("--dtr", "on", "--rts", "off")
        self.assertEqual(calls[2:4], ["TIOCMBIC RTS", "TIOCMBIS DTR"])

    def test_line_that_is_kept_is_left_alone(self):
        calls = self.trace("--dtr", "keep", "--rts", "off")
        self.assertEqual(
            [call for call in calls if call.startswith("TIOCMB")], ["TIOCMBIC RTS"])

    def test_hang_up_is_set_and_stays_as_asked(self):
        for option, expected in (("--hangup", "TCSETS2 HUPCL"), ("--no-hangup", "TCSETS2")):
            with self.subTest(option):
                # The option is about closing the port: the line must stay as it was requested.
                driver = self.driver()
                result = serialterm(
                    "connect", self.device.path, "--linger", "0", option,
                    variables=driver.variables)
                self.assertEqual(result.status, 0, result)
                settings = [call for call in driver.trace if call.startswith("TCSETS2")]
                self.assertEqual(settings[-2:], [expected, expected])

    def test_features_are_undone_in_reverse(self):
        calls = self.trace("--rs485", "delay-before=2,rx-during-tx=on", "--low-latency")
        features = [call for call in calls if call.startswith(("TIOCSRS485", "TIOCSSERIAL"))]
        self.assertEqual(features, [
            "TIOCSRS485 flags=19 before=2 after=0", "TIOCSSERIAL low latency",
            "TIOCSSERIAL", "TIOCSRS485 flags=0 before=0 after=0"])
        self.assertEqual(calls[-len(CLOSING):], CLOSING)

    def test_sequence_is_played_before_anything_is_sent(self):
        for word, written in ((b"word", ["write 4"]), (b"", [])):
            with self.subTest(word):
                driver = self.driver()
                result = self.connect(
                    "--on-open", "dtr=off,wait=120,rts=off,dtr=on", stdin=word,
                    variables=driver.variables)
                self.assertGreaterEqual(result.duration, 0.12)
                self.assertEqual(result.status, 0, result)
                self.assertEqual(
                    [call for call in driver.trace if call.startswith(("TIOCMB", "write"))],
                    ["TIOCMBIC DTR", "TIOCMBIC RTS", "TIOCMBIS DTR", *written])

    def test_sequence_is_played_to_its_end_by_every_command(self):
        script = self.folder / "script"
        script.write_text("")
        for command in (("send", self.device.path, ""), ("run", self.device.path, str(script))):
            with self.subTest(command[0]):
                driver = self.driver()
                result = serialterm(
                    *command, "--on-open", "dtr=off,wait=120,dtr=on", variables=driver.variables)
                self.assertEqual(result.status, 0, result)
                self.assertEqual(
                    self.settings_of_lines(driver), ["TIOCMBIC DTR", "TIOCMBIS DTR"])

    @contextlib.contextmanager
    def session_in_a_long_sequence(self, driver):
        """A session whose input has ended, in the middle of a long sequence."""
        with Pipes(
                serialterm_binary(), "connect", self.device.path, "--on-open",
                f"dtr=off,{LONG},dtr=on", variables=driver.variables) as session:
            wait_until(lambda: driver.count("TIOCMBIC DTR") == 1, "the sequence has begun")
            pipe = os.readlink(f"/proc/{session.pid}/fd/0")
            wait_until(lambda: pipe in processes.watched_files(session.pid), "it reads its input")
            session.close_stdin()
            wait_until(
                lambda: pipe not in processes.watched_files(session.pid), "its input has ended")
            yield session

    def test_sequence_without_an_end_does_not_keep_a_signal_from_ending_the_session(self):
        driver = self.driver()
        with self.session_in_a_long_sequence(driver) as session:
            session.signal(signal.SIGTERM)
            self.assertEqual(shell_status(session.wait()), 128 + signal.SIGTERM)
        self.assertEqual(driver.count("TIOCMBIS DTR"), 0)

    def test_device_that_goes_during_the_sequence_ends_the_waiting_for_it(self):
        with self.session_in_a_long_sequence(self.driver()) as session:
            self.device.hang_up()
            self.assertEqual(session.wait(), 0)

    def test_lines_and_sequence_are_set_again_when_the_device_is_back(self):
        device = self.enterContext(Device(link=self.folder / "port"))
        driver = Driver(device.path, self.folder)
        options = ("--rts", "off", "--on-open", "dtr=off,dtr=on")
        expected = ["TIOCMBIC RTS", "TIOCMBIC DTR", "TIOCMBIS DTR"]
        with Pipes(
                serialterm_binary(), "connect", device.path, *options, variables=driver.variables
        ) as session:
            for count in (1, 2):
                wait_until(lambda: self.settings_of_lines(driver) == expected * count, f"opened {count}")
                device.hang_up()
                session.stderr.expect(b"waiting")
                device.plug()

    @staticmethod
    def settings_of_lines(driver):
        """The changes of DTR and RTS so far."""
        return [call for call in driver.trace if call.startswith("TIOCMB")]

    def test_sequence_that_fails_is_told_and_holds_nothing_back(self):
        result = self.connect("--on-open", f"dtr=off,{LONG}", stdin=b"word")
        self.assertEqual(result.status, 0, result)
        self.assertRegex(result.stderr, b"this port has no modem lines")
        self.assertEqual(self.device.read_exactly(4), b"word")
