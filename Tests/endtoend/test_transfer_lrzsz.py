"""File transfers with lrzsz at the far end: every protocol, both ways."""

import os
import unittest

from Tests.endtoend.harness import slow, wait_until
from Tests.endtoend.transfers import Bench, at_once, contents, differences, ended, missing
from Tests.endtoend.transfers.contents import Content

FILES = contents.BY_SIZE + contents.STRANGE
NO_LRZSZ = missing("sz")


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
@slow
class XModemTests(unittest.TestCase):
    """XMODEM knows neither names nor sizes: a file at a time."""

    def sends(self, protocol, *receiver):
        def run(content):
            with Bench() as bench:
                path = content.write(bench.sent)
                far = bench.far("rx", *receiver, content.name, cwd=bench.received)
                ours = bench.send(protocol, path)
                ended(far)
                ended(ours)
                received = (bench.received / content.name).read_bytes()
                if not contents.is_padded(received, content.data):
                    raise AssertionError(differences(bench.received, [content]))
        at_once(self, [(content,) for content in FILES], run)

    def receives(self, *sender):
        def run(content):
            with Bench() as bench:
                content.write(bench.sent)
                ours = bench.receive("xmodem", "--name", content.name)
                ended(bench.far("sx", *sender, content.name, cwd=bench.sent))
                ended(ours)
                received = (bench.received / content.name).read_bytes()
                if not contents.is_padded(received, content.data):
                    raise AssertionError(differences(bench.received, [content]))
        at_once(self, [(content,) for content in FILES], run)

    def test_blocks_of_128_with_a_checksum_are_received_by_rx(self):
        self.sends("xmodem")

    def test_blocks_of_128_with_a_crc_are_received_by_rx(self):
        self.sends("xmodem", "--with-crc")

    def test_blocks_of_1024_are_received_by_rx(self):
        self.sends("xmodem-1k", "--with-crc")

    def test_blocks_of_1024_with_a_checksum_are_received_by_rx(self):
        self.sends("xmodem-1k")

    def test_blocks_of_128_are_received_from_sx(self):
        self.receives()

    def test_blocks_of_1024_are_received_from_sx(self):
        self.receives("--1k")


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
class BatchTests(unittest.TestCase):
    """YMODEM and ZMODEM: all files in one transfer."""

    def sends(self, protocol, program, *receiver, files=contents.ALL, options=()):
        with Bench() as bench:
            paths = bench.write(files)
            os.utime(paths[0], (1_000_000_000, 1_000_000_000))
            paths[0].chmod(0o640)
            far = bench.far(program, *receiver, cwd=bench.received)
            ours = bench.send(protocol, *paths, options=options)
            ended(far)
            said = ended(ours)
            self.assertEqual(differences(bench.received, files), "")
            received = (bench.received / files[0].name).stat()
            self.assertEqual(received.st_mtime, 1_000_000_000)
            for content in files:
                self.assertIn(f"{len(content.data):,} byte".encode(), said)

    def receives(self, protocol, program, *sender, files=contents.ALL, requests=0):
        """The sender starts when this number of requests have arrived."""
        with Bench() as bench:
            paths = bench.write(files)
            os.utime(paths[0], (1_000_000_000, 1_000_000_000))
            ours = bench.receive(protocol)
            wait_until(lambda: bench.line.counts[0] >= requests, "it is requested")
            far = bench.far(
                program, *sender, "--", *(content.name for content in files), cwd=bench.sent)
            ended(far)
            ended(ours)
            self.assertEqual(differences(bench.received, files), "")
            received = (bench.received / files[0].name).stat()
            self.assertEqual(received.st_mtime, 1_000_000_000)

    def in_groups(self, run, *arguments):
        """Several transfers at once: rb takes two seconds for each file."""
        groups = [(contents.ALL[start::6],) for start in range(6)]
        at_once(self, groups, lambda files: run(*arguments, files=files))

    @slow
    def test_ymodem_is_received_by_rb(self):
        self.in_groups(self.sends, "ymodem", "rb")

    @slow
    def test_ymodem_is_received_from_sb(self):
        self.in_groups(self.receives, "ymodem", "sb")

    @slow
    def test_ymodem_in_blocks_of_1024_is_received_from_sb(self):
        self.in_groups(self.receives, "ymodem", "sb", "--1k")

    @slow
    def test_ymodem_g_is_received_from_sb(self):
        self.in_groups(self.receives, "ymodem-g", "sb", "--1k")

    def test_zmodem_is_received_by_rz(self):
        self.sends("zmodem", "rz")

    def test_zmodem_is_received_from_sz(self):
        self.receives("zmodem", "sz")

    @slow
    def test_zmodem_with_a_window_is_received_by_rz(self):
        self.sends("zmodem", "rz", "--windowsize", "4096")

    @slow
    def test_zmodem_with_all_controls_escaped_is_received_by_rz(self):
        self.sends("zmodem", "rz", "--escape")

    @slow
    def test_zmodem_with_a_crc_of_16_bits_is_received_from_sz(self):
        self.receives("zmodem", "sz", "--16-bit-crc")

    @slow
    def test_zmodem_with_all_controls_escaped_is_received_from_sz(self):
        self.receives("zmodem", "sz", "--escape")

    @slow
    def test_zmodem_in_frames_of_2048_is_received_from_sz(self):
        self.receives("zmodem", "sz", "--framelen", "2048")

    @slow
    def test_zmodem_in_packets_of_8192_is_received_from_sz(self):
        self.receives("zmodem", "sz", "--start-8k")

    @slow
    def test_zmodem_10_mib_are_received_by_rz(self):
        self.sends("zmodem", "rz", files=[contents.LARGE])

    @slow
    def test_zmodem_10_mib_are_received_from_sz(self):
        self.receives("zmodem", "sz", files=[contents.LARGE])

    @slow
    def test_ymodem_g_10_mib_are_received_from_sb(self):
        self.receives("ymodem-g", "sb", "--1k", files=[contents.LARGE])

    @slow
    def test_ymodem_g_is_received_from_sb_that_starts_late(self):
        """It takes the second request that waits for it as the one for the file, and the answer to a header as
        that to the end of the file."""
        self.receives("ymodem-g", "sb", "--1k", files=[*contents.ALL[:4], contents.LARGE], requests=2)


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
@slow
class ResumeTests(unittest.TestCase):
    """The rest of a file of which a part is there."""

    FILE = Content("image.bin", contents.random_bytes(300_000))

    def test_rz_gets_only_the_rest(self):
        with Bench() as bench:
            path = self.FILE.write(bench.sent)
            (bench.received / self.FILE.name).write_bytes(self.FILE.data[:200_000])
            far = bench.far("rz", "--resume", cwd=bench.received)
            ours = bench.send("zmodem", path)
            ended(far)
            ended(ours)
            self.assertEqual(differences(bench.received, [self.FILE]), "")
            self.assertLess(bench.line.counts[0], 130_000)

    def test_sz_sends_only_the_rest(self):
        with Bench() as bench:
            self.FILE.write(bench.sent)
            (bench.received / "image.bin.part").write_bytes(self.FILE.data[:200_000])
            ours = bench.receive("zmodem")
            ended(bench.far("sz", self.FILE.name, cwd=bench.sent))
            ended(ours)
            self.assertEqual(differences(bench.received, [self.FILE]), "")
            self.assertLess(bench.line.counts[1], 130_000)

    def test_a_part_of_another_file_is_not_continued(self):
        with Bench() as bench:
            self.FILE.write(bench.sent)
            (bench.received / "image.bin.part").write_bytes(contents.random_bytes(200_000, seed=2))
            ours = bench.receive("zmodem")
            ended(bench.far("sz", self.FILE.name, cwd=bench.sent))
            ended(ours)
            self.assertEqual((bench.received / "image.bin").read_bytes(), self.FILE.data)


if __name__ == "__main__":
    unittest.main()
