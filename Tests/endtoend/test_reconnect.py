"""A session whose device is unplugged and plugged in again."""

import json
import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import Device, Pipes, Terminal, serialterm_binary, soak, wait_until

PREFIX = b"\x14"


class ReturnTests(unittest.TestCase):
    def test_differences_of_the_settings_are_said_again_after_a_return(self):
        warning = b"warning: the driver set parity none instead of even."
        with tempfile.TemporaryDirectory() as folder, \
                Device(link=Path(folder) / "port") as device, \
                Terminal(serialterm_binary(), device.path, "--parity", "even") as terminal:
            terminal.expect(warning)
            for _ in range(2):
                device.hang_up()
                terminal.expect(b"is gone")
                device.plug()
                terminal.expect(b"is back")
                terminal.expect(warning)


class ReconnectTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path = self.folder / "port"
        self.device = self.enterContext(Device(link=self.path))

    def session(self, *options):
        """A session, once the port is the program's."""
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", str(self.path), *options))
        terminal.expect(b"ctrl-t q")
        wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
        return terminal

    def unplug(self, terminal):
        """Unplugs the device. The program has reported it when this returns."""
        self.device.hang_up()
        terminal.expect(re.compile(rb"port[^\n]*waiting"))

    def test_session_waits_and_goes_on(self):
        terminal = self.session("-b", "57600")
        self.unplug(terminal)
        self.device.plug()
        terminal.expect(re.compile(rb"port[^\n]*is back"))
        self.assertEqual(self.device.settings.output_baud, 57600)
        terminal.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.device.write(b"answered")
        terminal.expect(b"answered")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def replug_often(self, times):
        terminal = self.session()
        for boot in range(times):
            self.unplug(terminal)
            banner = b"boot %d: ready\r\n" % boot
            self.device.plug(says=banner)
            terminal.expect(banner)

    def test_what_the_device_says_at_once_is_not_flushed(self):
        self.replug_often(2)

    @soak
    def test_what_the_device_says_at_once_a_hundred_times(self):
        self.replug_often(100)

    def test_what_is_typed_meanwhile_is_refused_and_not_sent_later(self):
        terminal = self.session()
        self.unplug(terminal)
        terminal.send(b"erase all\r")
        terminal.expect(b"not sent")
        self.device.plug()
        terminal.expect(b"is back")
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")

    def test_commands_that_need_the_device_say_why_they_are_off(self):
        terminal = self.session()
        self.unplug(terminal)
        terminal.send(PREFIX + b"?")
        terminal.expect(re.compile(rb"break[^\n]*no device"))
        terminal.send(PREFIX + b"b")
        terminal.expect(re.compile(rb"Not available: no device"))

    def test_quitting_while_waiting_restores_the_terminal(self):
        terminal = self.session()
        self.unplug(terminal)
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_no_reconnect_ends_with_device_lost(self):
        for option in ("--no-reconnect", "-n"):
            with self.subTest(option):
                terminal = self.session(option)
                self.device.hang_up()
                self.assertEqual(terminal.wait(), 6)
                self.assertIn(b"port", terminal.transcript.expect_end())
                self.assertEqual(terminal.settings, terminal.original_settings)
                self.device.plug()

    def test_wait_begins_with_a_device_that_is_not_there_yet(self):
        self.device.hang_up()
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "connect", "--wait", str(self.path)))
        terminal.expect(re.compile(rb"waiting for [^\n]*port\. ctrl-t q quits"))
        self.device.plug(says=b"first words")
        terminal.expect(re.compile(rb"port at 115200 8N1\. ctrl-t q quits"))
        terminal.expect(b"first words")
        self.assertNotIn(b"is back", terminal.output)
        self.device.hang_up()
        terminal.expect(b"is gone")
        self.device.plug()
        terminal.expect(b"is back after")

    def test_log_calls_the_first_arrival_opened(self):
        self.device.hang_up()
        log = self.folder / "log.jsonl"
        with Pipes(serialterm_binary(), "connect", "--wait", str(self.path), "--log-format",
                   "jsonl", "--log", str(log)) as session:
            session.stderr.expect(b"waiting for")
            for says in (b"first", b"second"):
                self.device.plug(says=says)
                session.stdout.expect(says)
                self.device.hang_up()
                session.stderr.expect(b"is gone")
            session.signal(signal.SIGTERM)
            session.wait()
        events = [record["event"] for line in log.read_text().splitlines()
                  if "event" in (record := json.loads(line))]
        self.assertEqual(events, ["opened", "lost", "back", "lost"])

    def test_folder_of_the_node_may_come_and_go_too(self):
        """As /dev/serial/by-id does with its last link."""
        path = self.folder / "by-id" / "port"
        path.parent.mkdir()
        with Device(link=path) as device:
            terminal = self.enterContext(Terminal(serialterm_binary(), "connect", str(path)))
            terminal.expect(b"ctrl-t q")
            wait_until(lambda: device.exclusive, "the port is opened exclusively")
            device.hang_up()
            os.rmdir(path.parent)
            terminal.expect(b"waiting")
            path.parent.mkdir()
            device.plug(says=b"here again")
            terminal.expect(b"here again")

    def test_waiting_takes_no_processor_time(self):
        terminal = self.session()
        self.unplug(terminal)

        def rests():
            before = processes.processor_seconds_of_all_threads(terminal.pid)
            time.sleep(1)  # Over which the test does nothing.
            return processes.processor_seconds_of_all_threads(terminal.pid) - before < 0.05

        # Other tests change folders that the session watches, and wake it; a session that is busy
        # never rests.
        wait_until(rests, "waiting takes no processor time")

    def test_pipe_waits_for_the_device_and_goes_on(self):
        data = bytes(range(256)) * 256
        half = len(data) // 2
        with Pipes(serialterm_binary(), "connect", str(self.path)) as program:
            program.send(data[:half])
            self.assertEqual(self.device.read_exactly(half), data[:half])
            self.device.hang_up()
            program.stderr.expect(b"waiting")
            self.device.plug()
            program.send(data[half:], then_close=True)
            self.assertEqual(self.device.read_exactly(half), data[half:])
            self.assertEqual(program.wait(), 0)
