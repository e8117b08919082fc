"""A session whose device is unplugged and plugged in again."""

import contextlib
import errno
import json
import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import preload, processes
from Tests.endtoend.harness import (
    Device, Pipes, Terminal, serialterm, serialterm_binary, soak, wait_until)

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


@unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
class NodeThatStaysTests(unittest.TestCase):
    """In a container, the node stays while its adapter is unplugged. Opening it fails, until it works
    again without any event in the folder."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.path, self.error = self.folder / "port", self.folder / "error"
        self.device = self.enterContext(Device(link=self.path))
        self.variables = {"LD_PRELOAD": preload.library("opens.c"), "OPENS_NODE": str(self.path),
                          "OPENS_ERROR": str(self.error), "OPENS_TRIES": str(self.folder / "tries")}

    def wait_for_tries(self, count):
        """Waits for a number of further attempts to open the node."""
        tries = self.folder / "tries"
        goal = tries.stat().st_size + count
        wait_until(lambda: tries.stat().st_size >= goal, f"it is tried {count} times more")

    def fail(self, number):
        """Lets open() fail from now on."""
        new = self.folder / "new"
        new.write_text(str(number))
        new.rename(self.error)

    def start(self, *words):
        return self.enterContext(Pipes(serialterm_binary(), *words, variables=self.variables))

    def replace_node(self, number):
        """Unplugs the device, leaves a node that cannot be opened, and lets the program try."""
        self.fail(number)
        self.device.hang_up()
        self.device.plug()

    def test_it_is_opened_again_whatever_the_error_was(self):
        away = b"waiting for %s: the device does not answer" % bytes(self.path)
        program = self.start("log", str(self.path), str(self.folder / "log"))
        program.stderr.expect(b"logging")
        for number, said in ((errno.ENODEV, away + b" (No such device)."), (errno.ENXIO, away),
                             (errno.EIO, away + b" (Input/output error)."),
                             (errno.EPERM, b"permission denied"), (errno.EMFILE, b"open failed (Too many open files)")):
            with self.subTest(errno.errorcode[number]):
                self.replace_node(number)
                program.stderr.expect(b"is gone")
                program.stderr.expect(said)
                self.error.unlink()
                program.stderr.expect(b"is back")
                word = errno.errorcode[number].encode()
                self.device.write(word)
                wait_until(lambda w=word: (self.folder / "log").read_bytes().endswith(w), "it is logged")

    def test_each_reason_is_said_once(self):
        program = self.start("connect", str(self.path), "--json")
        program.stdout.expect(b'"state":"open"')
        self.replace_node(errno.ENODEV)
        for number, reason in ((errno.ENODEV, b"the device does not answer (No such device)"),
                               (errno.EPERM, b"permission denied"),
                               (errno.EIO, b"the device does not answer (Input/output error)")):
            self.fail(number)
            program.stdout.expect(b'"reason":"' + reason)
            # Which error a node without hardware has is the driver's choice.
            if number != errno.EIO:
                program.stderr.expect(reason)
        self.wait_for_tries(3)
        self.error.unlink()
        program.stdout.expect(b'"state":"open"')
        states = [json.loads(line) for line in program.stdout.data.splitlines() if b'"state":"waiting"' in line]
        self.assertEqual(
            [state.get("reason") for state in states],
            [None, "the device does not answer (No such device)", "permission denied",
             "the device does not answer (Input/output error)"])
        self.assertEqual(program.stderr.data.count(b"does not answer"), 1)

    def test_it_is_waited_for_at_the_start_only_if_wanted(self):
        self.fail(errno.ENODEV)
        result = serialterm("connect", str(self.path), variables=self.variables)
        self.assertEqual(result.status, 3)
        self.assertIn(b"no hardware behind this port", result.stderr)
        program = self.start("connect", "--wait", str(self.path))
        program.stderr.expect(b"the device does not answer")
        self.error.unlink()
        wait_until(lambda: self.device.exclusive, "the port is opened")
        with contextlib.suppress(OSError):
            self.device.write(b"hello")
        program.stdout.expect(b"hello")

    def test_members_are_told_once(self):
        program = self.start("serve", str(self.path), "--unix", str(self.folder / "socket"))
        program.stderr.expect(b"serving at")
        member = self.enterContext(Terminal(serialterm_binary(), "attach", str(self.path)))
        member.expect(b"joined")
        self.replace_node(errno.ENODEV)
        for number, reason in ((errno.ENODEV, b"the device does not answer"), (errno.EPERM, b"permission denied")):
            self.fail(number)
            program.stderr.expect(reason)
        self.error.unlink()
        member.expect(b"is back")
        self.assertEqual(member.output.count(b"the session waits for it"), 1)

    def test_the_reason_is_in_the_status_line_and_in_the_list_of_sessions(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", str(self.path), "--status", variables=self.variables))
        terminal.expect(b"ctrl-t q")
        wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
        self.replace_node(errno.ENXIO)
        terminal.expect(re.compile(rb"waiting for \S*: the device does not answer"))
        listed = json.loads(serialterm("attach", "--list", "--json").stdout)
        reasons = [each["reason"] for each in listed if each["port"] == str(self.path)]
        self.assertEqual(reasons, ["the device does not answer (No such device or address)"])
