"""Rows 36 and 37: bytes that are hard to handle."""

import hashlib
import random
import re
import unittest

from Tests.endtoend.faults import HAS_COMPILER, SessionTest, faulty, processes, record
from Tests.endtoend.harness import soak

# NUL; every byte; UTF-8 that is cut off, too long, a surrogate, past the last code point; code
# points of two, three and four bytes, and an unpaired continuation.
HARD = (
    b"\0\0\0" + bytes(range(256)) * 2
    + b"\xc3" b"\xe2\x82" b"\xf0\x9f\x98" b"\xc0\xaf" b"\xe0\x80\x80" b"\xed\xa0\x80"
    + b"\xf4\x90\x80\x80" b"\xff\xfe" b"\x80"
    + "ü€😀".encode() * 20)


class Row35HostileSequencesTests(SessionTest):
    # What makes a terminal answer, keep, send or do something beyond showing text.
    HOSTILE = [
        b"\x1b[c", b"\x1b[>c", b"\x1b[=c", b"\x1b[5n", b"\x1b[6n", b"\x1b[?6n", b"\x1bZ", b"\x05",
        b"\x1b[x", b"\x1b[18t", b"\x1b[21t", b"\x1b[8;1;1t", b"\x1b[?1$p", b"\x1bP$qm\x1b\\",
        b"\x1bP+q544e\x1b\\", b"\x1b]0;title\x07", b"\x1b]2;title\x1b\\", b"\x1b]52;c;aGk=\x07",
        b"\x1b]52;c;?\x07", b"\x1b]4;1;?\x07", b"\x1b]10;?\x07", b"\x1b]8;;file:///\x07",
        b"\x1b]1337;File=:aGk=\x07", b"\x1b_Ga=q\x1b\\", b"\x1b^pm\x1b\\", b"\x1bXsos\x1b\\",
        b"\x1b[5i", b"\x1b[4i", b"\x1b[?5i", b"\x1b[!p", b"\x1b(0\x1b(B", b"\x1b)0\x0e\x0f", b"\x1b[11m\x1b[10m",
        b"\x1b[?3h", b"\x1b[?1000h", b"\x1b[?1004h", b"\x1b[?2004h\x1b[?2004l", b"\x1b[?69h", b"\x1b[20h",
        b"\x1b[>4;2m", b"\x1b[>1u", b"\x1b[2 q", b"\x1b[q", b"\x1b#3", b"\x1b%@", b"\x1b[3J", b"\x1b[1;2;3;4;5T",
        b"\x1bktitle\x1b\\", b"\x1b]P1ff0000", b"\x1b]R", b"\x1b]3008;start=1\x1b\\",
        b"\xc2\x9b6n", b"\xc2\x9d0;title\x07", b"\xc2\x90$qm\xc2\x9c", b"\x1b[6\x1b[6n",
        b"\x1b[" + b"1;" * 100 + b"c", b"\xe2\x80\xae",
    ]

    def test_none_reaches_the_terminal(self):
        terminal = self.session("-L", str(self.log))
        said = b"BEGIN" + b"|".join(self.HOSTILE) + b"END"
        self.device.write(said)
        shown = terminal.expect(re.compile(rb"(?s)BEGIN(.*)END")).group(1)
        self.assertEqual(re.findall(rb"[\x00-\x06\x0e-\x1f\x7f]|\xc2[\x80-\x9f]", shown), [])
        self.assertNotIn(b"\xe2\x80\xae", shown)
        self.assertEqual(shown.count(b"|"), len(self.HOSTILE) - 1)
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(self.log.read_bytes(), said)
        record(35, f"sequences that reached the terminal, of {len(self.HOSTILE)}", 0, "")
        record(35, "differing bytes in the log", 0, "")


class Row36HardBytesTests(SessionTest):
    def send(self, terminal, pieces):
        for piece in pieces:
            self.device.write(piece)
        whole = b"".join(pieces)
        terminal.expect(whole)
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(self.log.read_bytes(), whole)
        record(36, "differing bytes in the log", 0, "")

    def test_bytes_written_one_by_one(self):
        terminal = self.session("--raw", "-L", str(self.log))
        self.send(terminal, [bytes([byte]) for byte in HARD])

    @unittest.skipUnless(HAS_COMPILER, "needs a C compiler")
    def test_bytes_read_one_by_one(self):
        """Splits every code point, however the kernel groups the bytes."""
        terminal = self.session(
            "--raw", "-L", str(self.log), variables=faulty(self.device.node, read=1))
        self.send(terminal, [HARD * 4])

    def test_random_bytes_split_at_random(self):
        source = random.Random(36)
        pieces = [source.randbytes(source.randint(1, 50)) for _ in range(1000)]
        self.send(self.session("--raw", "-L", str(self.log)), pieces)


class Row37LongLineTests(SessionTest):
    def stream(self, mebibytes):
        """A line without an end, which the terminal shows and the log keeps."""
        block = random.Random(37).randbytes((1 << 20) + 16_384)
        block = block.replace(b"\n", b"").replace(b"\r", b"")[:1 << 20]
        terminal = self.session("-L", str(self.log))
        terminal.transcript.discard()
        expected = hashlib.sha256()
        for number in range(mebibytes):
            self.device.write(block)
            expected.update(block)
            if number == 0:
                # Not the pages of the program that showing any bytes needs.
                self.wait_for_log(1 << 20)
                before = processes.memory(terminal.pid)[0]
        self.wait_for_log(mebibytes << 20)
        growth = processes.memory(terminal.pid)[1] - before
        self.assertEqual(self.quit(terminal)[0], 0)
        with open(self.log, "rb") as log:
            self.assertEqual(
                hashlib.file_digest(log, "sha256").digest(), expected.digest())
        record(37, f"memory gained by a line of {mebibytes} MiB", growth, "MiB")
        self.assertLess(growth, 8)

    def test_line_of_8_MiB(self):
        self.stream(8)

    @soak
    def test_line_of_100_MiB(self):
        self.stream(100)
