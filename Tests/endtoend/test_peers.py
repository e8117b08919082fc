"""Other terminal programs at the other end of `serialterm loopback --pair`: 1 MiB of random bytes
each way, without a difference.

Their own escape characters have to stay out of the way. picocom can do without (--no-escape).
miniterm cannot, but its characters are Unicode: with the serial port's encoding set to Latin-1, all
bytes are U+0000 to U+00FF, and U+0100 and U+0101 are free for its own use. Two bytes cannot be
typed into it: it reads CR as LF, and DEL as backspace.
"""

import random
import re
import shutil
import subprocess
import threading
import unittest

from Tests.endtoend.harness import Loopback, Pipes, Terminal, serialterm_binary, slow

SIZE = 1 << 20
# Seconds that 1 MiB may take: miniterm moves its keyboard's bytes one by one.
PATIENCE = 120

PYTHON = "/usr/bin/python3" if shutil.which("/usr/bin/python3") else "python3"
HAS_MINITERM = subprocess.run(
    [PYTHON, "-c", "import serial.tools.miniterm"], stderr=subprocess.DEVNULL, check=False
).returncode == 0


def random_bytes(seed, without=b""):
    """1 MiB of the same random bytes each time, with none of `without` among them."""
    data = random.Random(seed).randbytes(SIZE + SIZE // 64)
    return data.translate(None, delete=without)[:SIZE]


def assert_same(test, received, sent, who):
    """As assertEqual, but with the place of the first difference for a message."""
    if received != sent:
        pairs = enumerate(zip(received, sent))
        place = next((index for index, (one, other) in pairs if one != other), min(
            len(received), len(sent)))
        test.fail(
            f"{who}: received {len(received)} bytes, sent {len(sent)}, different from {place}: "
            f"{received[place:place + 16]!r}, not {sent[place:place + 16]!r}")


@slow
class PeerTests(unittest.TestCase):
    def setUp(self):
        self.loopback = self.enterContext(Loopback("--pair"))
        self.ours = self.connect(self.loopback.nodes[0])

    def connect(self, node):
        """`serialterm connect` between pipes."""
        return self.enterContext(Pipes(serialterm_binary(), "connect", node))

    def exchange(self, to_peer, to_us, send, receive):
        """Sends both ways at once: `send` types into the peer, `receive` reads its output."""
        sender = threading.Thread(target=send, args=(to_us,))
        self.ours.send(to_peer)
        sender.start()
        try:
            arrived_there = receive(len(to_peer))
            arrived_here = self.ours.stdout.read_exactly(len(to_us), PATIENCE)
        finally:
            sender.join()
        assert_same(self, arrived_there, to_peer, "from serialterm to the peer")
        assert_same(self, arrived_here, to_us, "from the peer to serialterm")
        self.ours.close_stdin()
        self.assertEqual(self.ours.wait(), 0)
        self.assertEqual(self.ours.stdout.expect_end(), b"")

    def test_serialterm_itself(self):
        peer = self.connect(self.loopback.nodes[1])
        self.exchange(
            random_bytes(1), random_bytes(2), peer.send,
            lambda count: peer.stdout.read_exactly(count, PATIENCE))

    @unittest.skipUnless(shutil.which("picocom"), "needs picocom")
    def test_picocom(self):
        peer = self.enterContext(Pipes("picocom", "--no-escape", self.loopback.nodes[1]))
        peer.stdout.expect(b"Terminal ready\r\n")
        self.exchange(
            random_bytes(3), random_bytes(4), peer.send,
            lambda count: peer.stdout.read_exactly(count, PATIENCE))

    @unittest.skipUnless(HAS_MINITERM, "needs pyserial's miniterm (python3-serial)")
    def test_miniterm(self):
        peer = self.enterContext(Terminal(
            PYTHON, "-m", "serial.tools.miniterm", "--raw", "--eol", "LF", "--filter", "direct",
            "--encoding", "latin-1", "--exit-char", "256", "--menu-char", "257",
            self.loopback.nodes[1], "115200", raw=True))
        peer.expect(re.compile(rb"--- Quit: [^\n]*\n"))
        self.exchange(
            random_bytes(5), random_bytes(6, without=b"\r\x7f"),
            lambda data: peer.send(data.decode("latin-1").encode(), PATIENCE),
            lambda count: peer.transcript.read_exactly(count, PATIENCE))
        self.assertEqual(peer.leave(chr(256).encode())[0], 0)
