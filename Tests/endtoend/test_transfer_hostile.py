"""Senders that offer names, sizes and modes which would harm the receiver: row 45."""

import contextlib
import os
import stat
import tempfile
import unicodedata
import unittest
from pathlib import Path

from Tests.endtoend.harness import Device, Pipes, serialterm_binary, slow
from Tests.endtoend.transfers.scripted import (
    ZCOMMAND, ZCOMPL, ZCRCW, ZFIN, ZRINIT, ZRQINIT, binary_header, expect_header, file_packet,
    header_block, hex_header, packet, send_ymodem, send_zmodem)

DATA = b"sent by the other side\n" * 100
# Names that lead out of the folder, hide there, or look like something else when they are shown.
NAMES = [
    b"../x", b"../../x", b"a/../../x", b"/x", b"//x", b"..\\x", b"folder/../../x", b"", b".", b"..", b"/",
    b"x/", b"x/..", b".hidden", b".bashrc", b".ssh/authorized_keys", b"tab\there", b"new\nline",
    b"esc\x1b]2;title\x07", b"del\x7f", b"c1\xc2\x9b31m", "bidi\u202egpj.exe".encode(),
    "zero\u200bwidth".encode(), b"latin\xff\xfe", b"-rf", b"~", b"$(touch x)", b"`touch x`", b"x" * 300,
    b"a name with spaces", b"CON", b" ", b"...", b"x.part",
]
# Those in the folder that are there before.
THERE = [b"link", b"dangling", b"absolute-link", b"folder", b"pipe", b"existing.bin", b"device"]


def is_plain(name):
    """Whether a name can be shown, and is not hidden."""
    return not name.startswith(".") and not any(
        unicodedata.category(character) in ("Cc", "Cf", "Cs") for character in name)


class Place:
    """A folder to receive into, with traps, inside of a folder that must not change."""

    def __init__(self, folder):
        self.root = Path(folder)
        self.into = self.root / "into"
        self.into.mkdir()
        (self.root / "outside.txt").write_bytes(b"outside")
        (self.root / "folder").mkdir()
        (self.into / "link").symlink_to("../outside.txt")
        (self.into / "dangling").symlink_to("../made.txt")
        (self.into / "absolute-link").symlink_to(self.root / "outside.txt")
        (self.into / "folder").mkdir()
        (self.into / "existing.bin").write_bytes(b"existing")
        os.mkfifo(self.into / "pipe")
        with contextlib.suppress(PermissionError):  # Only root can make one.
            os.mknod(self.into / "device", 0o600 | stat.S_IFCHR, os.makedev(1, 7))
        self.before = self.tree()
        self.there = [name for name in THERE if Path("into") / name.decode() in self.before]

    def tree(self):
        """Everything in the root: the type, the mode and the contents."""
        found = {}
        for path in self.root.rglob("*"):
            status = path.lstat()
            content = path.read_bytes() if stat.S_ISREG(status.st_mode) else b""
            target = os.readlink(path) if path.is_symlink() else ""
            found[path.relative_to(self.root)] = (status.st_mode, status.st_ino, target, content)
        return found

    def new(self):
        """The files that are new; fails if anything else has changed."""
        after = self.tree()
        for path, was in self.before.items():
            if after.get(path) != was:
                raise AssertionError(f"{path} has changed from {was} to {after.get(path)}")
        new = [path for path in after if path not in self.before]
        for path in new:
            if path.parent != Path("into") or not stat.S_ISREG(after[path][0]):
                raise AssertionError(f"{path} was made")
            if not is_plain(path.name):
                raise AssertionError(f"{path.name!r} was made")
        return [self.root / path for path in new]


class HostileCase:
    """A protocol whose senders are tested."""

    protocol = None
    names = NAMES

    def setUp(self):
        self.place = Place(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())

    def receive(self, *options):
        return self.enterContext(Pipes(
            serialterm_binary(), "receive", self.device.path, "--protocol", self.protocol, "--into",
            self.place.into, *options))

    def offered(self, name, *options, data=DATA, size=None, fields=(), status=(0, 8), **how):
        """Offers a file. Returns the new files, and what serialterm wrote to stderr."""
        program = self.receive(*options)
        self.offer(name, data, [len(data) if size is None else size, *fields], **how)
        found = program.wait()
        said = program.stderr.expect_end()
        self.assertIn(found, status, said)
        self.assertNotIn(b"\x1b]2", said)
        self.device.read_available(0.01)
        return self.place.new(), said

    def test_no_name_leads_out_of_the_folder_or_hides_in_it(self):
        for name in self.names:
            with self.subTest(name):
                for path in self.offered(name)[0]:
                    self.assertEqual(path.read_bytes(), DATA)
                    path.unlink()

    def test_a_name_that_is_there_keeps_what_it_has(self):
        for name in self.place.there:
            with self.subTest(name):
                new, said = self.offered(name)
                self.assertIn(name, said)
                for path in new:
                    path.unlink()

    def test_an_existing_file_is_kept_beside_the_new_one(self):
        new, said = self.offered(b"existing.bin", status=(0,))
        self.assertEqual([path.read_bytes() for path in new], [DATA])
        self.assertIn(new[0].name.encode(), said)

    def test_an_existing_file_is_replaced_if_that_was_asked_for(self):
        del self.place.before[Path("into/existing.bin")]
        new, _ = self.offered(b"existing.bin", "--overwrite", status=(0,))
        self.assertEqual([path.read_bytes() for path in new], [DATA])
        self.assertEqual(new[0].name, "existing.bin")

    def test_a_link_or_a_device_is_not_followed_even_then(self):
        for name in self.place.there:
            if name == b"existing.bin":
                continue
            with self.subTest(name):
                # The file may replace a link, but not the link's target.
                was = self.place.before.pop(Path("into") / name.decode())
                try:
                    for path in self.offered(name, "--overwrite")[0]:
                        if (path.lstat().st_mode, path.lstat().st_ino) == was[:2]:
                            continue
                        path.unlink()
                except AssertionError:
                    after = self.place.tree().get(Path("into") / name.decode())
                    if after != was:
                        raise
                self.place.before = self.place.tree()

    def test_a_mode_gives_no_rights_that_the_umask_takes_away(self):
        for mode in (0o104777, 0o106777, 0o101777, 0o100000, 0o107777):
            with self.subTest(oct(mode)):
                new, _ = self.offered(b"tool", fields=(0, format(mode, "o")), status=(0,))
                self.assertEqual(new[0].stat().st_mode & 0o7133, 0, oct(new[0].stat().st_mode))
                new[0].unlink()

    def test_more_than_allowed_is_not_written(self):
        # Announced, and not announced.
        for size in (len(DATA), 1 << 62, ""):
            with self.subTest(size):
                new, said = self.offered(b"image", "--max-size", "1000", size=size, status=(8,))
                self.assertIn(b"larger", said)
                for path in new:
                    self.assertLessEqual(path.stat().st_size, 1_000)
                    self.assertTrue(path.name.endswith(".part"), path)
                    path.unlink()

    def test_more_than_announced_is_not_written(self):
        new, _ = self.offered(b"grows", data=DATA * 10, size=100)
        for path in new:
            self.assertLessEqual(path.stat().st_size, 100)

    def test_an_absurd_size_reserves_nothing(self):
        new, said = self.offered(b"huge", size=1 << 60, status=(8,))
        self.assertRegex(said, b"larger|free|before its announced size")
        for path in new:
            self.assertEqual(path.name, "huge.part")
            self.assertLessEqual(path.stat().st_blocks * 512, 16_384)

    def test_sizes_that_are_no_numbers_harm_nothing(self):
        for size in ("", "-1", "9" * 100, "0x10", "abc", "1 2 3 4 5 6 7", "\x1b[2J"):
            with self.subTest(size):
                for path in self.offered(b"odd", size=size)[0]:
                    # What was received, or what was announced, and never nothing.
                    self.assertGreater(path.stat().st_size, 0)
                    path.unlink()


@slow
class YModemTests(HostileCase, unittest.TestCase):
    protocol = "ymodem"
    # Without a name, the batch ends.
    names = [name for name in NAMES if name]

    def test_a_size_that_is_not_a_number_fails_because_padding_would_stay(self):
        for size in ("-1", "-0", "+5", "9" * 100, "0x", "abc", "12abc", "1e3", "\x1b[2J"):
            with self.subTest(size):
                new, said = self.offered(b"odd", size=size, status=(8,))
                self.assertEqual(new, [])
                self.assertIn(b"its announced size is not a number", said)

    def test_a_size_that_is_too_small_fails(self):
        for size in (0, 16, "0x10", len(DATA) - 1_024):
            with self.subTest(size):
                new, said = self.offered(b"small", size=size, status=(8,))
                self.assertIn(b"larger than announced", said)
                self.assertTrue(all(path.name == "small.part" for path in new), new)
                for path in new:
                    path.unlink()

    def offer(self, name, data, fields):
        return send_ymodem(self.device, header_block(name, *fields), data)


class ZModemTests(HostileCase, unittest.TestCase):
    protocol = "zmodem"

    def offer(self, name, data, fields, flags=0):
        return send_zmodem(self.device, file_packet(name, *fields), data, flags)

    def test_the_sender_cannot_ask_to_overwrite_or_append(self):
        # ZMCLOB and ZMAPND, in ZF1.
        for flag in (4, 3):
            with self.subTest(flag):
                for path in self.offered(b"existing.bin", flags=flag << 16)[0]:
                    path.unlink()

    def test_a_command_is_refused_and_shown(self):
        program = self.receive()
        self.device.write(hex_header(ZRQINIT))
        expect_header(self.device, ZRINIT)
        made = self.place.root / "made-by-command"
        self.device.write(
            binary_header(ZCOMMAND) + packet(f"touch {made}\0".encode(), ZCRCW))
        kind, value = expect_header(self.device, ZCOMPL)
        self.assertNotEqual(value, 0)
        self.device.write(hex_header(ZFIN))
        expect_header(self.device, ZFIN)
        self.device.write(b"OO")
        program.wait()
        self.assertIn(b"touch", program.stderr.expect_end())
        self.assertEqual(self.place.new(), [])


if __name__ == "__main__":
    unittest.main()
