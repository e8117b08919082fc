"""Rows 12, 13 and 18: a device that is plugged in again, as far as pseudo-terminals show it."""

import grp
import os
import re
import statistics
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import SessionTest, processes, record, waits
from Tests.endtoend.faults.notices import Notices, folders_on_the_way
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, PublicCopy, Terminal, files_of, shell_status, slow, soak, wait_until)

# Root may open anything. If root runs the tests, these run as another user without permission.
USER = "nobody" if os.geteuid() == 0 else None


class Row12WakeTests(SessionTest):
    def assert_not_woken(self, terminal, name, events=lambda: 0):
        """The program comes to rest: for 2 s it is not woken more than once. `events` counts the
        events that may wake it, since the last call."""
        deadline = time.monotonic() + TIMEOUT
        while True:
            events()
            before = processes.switches(terminal.pid)
            time.sleep(2)  # Over which the test does nothing.
            woken = max(0, processes.switches(terminal.pid) - before - events())
            if woken <= 1 or time.monotonic() > deadline:
                break
        record(12, f"wake-ups in 2 s, {name}", woken, "")
        self.assertLessEqual(woken, 1)

    @slow
    def test_idle_session_is_not_woken(self):
        terminal = self.session()
        terminal.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")
        self.assert_not_woken(terminal, "idle")

    @slow
    def test_waiting_session_is_not_woken(self):
        terminal = self.session()
        self.device.hang_up()
        terminal.expect(b"waiting")
        # Other programs use some of these folders too, and wake it: inotify reports all changes in
        # a folder.
        folders = {*folders_on_the_way(self.device.path), *folders_on_the_way("/dev/pts/0")}
        with Notices(folders) as notices:
            self.assert_not_woken(terminal, "waiting for the device", notices.count)


class Row13ReplugTests(SessionTest):
    def replug_often(self, times):
        session = self.pipes()
        descriptors, memory = 0, 0
        delays, own = [], []
        for index in range(10 + times):
            # A session that begins opens its socket; the first replugs fill the caches of the
            # allocator, one for each thread.
            if index == 10:
                descriptors = len(files_of(session.pid))
                memory = processes.memory(session.pid)[0]
            self.device.hang_up()
            session.stderr.expect(b"is gone, waiting")
            seen, said = len(session.stdout.data), b"<%d: first words>" % index
            plugged = time.monotonic()
            waited = self.waited(session)
            self.device.plug(says=said)
            self.assertEqual(session.stdout.read_exactly(len(said)), said)
            own.append(self.waited(session) - waited)
            delays.append(1000 * (session.stdout.arrival(seen) - plugged))
            session.stderr.expect(b"is back after")
        # The search for programs that share the port is a thread, which may be running.
        wait_until(lambda: len(files_of(session.pid)) <= descriptors,
                   "no descriptors are left over")
        grown = processes.memory(session.pid)[0] - memory
        self.assertLess(grown, 1)
        # The kernel reports the new name: that is no matter of waiting and looking again.
        self.assertLessEqual(statistics.median(own), 20)
        self.assertLessEqual(max(own), 500)
        record(12, "created again to the first byte", delays, "ms", typical=20)
        record(12, "created again to the first byte, 99 %", sorted(delays)[len(delays) * 99 // 100 - 1], "ms",
               at_most=50)
        record(12, f"memory grown after {times:,} replugs", grown, "MiB")
        record(13, "bytes lost of those said before it was opened", [0] * len(delays), "bytes")

    def test_nothing_is_lost_over_replugs(self):
        self.replug_often(10)

    @soak
    def test_nothing_is_lost_over_a_thousand_replugs(self):
        self.replug_often(1_000)


@unittest.skipUnless(USER, "only root can take a node away from others")
class Row18PermissionTests(unittest.TestCase):
    def setUp(self):
        self.binary = self.enterContext(PublicCopy())
        self.device = self.enterContext(Device())
        self.waits = Path(self.enterContext(tempfile.TemporaryDirectory()))
        os.chmod(self.waits, 0o777)
        self.group = "dialout"
        os.chown(self.device.node, 0, grp.getgrnam(self.group).gr_gid)
        os.chmod(self.device.node, 0)

    def permitted_in_time(self):
        """A session whose port got its permissions while it waited for them, and the time of that; None if the test
        was too late."""
        os.chmod(self.device.node, 0)
        started = time.monotonic()
        session = self.enterContext(Pipes(
            self.binary, "connect", self.device.node, user=USER, variables=waits.counted(self.waits)))
        wait_until(
            lambda: not session.running or processes.state_of(session.pid) == "S"
            and any("inotify" in name for name in processes.watched_files(session.pid)),
            "it watches the node")
        self.waited = waits.milliseconds(self.waits, session.pid)
        os.chmod(self.device.node, 0o666)
        permitted = time.monotonic()
        if permitted < started + 2:
            return session, permitted
        session.close()
        return None

    def test_permissions_that_come_late_are_waited_for(self):
        session, permitted = wait_until(self.permitted_in_time, "the test is in time")
        self.device.write(b"first words")
        self.assertEqual(session.stdout.read_exactly(11), b"first words")
        own = waits.milliseconds(self.waits, session.pid) - self.waited
        # The kernel reports the change: the program does not look again and again.
        self.assertLessEqual(own, 20)
        delay = 1000 * (session.stdout.arrival(0) - permitted)
        record(18, "permissions set to the first byte", delay, "ms", at_most=2_000)

    def test_permissions_that_do_not_come_are_denied_naming_the_group(self):
        started = time.monotonic()
        with Terminal(self.binary, "connect", self.device.node, user=USER,
                      variables=waits.counted(self.waits)) as terminal:
            seconds = processes.seconds_to_end(terminal, started)
            self.assertEqual(shell_status(terminal.wait()), 4)
            said = terminal.transcript.expect_end()
            self.assertRegex(said, rb"permission denied.*group %s" % self.group.encode())
            self.assertEqual(terminal.settings, terminal.original_settings)
            waited = waits.milliseconds(self.waits, terminal.pid)
        # An interrupted wait counts nothing, so it can be less.
        self.assertLessEqual(waited, 2_000)
        self.assertGreaterEqual(seconds, 2)
        record(18, "started to exit 4", 1000 * seconds, "ms", at_most=2_100)

    def test_session_that_was_told_to_wait_goes_on_waiting_for_them(self):
        with Terminal(self.binary, "connect", "--wait", self.device.node, user=USER) as terminal:
            terminal.expect(re.compile(rb"permission denied"))
            os.chmod(self.device.node, 0o666)
            terminal.expect(self.device.node.encode() + b" at 115200 8N1. ctrl-t q quits")
