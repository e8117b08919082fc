"""File transfers in a session: keys and output, with a shell and lrzsz at the far end."""

import unittest

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Terminal, serialterm_binary, slow, wait_until
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.transfers import Bench, missing
from Tests.endtoend.transfers.contents import random_bytes

NO_LRZSZ = missing("sz")
SIZE = (24, 100)


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
@slow
class SessionTransferTests(unittest.TestCase):
    def begin(self, *options):
        self.bench = self.enterContext(Bench())
        self.bench.far("sh", cwd=self.bench.received)
        self.terminal = self.enterContext(Terminal(
            serialterm_binary(), "connect", self.bench.line.nodes[0], *options, size=SIZE,
            cwd=self.bench.sent))
        self.screen = Screen(self.terminal, SIZE)
        self.screen.wait_for_text("ctrl-t q")

    def make(self, folder, name, size):
        content = random_bytes(size)
        (folder / name).write_bytes(content)
        return content

    def command(self, text):
        """Types a command for the shell at the far end."""
        self.terminal.send(text.encode() + b"\n")

    def choose(self, name, protocol=""):
        self.terminal.send(PREFIX + b"x")
        self.screen.wait_for_text("file to send:")
        self.terminal.send(name.encode() + b"\r")
        self.screen.wait_for_text("how to send")
        self.terminal.send(protocol.encode() + b"\r")

    def expect_shell(self):
        """The shell at the far end has the line again, and got nothing of the transfer."""
        self.command("echo the shell is ba''ck")
        self.screen.wait_for_text("the shell is back")
        self.assertNotIn("not found", self.screen.text)

    def test_what_the_device_asks_for_is_one_key_away(self):
        self.begin()
        content = self.make(self.bench.sent, "boot.bin", 100_000)
        self.command("rz; echo rz has ended")
        self.screen.wait_for_text("the device asks for files by ZMODEM: ctrl-t x sends one.")
        self.choose("boot.bin")
        self.screen.wait_for_text("sent boot.bin, 100,000 bytes")
        self.assertEqual((self.bench.received / "boot.bin").read_bytes(), content)
        self.screen.wait_for_text("rz has ended")
        wait_until(lambda: "[#" not in self.screen.text, "the line of the progress is gone")
        self.expect_shell()

    def test_what_the_device_offers_is_received_with_one_key(self):
        self.begin()
        content = self.make(self.bench.received, "dump.bin", 50_000)
        self.command("sz dump.bin; echo sz has ended")
        self.screen.wait_for_text("the device offers files by ZMODEM: ctrl-t X receives them.")
        self.assertFalse((self.bench.sent / "dump.bin").exists())
        self.terminal.send(PREFIX + b"X")
        self.screen.wait_for_text("received dump.bin, 50,000 bytes")
        self.assertEqual((self.bench.sent / "dump.bin").read_bytes(), content)
        self.screen.wait_for_text("sz has ended")
        self.expect_shell()

    def test_it_is_received_at_once_if_that_was_asked_for(self):
        folder = self.enterContext(Bench()).folder
        self.begin("--auto-receive", str(folder))
        content = self.make(self.bench.received, "dump.bin", 50_000)
        self.command("sz dump.bin")
        self.screen.wait_for_text("received dump.bin, 50,000 bytes")
        self.assertEqual((folder / "dump.bin").read_bytes(), content)

    def test_ctrl_c_cancels_and_the_shell_is_back(self):
        self.begin()
        self.make(self.bench.sent, "boot.bin", 3_000_000)
        self.command("rb; echo rb has ended")
        self.choose("boot.bin", "YMODEM")
        self.screen.wait_for_text("[#")
        self.terminal.send(b"\x03")
        self.screen.wait_for_text("boot.bin was not sent completely: it was stopped.")
        self.screen.wait_for_text("rb has ended")
        self.expect_shell()

    def test_quitting_asks_and_then_tells_the_device(self):
        self.begin()
        self.make(self.bench.sent, "boot.bin", 3_000_000)
        self.command("rb; echo the shell is ba''ck > ended")
        self.choose("boot.bin", "YMODEM")
        self.screen.wait_for_text("[#")
        self.terminal.send(PREFIX + b"q")
        self.screen.wait_for_text("leave before boot.bin is sent")
        self.assertTrue(self.terminal.running)
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 8)
        wait_until((self.bench.received / "ended").exists, "the receiver has ended")


if __name__ == "__main__":
    unittest.main()
