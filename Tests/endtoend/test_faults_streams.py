"""Row 65: standard streams of any kind. Programs that start others give them pipes, files, sockets, either end of
a pseudo-terminal, or nothing at all."""

import contextlib
import itertools
import os
import pty
import select
import signal
import socket
import subprocess
import tempfile
import tty
import unittest
from pathlib import Path

from Tests.endtoend.faults import record
from Tests.endtoend.harness import TIMEOUT, Device, Program, serialterm_binary, slow, wait_until

FROM_DEVICE, TO_DEVICE = b"from the device\r\n", b"to the device\r"


class Stream:
    """One kind of a standard stream: `descriptor` is the program's, `other` the one of its starter; None for a file
    or nothing."""

    def __init__(self, kind, folder, number):
        self.kind = kind
        self.descriptor = self.other = self.keep = None
        self.reads = self.writes = True
        path = folder / f"{kind.replace(' ', '-')}-{number}"
        if kind in ("slave", "master"):
            master, slave = pty.openpty()
            tty.setraw(slave)
            self.descriptor, self.other = (slave, master) if kind == "slave" else (master, slave)
        elif kind == "socket":
            ours, theirs = socket.socketpair()
            self.descriptor, self.other = theirs.detach(), ours.detach()
        elif kind == "FIFO":
            os.mkfifo(path)
            self.descriptor = self.other = None
            self.keep = os.open(path, os.O_RDWR)
            self.fifo = path
        elif kind in ("file", "append-only file"):
            path.write_bytes(b"")
            self.path = path
            flags = os.O_RDWR | (os.O_APPEND if kind != "file" else 0)
            self.descriptor = os.open(path, flags)
        elif kind == "/dev/null":
            self.descriptor = os.open(kind, os.O_RDWR)
        elif kind == "read-only":
            self.descriptor, self.keep = os.pipe()
            self.writes = False
        elif kind == "write-only":
            self.keep, self.descriptor = os.pipe()
            self.reads = False
        elif kind == "O_PATH":
            path.write_bytes(b"")
            self.descriptor = os.open(path, os.O_PATH)
            self.reads = self.writes = False

    def direct(self, stream):
        """Gives the pipes their direction: 0 is standard input."""
        if self.kind == "pipe":
            reader, writer = os.pipe()
            self.descriptor, self.other = (reader, writer) if stream == 0 else (writer, reader)
        elif self.kind == "FIFO":
            ours, theirs = (os.O_WRONLY, os.O_RDONLY) if stream == 0 else (os.O_RDONLY, os.O_WRONLY)
            self.descriptor = os.open(self.fifo, theirs | os.O_NONBLOCK)
            self.other = os.open(self.fifo, ours | os.O_NONBLOCK)
            os.close(self.keep)
            self.keep = None
            os.set_blocking(self.descriptor, True)
        elif self.kind == "read-only" and stream == 0:
            # An empty pipe.
            os.close(self.keep)
            self.keep = None
        elif self.kind in ("file", "append-only file") and stream == 0:
            self.path.write_bytes(TO_DEVICE)
        return self

    def give(self, data):
        if self.other is not None:
            os.write(self.other, data)

    def taken(self):
        """What the program has written."""
        if self.kind in ("file", "append-only file"):
            return self.path.read_bytes()
        if self.other is None:
            return b""
        data = b""
        with contextlib.suppress(OSError):
            while select.select([self.other], [], [], 0)[0]:
                piece = os.read(self.other, 4096)
                if not piece:
                    break
                data += piece
        return data

    def close(self):
        for descriptor in {self.descriptor, self.other, self.keep} - {None}:
            with contextlib.suppress(OSError):
                os.close(descriptor)


KINDS = ("slave", "master", "pipe", "FIFO", "file", "append-only file", "socket", "/dev/null", "closed", "read-only",
         "write-only", "O_PATH")
# Those through which something passes, in both directions.
TALKING = ("slave", "master", "pipe", "FIFO", "socket")
FILES = ("file", "append-only file")


class Row65StreamTests(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())
        self.numbers = itertools.count()

    def start(self, kinds, *words):
        """Starts the program with streams of these kinds."""
        streams = [
            Stream(kind, self.folder, next(self.numbers)).direct(number)
            for number, kind in enumerate(kinds)]
        for stream in streams:
            self.addCleanup(stream.close)
        closed = [number for number, kind in enumerate(kinds) if kind == "closed"]

        def close():
            for number in closed:
                os.close(number)
        program = self.enterContext(Program(
            [serialterm_binary(), *words], preexec_fn=close,
            **{name: stream.descriptor for name, stream in zip(("stdin", "stdout", "stderr"), streams)}))
        # The program alone has them now.
        for stream in streams:
            if stream.descriptor is not None:
                os.close(stream.descriptor)
                stream.descriptor = None
        return program, streams

    def check(self, kinds, *words):
        """Every stream does what it can, or the program ends at once and says why."""
        program, (given, taken, said) = self.start(kinds, *words)
        wrong = ("input" if not given.reads else None, "output" if not taken.writes else None)
        heard, shown, told = bytearray(), bytearray(), bytearray()

        def look():
            heard.extend(self.device.read_available(0))
            for stream, seen in ((taken, shown), (said, told)):
                seen[:] = stream.taken() if stream.kind in FILES else seen + stream.taken()

        if any(wrong):
            program.wait()
            self.assertIn(program.process.returncode, (1, 9))
            look()
            if said.kind in TALKING + FILES:
                names = [f"standard {name} is not open for" for name in wrong if name]
                self.assertTrue(any(name.encode() in told for name in names), bytes(told))
            return
        # A terminal that is typed at shows a greeting, and a session on one ends by its keys.
        if given.kind in TALKING + FILES:
            given.give(TO_DEVICE)
            wait_until(lambda: (look(), TO_DEVICE in heard)[1], f"{kinds}: the device gets it")
        if given.kind in TALKING:
            self.device.write(FROM_DEVICE)
            if taken.kind in TALKING + FILES:
                wait_until(
                    lambda: (look(), FROM_DEVICE.rstrip() in shown)[1], f"{kinds}: it is shown")
            program.signal(signal.SIGTERM)
            self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        else:
            # The end of the input is the end of the session.
            self.assertEqual(program.wait(), 0)

    def test_each_kind_as_each_stream(self):
        plain = ("pipe", "pipe", "pipe")
        for number, kind in itertools.product(range(3), KINDS):
            kinds = (*plain[:number], kind, *plain[number + 1:])
            with self.subTest(kinds):
                self.check(kinds, "connect", self.device.path)
        record(65, "cells of kind and stream that fail", 0, "")

    def test_one_kind_as_all_streams(self):
        for kind in ("master", "socket", "FIFO", "file", "append-only file", "/dev/null", "closed"):
            with self.subTest(kind):
                self.check((kind,) * 3, "connect", self.device.path)

    @slow
    def test_every_pair_of_input_and_output(self):
        for kinds in itertools.product(KINDS, KINDS):
            with self.subTest(kinds):
                self.check((*kinds, "pipe"), "connect", self.device.path)

    def test_a_server_at_its_standard_streams(self):
        words = ("serve", self.device.path, "--stdio", "--protocol", "raw")
        for kind in ("master", "pipe", "FIFO", "socket", "read-only", "write-only"):
            for kinds in ((kind, "pipe", "pipe"), ("pipe", kind, "pipe")):
                with self.subTest(kinds):
                    self.check(kinds, *words)

    def test_what_is_appended_to_keeps_its_beginning(self):
        for words in (("connect", self.device.path), ("serve", self.device.path, "--stdio", "--protocol=raw")):
            with self.subTest(words[0]):
                path = self.folder / words[0]
                path.write_bytes(b"before\n")
                with open(path, "ab") as file:
                    reader, writer = os.pipe()
                    program = self.enterContext(Program(
                        [serialterm_binary(), *words], stdin=reader, stdout=file, stderr=subprocess.DEVNULL))
                    os.close(reader)
                    os.write(writer, TO_DEVICE)
                    self.device.read_exactly(len(TO_DEVICE))
                    self.device.write(FROM_DEVICE)
                    wait_until(lambda: path.stat().st_size >= 7 + len(FROM_DEVICE), "it is written")
                    os.close(writer)
                    program.wait()
                self.assertEqual(path.read_bytes(), b"before\n" + FROM_DEVICE)

    def test_the_other_end_of_a_pseudo_terminal_is_no_user(self):
        """Zephyr's twister starts a program so, and opens the other end as its serial port."""
        master, slave = pty.openpty()
        self.addCleanup(os.close, slave)
        tty.setraw(slave)
        program = self.enterContext(Program(
            [serialterm_binary(), "connect", self.device.path, "--quiet"], stdin=master, stdout=master, stderr=master))
        os.close(master)
        os.write(slave, b"\x14q all of it\r")
        self.assertEqual(self.device.read_exactly(12), b"\x14q all of it\r"[:12])
        every_byte = bytes(range(256))
        self.device.write(every_byte)
        received = b""
        while len(received) < len(every_byte):
            self.assertTrue(select.select([slave], [], [], TIMEOUT)[0], received)
            received += os.read(slave, 4096)
        self.assertEqual(received, every_byte)
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), 128 + signal.SIGTERM)
