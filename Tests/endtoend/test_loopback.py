"""`serialterm loopback`, the pseudo-terminal to test against."""

import os
import random
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes
from Tests.endtoend.harness import (
    Loopback, Port, Terminal, serialterm, serialterm_binary, shell_status, wait_until)

EVERY_BYTE = bytes(range(256))


class EchoTests(unittest.TestCase):
    def test_every_byte_comes_back(self):
        with Loopback() as loopback, Port(loopback.node) as port:
            port.write(EVERY_BYTE)
            self.assertEqual(port.read_exactly(256), EVERY_BYTE)

    def test_it_serves_one_program_after_the_other(self):
        with Loopback() as loopback:
            for word in (b"one", b"two", b"three"):
                with Port(loopback.node) as port:
                    port.write(word)
                    self.assertEqual(port.read_exactly(len(word)), word)

    def test_large_amounts_are_exact(self):
        data = random.Random(2).randbytes(100_000)
        with Loopback() as loopback, Port(loopback.node) as port:
            for start in range(0, len(data), 2_000):
                port.write(data[start:start + 2_000])
                self.assertEqual(port.read_exactly(2_000), data[start:start + 2_000])

    def test_signals_end_it(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            with self.subTest(number.name), Loopback() as loopback:
                loopback.signal(number)
                self.assertEqual(shell_status(loopback.wait()), 128 + number)
                self.assertEqual(loopback.stderr.expect_end(), b"")

    def test_ctrl_c_ends_it(self):
        with Terminal(serialterm_binary(), "loopback") as terminal:
            terminal.expect(re.compile(rb"/dev/pts/\d+\r\n"))
            status, _ = terminal.leave(b"\x03")
            self.assertEqual(shell_status(status), 128 + signal.SIGINT)
            self.assertEqual(terminal.settings, terminal.original_settings)

    def test_its_end_hangs_up(self):
        with Loopback() as loopback, Port(loopback.node) as port:
            loopback.signal(signal.SIGTERM)
            self.assertEqual(port.read_to_end(), b"")


class PairTests(unittest.TestCase):
    def test_every_byte_passes_both_ways(self):
        with Loopback("--pair") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                one.write(EVERY_BYTE)
                self.assertEqual(other.read_exactly(256), EVERY_BYTE)
                other.write(EVERY_BYTE[::-1])
                self.assertEqual(one.read_exactly(256), EVERY_BYTE[::-1])

    def test_a_side_that_does_not_read_makes_the_other_wait(self):
        data = random.Random(3).randbytes(1 << 20)
        with Loopback("--pair") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                taken = 0

                def is_full():
                    nonlocal taken
                    try:
                        taken += os.write(one.descriptor, data[taken:])
                        return taken == len(data)
                    except BlockingIOError:
                        # There is something to read for it, but it sleeps.
                        return processes.state_of(loopback.pid) == "S"

                wait_until(lambda: all(is_full() for _ in range(10)), "nothing more is accepted")
                self.assertLess(taken, len(data))
                # Bytes that were taken are not lost.
                self.assertEqual(other.read_exactly(taken), data[:taken])


class BoardTests(unittest.TestCase):
    def test_it_boots_to_its_prompt_and_answers(self):
        with Loopback("--board") as loopback, Port(loopback.node) as port:
            port.write(b"\recho hello\r")
            seen = b""
            while not re.search(rb"\nhello\r\n.*board> ", seen, re.S):
                seen += port.read_exactly(1)

    def test_session_with_it_through_its_node(self):
        with Loopback("--board") as loopback:
            with Terminal(serialterm_binary(), "connect", loopback.node) as terminal:
                terminal.expect(b"ctrl-t q")
                terminal.send(b"\rled on\r")
                terminal.expect(re.compile(rb"led on\r\n.*board> ", re.S))
                self.assertEqual(terminal.leave()[0], 0)


class LinkTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.link = self.folder / "port"

    def test_link_leads_to_the_node_while_it_runs(self):
        with Loopback("--link", str(self.link)) as loopback:
            self.assertEqual(os.readlink(self.link), os.path.realpath(loopback.node))
            with Port(self.link) as port:
                port.write(b"x")
                self.assertEqual(port.read_exactly(1), b"x")
            loopback.signal(signal.SIGTERM)
            loopback.wait()
            self.assertFalse(os.path.lexists(self.link))

    def test_pair_takes_a_link_for_each_node(self):
        other = self.folder / "other"
        with Loopback("--pair", "--link", str(self.link), "--link", str(other)) as loopback:
            with Port(self.link) as one, Port(other) as two:
                one.write(b"x")
                self.assertEqual(two.read_exactly(1), b"x")
            self.assertEqual(
                [os.readlink(path) for path in (self.link, other)],
                [os.path.realpath(node) for node in loopback.nodes])

    def test_what_is_there_is_never_replaced(self):
        def file():
            self.link.write_text("precious")

        def folder():
            self.link.mkdir()

        def link():
            self.link.symlink_to("/dev/null")

        for make in (file, folder, link):
            with self.subTest(make.__name__):
                make()
                before = os.lstat(self.link)
                result = serialterm("loopback", "--link", str(self.link))
                self.assertEqual(result.status, 1)
                self.assertRegex(result.stderr, rb"^serialterm: .*port")
                after = os.lstat(self.link)
                self.assertEqual((after.st_ino, after.st_size), (before.st_ino, before.st_size))
                if self.link.is_dir():
                    self.link.rmdir()
                else:
                    self.link.unlink()

    def test_link_that_a_killed_one_left_is_replaced(self):
        for _ in range(20):
            with Loopback("--link", str(self.link)) as killed:
                killed.signal(signal.SIGKILL)
                killed.wait()
            self.assertTrue(os.path.lexists(self.link))
            try:
                successor = Loopback("--link", str(self.link))
            except AssertionError:
                # The number of its pseudo-terminal went to a program beside this test: the link leads to that.
                if not self.link.exists():
                    raise
                self.link.unlink()
                continue
            with successor, Port(self.link) as port:
                port.write(b"x")
                self.assertEqual(port.read_exactly(1), b"x")
            return
        self.fail("the link always leads to another program's terminal")

    def test_link_in_a_folder_that_is_missing_is_told(self):
        result = serialterm("loopback", "--link", str(self.folder / "missing" / "port"))
        self.assertEqual(result.status, 1)
        self.assertRegex(result.stderr, rb"^serialterm: .*missing/port")


class FaultTests(unittest.TestCase):
    def test_rate_paces_the_bytes(self):
        count, rate = 480, 9600
        with Loopback("--rate", str(rate)) as loopback, Port(loopback.node) as port:
            started = time.monotonic()
            port.write(bytes(count))
            self.assertEqual(port.read_exactly(count), bytes(count))
            # 10 bits a byte: start bit, 8 data bits, stop bit.
            self.assertGreaterEqual(time.monotonic() - started, count * 10 / rate * 0.95)

    def test_dropped_bytes_never_come(self):
        data = random.Random(4).randbytes(2_000)
        with Loopback("--pair", "--drop", "0.5", "--hang-up-after", "500") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                one.write(data)
                arrived = other.read_to_end()
        self.assertEqual(len(arrived), 500)
        self.assertTrue(is_subsequence(arrived, data))
        # Some 500 were dropped among them.
        self.assertFalse(is_subsequence(arrived, data[:750]))

    def test_line_that_drops_all_is_silent(self):
        with Loopback("--pair", "--drop", "1") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                # More than all buffers on the way hold, so that the first of it must have passed.
                one.write(bytes(1 << 20))
                loopback.signal(signal.SIGTERM)
                self.assertEqual(other.read_to_end(), b"")

    def test_corrupted_bytes_all_differ(self):
        with Loopback("--pair", "--corrupt", "1") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                one.write(EVERY_BYTE)
                for sent, received in zip(EVERY_BYTE, other.read_exactly(256)):
                    self.assertNotEqual(sent, received)

    def test_hang_up_comes_after_so_many_bytes(self):
        with Loopback("--pair", "--hang-up-after", "100") as loopback:
            with Port(loopback.nodes[0]) as one, Port(loopback.nodes[1]) as other:
                one.write(EVERY_BYTE)
                self.assertEqual(other.read_to_end(), EVERY_BYTE[:100])
                self.assertEqual(loopback.wait(), 0)


def is_subsequence(part, whole):
    """Whether `part` is `whole` without some of its bytes."""
    rest = iter(whole)
    return all(byte in rest for byte in part)
