"""File transfers with minicom at the far end, which runs lrzsz from its menus."""

import unittest

from Tests.endtoend.faults.preload import library
from Tests.endtoend.harness import Terminal, slow
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.transfers import Bench, contents, differences, ended, missing
from Tests.endtoend.transfers.contents import Content

FILE = Content("image.bin", contents.random_bytes(50_001))
PREFIX = b"\x01"
MISSING = missing("minicom") or missing("sz")
# How often "down" is pressed in the menu of protocols.
PROTOCOLS = {"zmodem": 0, "ymodem": 1}


@slow
@unittest.skipIf(MISSING, MISSING)
class MinicomTests(unittest.TestCase):
    def start(self, bench):
        """minicom with an empty configuration but for the folders."""
        home = bench.folder / "home"
        home.mkdir()
        (home / ".minirc.dfl").write_text(f"pu updir {bench.sent}\npu downdir {bench.received}\n")
        variables = {"HOME": str(home), "TERM": "vt100", "LD_PRELOAD": library("drain.c")}
        terminal = self.enterContext(
            Terminal("minicom", "-o", "-D", bench.line.nodes[1], variables=variables))
        screen = Screen(terminal)
        screen.wait_for_text("CTRL-A Z for help")
        return terminal, screen

    def choose(self, terminal, screen, key, menu, protocol):
        terminal.send(PREFIX + key)
        screen.wait_for_text(menu)
        screen.wait_for_text("kermit")
        terminal.send(b"j" * PROTOCOLS[protocol] + b"\r")

    def test_it_receives(self):
        for protocol in PROTOCOLS:
            with self.subTest(protocol), Bench() as bench:
                terminal, screen = self.start(bench)
                self.choose(terminal, screen, b"r", "[Download]", protocol)
                ended(bench.send(protocol, *bench.write([FILE])))
                screen.wait_for_text("Transfer complete")
                self.assertEqual(differences(bench.received, [FILE]), "")

    def test_it_sends(self):
        for protocol in PROTOCOLS:
            with self.subTest(protocol), Bench() as bench:
                FILE.write(bench.sent)
                terminal, screen = self.start(bench)
                ours = bench.receive(protocol)
                self.choose(terminal, screen, b"s", "[Upload]", protocol)
                screen.wait_for_text("Select")
                terminal.send(b"\r")
                screen.wait_for_text("enter filename")
                terminal.send(FILE.name.encode() + b"\r")
                ended(ours)
                self.assertEqual(differences(bench.received, [FILE]), "")


if __name__ == "__main__":
    unittest.main()
