"""File transfers with the packages xmodem and ymodem of PyPI at the far end."""

import unittest

from Tests.endtoend.harness import slow
from Tests.endtoend.transfers import Bench, at_once, contents, differences, ended, missing_package

# Neither package can receive an empty file: xmodem cancels, ymodem does not know the end of one.
EMPTY = contents.BY_SIZE[0]
FILES = contents.BY_SIZE + contents.STRANGE


@slow
@unittest.skipIf(missing_package("xmodem"), missing_package("xmodem"))
class XModemPackageTests(unittest.TestCase):
    def sends(self, protocol, *receiver):
        def run(content):
            with Bench() as bench:
                path = content.write(bench.sent)
                far = bench.far_python(
                    "xmodem", "receive", content.name, *receiver, cwd=bench.received)
                ours = bench.send(protocol, path)
                ended(far)
                ended(ours)
                received = (bench.received / content.name).read_bytes()
                if not contents.is_padded(received, content.data):
                    raise AssertionError(differences(bench.received, [content]))
        at_once(self, [(content,) for content in FILES if content != EMPTY], run)

    def receives(self, *sender):
        def run(content):
            with Bench() as bench:
                content.write(bench.sent)
                ours = bench.receive("xmodem", "--name", content.name)
                ended(bench.far_python("xmodem", "send", content.name, *sender, cwd=bench.sent))
                ended(ours)
                received = (bench.received / content.name).read_bytes()
                if not contents.is_padded(received, content.data):
                    raise AssertionError(differences(bench.received, [content]))
        at_once(self, [(content,) for content in FILES], run)

    def test_blocks_of_128_with_a_checksum_are_received_by_it(self):
        self.sends("xmodem", "--checksum")

    def test_blocks_of_128_with_a_crc_are_received_by_it(self):
        self.sends("xmodem")

    def test_blocks_of_1024_are_received_by_it(self):
        self.sends("xmodem-1k")

    def test_blocks_of_128_are_received_from_it(self):
        self.receives()

    def test_blocks_of_1024_are_received_from_it(self):
        self.receives("--1k")


@slow
@unittest.skipIf(missing_package("ymodem"), missing_package("ymodem"))
class YModemPackageTests(unittest.TestCase):
    def test_files_are_received_by_it(self):
        with Bench() as bench:
            files = [content for content in contents.ALL if content != EMPTY]
            paths = bench.write(files)
            far = bench.far_python("ymodem", "receive", bench.received)
            ours = bench.send("ymodem", *paths)
            ended(far)
            ended(ours)
            self.assertEqual(differences(bench.received, files), "")

    def test_files_are_received_from_it(self):
        with Bench() as bench:
            paths = bench.write(contents.ALL)
            ours = bench.receive("ymodem")
            ended(bench.far_python("ymodem", "send", *paths))
            ended(ours)
            self.assertEqual(differences(bench.received, contents.ALL), "")


if __name__ == "__main__":
    unittest.main()
