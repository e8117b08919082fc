"""Row 49: memory or descriptors are exhausted, at each point where this can be detected."""

import contextlib
import os
import resource
import select
import signal

from Tests.endtoend.faults import SessionTest, processes, record
from Tests.endtoend.harness import Terminal, files_of, serialterm_binary, slow, wait_until

# The message and exit status of the dynamic loader, before the program begins.
LOADER = b"error while loading shared libraries"
LOADER_STATUS = 127
# The message of the C library if it cannot allocate memory.
LIBRARY = b"Fatal glibc error: "
THREAD = b"cannot allocate TLS data structures for initial thread"
GREETING = b"ctrl-t q"


class Row49LimitTests(SessionTest):
    def limited(self, option, limit):
        """Starts a session under a limit of the shell's `ulimit`, and quits it if it works. Returns
        the exit status, and the messages."""
        arguments = ("sh", "-c", f'ulimit {option} {limit} && exec "$0" "$@"',
                     serialterm_binary(), "connect", self.device.path)
        with Terminal(*arguments) as terminal:
            try:
                terminal.expect(GREETING)
                terminal.send(b"\x14q")
            except AssertionError:
                pass  # It has ended, or is about to: its status and words are what counts.
            status = terminal.wait()
            self.assertEqual(terminal.settings, terminal.original_settings)
            self.assert_port_is_free()
            if status >= 0:
                self.assertEqual(self.device.settings, self.port_settings)
            else:
                self.replug()  # A crash restores the user's terminal, but not the port.
            wait_until(lambda: not processes.in_session(terminal.pid), "nobody is left")
            return status, terminal.output

    def test_every_number_of_descriptors(self):
        least = None
        for count in range(3, 41):
            with self.subTest(f"{count} descriptors"):
                status, output = self.limited("-n", count)
                if LOADER in output:
                    self.assertEqual(status, LOADER_STATUS)
                elif GREETING in output:
                    self.assertEqual(status, 0)
                    least = least or count
                else:
                    self.assertEqual(status, 1)
                    self.assertRegex(output, rb"^serialterm: [^\n]*Too many open files")
        record(49, "descriptors that a session needs", least, "")
        record(49, "numbers of descriptors with a wrong end, of 38", 0, "")

    def test_descriptors_used_up_when_the_device_comes_back(self):
        """The session reports why it cannot open the port, and continues to wait."""
        terminal = self.session()
        self.device.hang_up()
        terminal.expect(b"is gone")
        # It waits through inotify, which takes a descriptor too: the limit is about the port's.
        wait_until(
            lambda: "anon_inode:inotify" in files_of(terminal.pid), "the path is watched")
        before = resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        self.device.plug()
        terminal.expect(b"open failed (Too many open files)")
        resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE, before)
        terminal.expect(b"is back")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assert_restored(terminal)

    def test_descriptors_used_up_when_the_device_goes(self):
        """Nothing can be watched then; it is tried again until it can."""
        terminal = self.session()
        before = resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE)
        resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE, (3, before[1]))
        self.device.hang_up()
        terminal.expect(b"Too many open files")
        self.device.plug()
        resource.prlimit(terminal.pid, resource.RLIMIT_NOFILE, before)
        terminal.expect(b"is back")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assert_restored(terminal)

    @slow
    def test_memory_used_up_while_a_paste_is_queued(self):
        """What cannot be had ends the program in the runtime, by a signal; the terminal is given
        back all the same."""
        terminal = self.session()
        size = processes.status_of(terminal.pid)["VmSize"]
        resource.prlimit(terminal.pid, resource.RLIMIT_AS, (size, size))
        # It may end before it has read all of it.
        rest = memoryview(b"x" * 4_000_000)
        os.set_blocking(terminal._master, False)

        def is_taken():
            nonlocal rest
            if select.select([], [terminal._master], [], 0.01)[1]:
                with contextlib.suppress(OSError):  # Full again, or the program has ended.
                    rest = rest[os.write(terminal._master, rest):]
            return not rest or not terminal.running

        wait_until(is_taken, "all is taken, or the program ends")
        if terminal.running:
            self.assertEqual(self.quit(terminal)[0], 1)  # Not everything was sent.
        else:
            self.assertRegex(terminal.transcript.expect_end(), rb"failed to allocate|crashed")
        self.assert_restored(terminal)

    def memory(self, step):
        """From where the loader succeeds to where a session does."""
        lowest, highest = 8_000, 64_000
        while highest - lowest > 16:
            middle = (lowest + highest) // 2
            status, output = self.limited("-v", middle)
            lowest, highest = (lowest, middle) if GREETING in output else (middle, highest)
        record(49, "address space that a session needs", highest / 1024, "MiB")
        ends = []
        for limit in range(highest - 1_500, highest + 500, step):
            with self.subTest(f"{limit} KiB"):
                status, output = self.limited("-v", limit)
                ends.append((limit, self.kind_of_end(status, output)))
        kinds = [kind for _, kind in ends]
        silent = [limit for limit, kind in ends if kind == "silent"]
        # Swift's runtime registers its tables before the program begins: without memory for them it
        # traps, and nothing of the program can speak. That is a narrow range, right above where the
        # loader gives up; once the program has begun, every end has a text.
        begun = next(i for i, kind in enumerate(kinds) if kind in ("told", "works"))
        self.assertNotIn("silent", kinds[begun:])
        if silent:
            self.assertLess(silent[-1] - silent[0], 150)
        self.assertEqual(kinds[-1], "works")
        # Restored every time, as `limited` has seen.
        record(49, "starts without enough memory ended by a signal",
               kinds.count("told") + len(silent), "")
        record(49, "of these, without a word", len(silent), "")

    def kind_of_end(self, status, output):
        """How a start without enough memory ended; no other end is right."""
        if GREETING in output and status == 0:
            return "works"
        if LOADER in output or LIBRARY in output or THREAD in output:
            self.assertEqual(status, LOADER_STATUS)
            return "loader"
        if output.strip() == b"":
            self.assertIn(status, (-signal.SIGILL, -signal.SIGSEGV))
            return "silent"
        self.assertRegex(output, rb"failed to allocate|Cannot allocate memory|crashed")
        return "told"

    def test_memory_at_start(self):
        self.memory(50)

    def assert_restored(self, terminal):
        terminal.wait()
        self.assertEqual(terminal.settings, terminal.original_settings)
        wait_until(lambda: not processes.in_session(terminal.pid), "nobody is left")
