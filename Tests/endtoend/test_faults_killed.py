"""Rows 3 to 5: crashes, SIGKILL and stops. The user's terminal is restored although no code of the session
can run, but not if another program has changed it."""

import os
import signal
import termios
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import HAS_COMPILER, SessionTest, faulty, processes, record
from Tests.endtoend.harness import Terminal, files_of, serialterm_binary, soak, wait_until

# What row 3 asks for, and the traps of compiled code: on some machines SIGTRAP, on others SIGILL.
CRASHES = (
    signal.SIGSEGV, signal.SIGABRT, signal.SIGILL, signal.SIGTRAP, signal.SIGBUS, signal.SIGFPE)


def set_otherwise(terminal):
    """Sets the terminal up from outside, as a program does that takes it over."""
    with open(f"/proc/{terminal.pid}/fd/0", "rb", buffering=0) as stream:
        modes = termios.tcgetattr(stream)
        modes[3] |= termios.ECHO
        termios.tcsetattr(stream, termios.TCSANOW, modes)
    return terminal.settings


class Row03CrashTests(SessionTest):
    def session_without_guard(self, **how):
        """A session whose guard is dead: what restores the terminal is the crash handler. A guard that
        is only stopped would help, because the kernel continues it when its parent ends."""
        terminal = self.session(**how)
        guard = self.guard_of(terminal)
        os.kill(guard, signal.SIGKILL)
        wait_until(lambda: processes.state_of(guard) in ("Z", None), "the guard is dead")
        return terminal

    def crash_often(self, number, times):
        for _ in range(times):
            terminal = self.session_without_guard()
            terminal.signal(number)
            self.assertEqual(terminal.wait(), -number)
            self.assertEqual(terminal.settings, terminal.original_settings)
            self.assert_port_is_free()
            terminal.close()
        record(3, f"not restored after {number.name}", [0] * times, "times")

    def test_crashes_keep_their_signal_and_restore_the_terminal(self):
        for number in CRASHES:
            with self.subTest(number.name):
                self.crash_often(number, 1)

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_trap_in_the_middle_of_a_read(self):
        """Traps like compiled code: by an instruction, not by a signal from another process."""
        terminal = self.session_without_guard(variables=faulty(self.device.node, trap=1))
        self.device.write(b"x")
        self.assertIn(terminal.wait(), (-signal.SIGILL, -signal.SIGTRAP))
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assert_port_is_free()

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_used_up_stack_leaves_none_for_a_handler_without_its_own(self):
        terminal = self.session_without_guard(variables=faulty(self.device.node, overflow=1))
        self.device.write(b"x")
        self.assertEqual(terminal.wait(), -signal.SIGSEGV)
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assert_port_is_free()

    @soak
    def test_crashes_a_hundred_times_each(self):
        for number in CRASHES[:3]:
            with self.subTest(number.name):
                self.crash_often(number, 100)


class Row04KillTests(SessionTest):
    def kill_often(self, times):
        durations = []
        for _ in range(times):
            terminal = self.session()
            started = time.monotonic()
            terminal.signal(signal.SIGKILL)
            wait_until(lambda: terminal.settings == terminal.original_settings, "the guard restores")
            durations.append((time.monotonic() - started) * 1000)
            self.assertEqual(terminal.wait(), -signal.SIGKILL)
            wait_until(lambda: not processes.in_session(terminal.pid), "the guard ends too")
            terminal.close()
        record(4, "SIGKILL to restored, by the guard", durations, "ms", at_most=200)

    def test_guard_restores_the_terminal_and_ends(self):
        self.kill_often(2)

    @soak
    def test_guard_a_hundred_times(self):
        self.kill_often(100)

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_guard_does_without_close_range(self):
        """On a kernel before 5.9, or with a container's filter: a descriptor that the guard kept would hold the
        port after the session is killed, and keep the guard from detecting its end."""
        terminal = self.session(variables=faulty(self.device.node, no_range=1))
        guard = self.guard_of(terminal)
        wait_until(
            lambda: len(files_of(guard)) == 2, "the guard has let go of everything else")
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        wait_until(lambda: not processes.in_session(terminal.pid), "the guard ends too")
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assert_port_is_free()

    def test_guard_leaves_a_terminal_alone_that_somebody_has_taken_since(self):
        terminal = self.session()
        taken = set_otherwise(terminal)
        self.assertNotEqual(taken, terminal.original_settings)
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        wait_until(lambda: not processes.in_session(terminal.pid), "the guard ends too")
        self.assertEqual(terminal.settings, taken)

    def test_guard_holds_the_terminal_and_a_pipe_and_above_all_not_the_port(self):
        terminal = self.session()
        guard = self.guard_of(terminal)
        wait_until(
            lambda: len(files_of(guard)) == 2, "the guard has let go of everything else")
        held = sorted(files_of(guard))
        self.assertRegex(held[0], "^/dev/pts/")
        self.assertRegex(held[1], "^pipe:")
        self.assertNotEqual(held[0], self.device.node)
        terminal.signal(signal.SIGKILL)
        terminal.wait()
        self.assert_port_is_free()

    def test_guard_that_was_stopped_keeps_nobody(self):
        terminal = self.session()
        with processes.stopped(self.guard_of(terminal)):
            self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_guard_that_was_stopped_restores_when_the_program_is_killed(self):
        """The kernel continues it, and sends SIGHUP before."""
        terminal = self.session()
        guard = self.guard_of(terminal)
        os.kill(guard, signal.SIGSTOP)
        wait_until(lambda: processes.state_of(guard) == "T", "the guard stops")
        terminal.signal(signal.SIGKILL)
        wait_until(
            lambda: terminal.settings == terminal.original_settings, "the guard restores")

    def test_next_session_has_the_port_at_once_and_begins_where_the_first_did(self):
        first = self.session()
        first.signal(signal.SIGKILL)
        first.wait()
        second = self.session()
        self.device.write(b"hello again")
        second.expect(b"hello again")
        self.assertEqual(self.quit(second)[0], 0)

    def test_guard_outlives_what_ends_the_whole_process_group(self):
        terminal = self.session()
        os.killpg(os.getpgid(terminal.pid), signal.SIGKILL)
        wait_until(
            lambda: terminal.settings == terminal.original_settings, "the guard restores")

    def test_guard_is_small(self):
        terminal = self.session()
        rollup = Path(f"/proc/{self.guard_of(terminal)}/smaps_rollup").read_text()
        private = sum(
            int(line.split()[1]) for line in rollup.splitlines()
            if line.startswith(("Private_Clean", "Private_Dirty")))
        record(4, "memory that is the guard's alone", private, "KiB")
        self.assertLess(private, 4096)


class Row05StopTests(SessionTest):
    # As a user's shell does it, but for the prompt.
    SHELL = """set -m
        "$0" connect "$1"
        while read -r command; do eval "$command"; echo "status $?"; done"""

    def shell(self):
        """A shell with job control, whose foreground job is a session; and the session's pid."""
        shell = self.enterContext(Terminal(
            "bash", "--norc", "--noprofile", "-c", self.SHELL, serialterm_binary(),
            self.device.path))
        shell.expect(b"ctrl-t q")
        return shell, processes.the_one(shell.pid, "serialterm")

    def stop(self, shell, pid):
        os.kill(pid, signal.SIGTSTP)
        wait_until(lambda: processes.state_of(pid) == "T", "the session stops")
        shell.expect(b"Stopped")

    def stop_often(self, times):
        shell, pid = self.shell()
        raw = shell.settings
        for index in range(times):
            self.stop(shell, pid)
            self.assertEqual(shell.settings, shell.original_settings)
            shell.send(b"fg\n")
            wait_until(lambda: shell.settings == raw, "raw again")
            typed = b"after %d" % index
            shell.send(typed)
            self.assertEqual(self.device.read_exactly(len(typed)), typed)
        shell.send(b"\x14q")
        shell.expect(b"status 0")
        self.assertEqual(shell.settings, shell.original_settings)
        self.assertEqual(list(processes.in_session(shell.pid)), [shell.pid])
        record(5, "wrong settings in a cycle of stop and continue", [0] * times, "times")

    def test_terminal_is_the_shells_while_stopped(self):
        self.stop_often(3)

    @soak
    def test_fifty_cycles(self):
        self.stop_often(50)

    def test_killed_after_a_stop_without_a_shell_the_new_guard_restores(self):
        """A shell with job control would restore the terminal itself. Here only the guard does."""
        terminal = self.session()
        raw = terminal.settings
        for _ in range(2):
            terminal.signal(signal.SIGTSTP)
            wait_until(lambda: processes.state_of(terminal.pid) == "T", "the session stops")
            self.assertEqual(terminal.settings, terminal.original_settings)
            self.assertEqual(
                processes.in_session(terminal.pid, processes.GUARD), {}, "nothing to guard")
            terminal.signal(signal.SIGCONT)
            wait_until(lambda: terminal.settings == raw, "raw again")
        self.guard_of(terminal)
        terminal.signal(signal.SIGKILL)
        wait_until(lambda: terminal.settings == terminal.original_settings, "the guard restores")

    def test_killed_while_stopped_the_terminal_stays_the_shells(self):
        shell, pid = self.shell()
        self.stop(shell, pid)
        os.kill(pid, signal.SIGKILL)
        wait_until(lambda: list(processes.in_session(shell.pid)) == [shell.pid], "all end")
        self.assertEqual(shell.settings, shell.original_settings)

    def test_killed_after_a_stop_the_new_guard_restores(self):
        shell, pid = self.shell()
        raw = shell.settings
        self.stop(shell, pid)
        shell.send(b"fg\n")
        wait_until(lambda: shell.settings == raw, "raw again")
        os.kill(pid, signal.SIGKILL)
        shell.expect(b"status 137")
        wait_until(lambda: shell.settings == shell.original_settings, "the guard restores")
        wait_until(lambda: list(processes.in_session(shell.pid)) == [shell.pid], "all end")

    def test_continued_in_the_background_it_does_not_touch_the_terminal(self):
        shell, pid = self.shell()
        self.stop(shell, pid)
        shell.send(b"bg\n")
        shell.expect(b"status 0")
        wait_until(lambda: processes.state_of(pid) == "T", "stopped again, by SIGTTOU")
        self.assertEqual(shell.settings, shell.original_settings)
        shell.send(b"fg\n")
        wait_until(lambda: shell.settings != shell.original_settings, "raw again")
        shell.send(b"x")
        self.assertEqual(self.device.read_exactly(1), b"x")

    def test_what_the_shell_has_set_meanwhile_is_what_is_given_back(self):
        shell, pid = self.shell()
        self.stop(shell, pid)
        shell.send(b"stty -echoctl\n")
        shell.expect(b"status 0")
        changed = shell.settings
        self.assertNotEqual(changed, shell.original_settings)
        shell.send(b"fg\n")
        wait_until(lambda: shell.settings != changed, "raw again")
        shell.send(b"\x14q")
        shell.expect(b"status 0")
        self.assertEqual(shell.settings, changed)
