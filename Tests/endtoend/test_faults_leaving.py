"""Rows 1, 2 and 6 to 8: at any end of a session, the terminal is restored, and no process remains."""

import os
import random
import re
import signal
import termios
import threading
import unittest

from Tests.endtoend.faults import HAS_COMPILER, SessionTest, faulty, processes, record
from Tests.endtoend.harness import Terminal, serialterm_binary, soak, wait_until


class Row01QuitTests(SessionTest):
    def quit_often(self, times):
        durations = []
        for _ in range(times):
            terminal = self.session()
            self.assertNotEqual(terminal.settings, terminal.original_settings)
            status, seconds = self.quit(terminal, at_most=100)
            self.assertEqual(status, 0)
            self.assert_given_back(terminal)
            terminal.close()
            durations.append(seconds * 1000)
        record(1, "quit key to the end", durations, "ms", at_most=100)

    def test_quit_key_ends_with_0_and_everything_given_back(self):
        self.quit_often(3)

    @soak
    def test_quit_key_a_hundred_times(self):
        self.quit_often(100)

    def test_failures_restore_the_terminal_without_the_guard(self):
        """The guard is stopped: what restores the terminal is the program itself."""
        lost = self.session("--no-reconnect")
        with processes.stopped(self.guard_of(lost)):
            self.device.hang_up()
            self.assertEqual(lost.wait(), 6)
            self.assertEqual(lost.settings, lost.original_settings)
        self.device.plug()
        reading, writing = os.pipe()
        try:
            closed = self.session_to(writing)
        finally:
            os.close(writing)
        with processes.stopped(self.guard_of(closed)):
            os.close(reading)
            self.assertEqual(closed.wait(), 9)
            self.assertEqual(closed.settings, closed.original_settings)

    def session_to(self, output):
        """A session whose standard output goes elsewhere."""
        terminal = self.enterContext(self.connect(stdout=output))
        terminal.expect(b"ctrl-t q")
        return terminal

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_restoring_does_not_wait_for_the_output_to_drain(self):
        """A terminal that takes nothing would hold tcsetattr() with TCSADRAIN. A pseudo-terminal
        cannot show that: it has taken everything that is written to it."""
        trace = self.folder / "trace"
        variables = faulty(self.device.node, trace=trace)
        terminal = self.session(variables=variables)
        self.assertEqual(self.quit(terminal)[0], 0)
        killed = self.session(variables=variables)
        with processes.stopped(self.guard_of(killed)):
            killed.signal(signal.SIGSEGV)
            killed.wait()
        calls = [int(line) for line in trace.read_text().splitlines()]
        self.assertEqual(calls, [termios.TCSANOW] * 4, "raw and restored, twice")

    def end_input_often(self, times):
        durations = []
        for _ in range(times):
            program = self.pipes("--linger", "0")
            program.send(b"x")
            self.assertEqual(self.device.read_exactly(1), b"x")
            with self.leaving(program, at_most=100) as left:
                program.close_stdin()
            self.assertEqual(left.status, 0)
            self.assertEqual(self.device.settings, self.port_settings)
            self.assert_port_is_free()
            program.close()
            durations.append(left.seconds * 1000)
        record(1, "end of input to the end", durations, "ms", at_most=100)

    def test_end_of_input_ends_with_0_and_the_port_given_back(self):
        self.end_input_often(2)

    @soak
    def test_end_of_input_a_hundred_times(self):
        self.end_input_often(100)


class Row02SignalTests(SessionTest):
    SIGNALS = (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT)
    # Signals that no user sends on purpose.
    STRAY_SIGNALS = (signal.SIGUSR1, signal.SIGUSR2, signal.SIGALRM)

    def end_often(self, number, times):
        durations = []
        for index in range(times):
            log = self.folder / f"log-{number}-{index}"
            terminal = self.session("-L", str(log))
            said = b"number %d\r\n" % index * 100
            self.device.write(said)
            terminal.expect(said)
            status, seconds = self.signal(terminal, number, at_most=200)
            self.assertEqual(status, 128 + number)
            self.assert_given_back(terminal)
            self.assertEqual(log.read_bytes(), said)
            terminal.close()
            durations.append(seconds * 1000)
        record(2, f"{number.name} to the end", durations, "ms", at_most=200)

    def test_signals_end_with_128_more_and_everything_given_back(self):
        for number in self.SIGNALS + self.STRAY_SIGNALS:
            with self.subTest(number.name):
                self.end_often(number, 2)

    @soak
    def test_signals_a_hundred_times_each(self):
        for number in self.SIGNALS:
            with self.subTest(number.name):
                self.end_often(number, 100)


class Row06SiblingTests(SessionTest):
    # Without job control all of them are one process group.
    SCRIPT = """sleep 600 &
        echo "sibling $!"
        "$0" connect "$1"
        echo "status $?"
        read -r _"""

    def siblings_after(self, end, status):
        with Terminal("sh", "-c", self.SCRIPT, serialterm_binary(), self.device.path) as shell:
            sibling = int(shell.expect(re.compile(rb"sibling (\d+)")).group(1))
            shell.expect(b"ctrl-t q")
            pid = processes.the_one(shell.pid, "serialterm")
            self.assertEqual(os.getpgid(pid), os.getpgid(sibling))
            end(shell, pid)
            self.assertEqual(int(shell.expect(re.compile(rb"status (\d+)")).group(1)), status)
            # It may not have come to its sleep yet.
            self.assertIn(processes.state_of(sibling), ("R", "S"))
            self.assertTrue(shell.running)

    def test_only_the_session_itself_ends(self):
        self.siblings_after(lambda shell, _: shell.send(b"\x14q"), 0)
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGQUIT, signal.SIGHUP,
                       signal.SIGKILL, signal.SIGSEGV):
            with self.subTest(number.name):
                self.siblings_after(lambda _, pid: os.kill(pid, number), 128 + number)
        record(6, "other processes that ended", [0] * 7, "")


class Row07InterruptionTests(SessionTest):
    SIZE = 1 << 20

    def setUp(self):
        super().setUp()
        source = random.Random(7)
        # Without the prefix key, whose second occurrence would be needed.
        self.outgoing = source.randbytes(self.SIZE + 8192).replace(b"\x14", b"")[:self.SIZE]
        self.incoming = source.randbytes(self.SIZE)

    def exchange(self, terminal, rate=None):
        """1 MiB both ways at once; both have to be exact."""
        sender = threading.Thread(target=terminal.send, args=(self.outgoing,))
        answer = threading.Thread(target=self.device.write, args=(self.incoming,))
        for thread in (sender, answer):
            thread.start()
        try:
            received = self.device.read_exactly(self.SIZE, rate=rate)
        finally:
            for thread in (sender, answer):
                thread.join()
        self.assertTrue(received == self.outgoing, "what the device got differs")
        self.wait_for_log(self.SIZE)
        self.assertTrue(self.log.read_bytes() == self.incoming, "what the log got differs")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_signals_every_half_millisecond(self):
        """SIGWINCH as in the matrix; SIGSTOP and SIGCONT too, since these interrupt a wait even
        where the other is ignored, see signal(7)."""
        terminal = self.session("-L", str(self.log))
        done = threading.Event()
        sent = [0]

        def storm():
            while not done.wait(0.0005):
                number = signal.SIGWINCH
                if sent[0] % 32 in (0, 1):
                    number = (signal.SIGSTOP, signal.SIGCONT)[sent[0] % 32]
                os.kill(terminal.pid, number)
                sent[0] += 1
            os.kill(terminal.pid, signal.SIGCONT)

        thread = threading.Thread(target=storm)
        thread.start()
        self.addCleanup(thread.join)
        self.addCleanup(done.set)
        quitting = self.quit

        def calm_down_and_quit(terminal):
            done.set()
            thread.join()
            return quitting(terminal)

        self.quit = calm_down_and_quit
        self.exchange(terminal, rate=self.SIZE)  # For a second.
        record(7, "differing bytes of 1 MiB each way", 0, "")
        record(7, "signals meanwhile", sent[0], "")

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_every_third_system_call_interrupted(self):
        variables = faulty(self.device.node, eintr=3)
        self.exchange(self.session("-L", str(self.log), variables=variables))


class Row08ClosedTerminalTests(SessionTest):
    def close_often(self, times):
        durations = []
        for _ in range(times):
            terminal = self.session()
            with self.leaving(terminal, at_most=1000) as left:
                terminal.hang_up()
            self.assertEqual(left.status, 128 + signal.SIGHUP)
            self.assertEqual(self.device.settings, self.port_settings)
            self.assert_port_is_free()
            wait_until(lambda: not processes.in_session(terminal.pid), "nobody is left")
            terminal.close()
            durations.append(left.seconds * 1000)
        record(8, "terminal closed to the end", durations, "ms", at_most=1000)

    def test_closed_terminal_ends_it_as_a_hang_up(self):
        self.close_often(2)

    @soak
    def test_closed_terminal_a_hundred_times(self):
        self.close_often(100)

    def test_closed_while_stalled_too(self):
        terminal = self.session()
        terminal.stall()
        self.device.write_until_read(b"x" * 100_000)
        with self.leaving(terminal, at_most=1000) as left:
            terminal.hang_up()
        self.assertEqual(left.status, 128 + signal.SIGHUP)
        record(8, "terminal closed to the end, stalled", left.seconds * 1000, "ms", at_most=1000)
