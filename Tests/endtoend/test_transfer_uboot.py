"""Files for U-Boot at its prompt: loadx and loady, checked with its crc32."""

import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import record
from Tests.endtoend.harness import Pipes, serialterm, serialterm_binary, shell_status, slow, wait_until
from Tests.endtoend.transfers import contents, written
from Tests.endtoend.transfers.contents import Content
from Tests.endtoend.transfers.uboot import PROMPT, UBoot, missing

# XMODEM does not say how long a file is: it is a whole number of blocks.
IMAGE = Content("image.bin", contents.random_bytes(32 * 1_024))
ODD = Content("odd.bin", contents.random_bytes(33_001))


@slow
@unittest.skipIf(missing(), missing())
class UBootTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.board = cls.enterClassContext(UBoot())

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def sends(self, command, protocol, content):
        path = content.write(self.folder)
        self.board.load(command)
        ended = serialterm(
            "send", self.board.path, "--file", str(path), "--protocol", protocol, timeout=120)
        self.assertEqual(ended.status, 0, ended)
        self.assertEqual(self.board.loaded(content.data), "")

    def test_loadx_takes_blocks_of_128(self):
        self.sends("loadx", "xmodem", Content("image.bin", IMAGE.data[:16_384]))

    def test_loadx_takes_blocks_of_1024(self):
        self.sends("loadx", "xmodem-1k", IMAGE)

    def test_loady_takes_ymodem_with_the_exact_size(self):
        self.sends("loady", "ymodem", ODD)

    def test_loady_takes_ymodem_g(self):
        self.sends("loady", "ymodem-g", ODD)

    def test_a_stopped_transfer_leaves_the_prompt(self):
        path = Content("large.bin", contents.random_bytes(4 << 20)).write(self.folder)
        for command, protocol in (("loadx", "xmodem"), ("loadx", "xmodem-1k"), ("loady", "ymodem")):
            with self.subTest(protocol):
                self.board.load(command)
                program = self.enterContext(Pipes(
                    serialterm_binary(), "send", self.board.path, "--file", str(path),
                    "--protocol", protocol))
                wait_until(lambda: written(program) > 16_384, "some blocks were sent")
                program.signal(signal.SIGINT)
                self.assertEqual(shell_status(program.wait()), 128 + signal.SIGINT)
                self.assertIn(b"large.bin", program.stderr.expect_end())
                # It is back at its prompt, and has no command that begins with leftovers.
                started = time.monotonic()
                self.board.write(b"\r")
                said = self.board.expect(PROMPT)
                record("transfers", "U-Boot's answer after a file was cancelled",
                       (time.monotonic() - started) * 1000, "ms", at_most=1000)
                self.board.write(b"echo rea''dy\r")
                said += self.board.expect(b"\nready\r") + self.board.expect(PROMPT)
                self.assertNotIn(b"Unknown command", said)
                # It was told, and has not given up by itself.
                self.assertNotIn(b"imed out", said)


if __name__ == "__main__":
    unittest.main()
