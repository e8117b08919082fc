"""Row 68: what stands between a device and the screen meets hostile bytes; its child hangs, dies, lies."""

import contextlib
import os
import random
import re
import shutil
import unittest
from pathlib import Path

from Tests.endtoend.faults import SessionTest, processes, record
from Tests.endtoend.harness import wait_until
from Tests.endtoend.test_faults_bytes import HARD, Row35HostileSequencesTests
from Tests.endtoend.test_symbols import Firmware

# Escape sequences, text that is cut off in many encodings, lines with addresses, frames that are
# almost right, lines that are hidden or equal, and any bytes.
HOSTILE = (
    b"".join(Row35HostileSequencesTests.HOSTILE) + HARD
    + b"\x1b$B\x30\x21\x1b(B\x0e\x0f\x1b$)C\x81\x40\xfe\xff\xff\xfe\xd8\x00\xdc\x00+AGE-\x9b\x8e"
    + b"Backtrace: 0x40201000:0xffffffff 0x 0x0 0xffffffffffffffffffff\n" * 20
    + bytes.fromhex("0103006b00037417 0103006b00037418") + b":010300\r\n$GPGLL,,*zz\r\n\xc0\xdb\xc0"
    + b"E (1) x\nE (1) x\n<191><\n" + b"\r\n" * 50 + b"tick\n" * 100)


class Row68StageTests(SessionTest):
    def write(self, count=64):
        """Writes hostile bytes, divided at random; returns them."""
        source = random.Random(68)
        whole = b"".join(
            source.choice((HOSTILE, source.randbytes(source.randint(1, 4096))))
            for _ in range(count)) + b"\r\nTHE END\r\n"
        rest = whole
        while rest:
            length = source.randint(1, 3000)
            self.device.write(rest[:length])
            rest = rest[length:]
        return whole

    def child(self, parent, name):
        """The child of a process with a name, which may have a session of its own."""
        for entry in filter(str.isdigit, os.listdir("/proc")):
            with contextlib.suppress(OSError):
                _, its_name, fields = re.split(
                    r" \((.*)\) ", Path(f"/proc/{entry}/stat").read_text(errors="replace"))
                if its_name == name and int(fields.split()[1]) == parent:
                    return int(entry)
        raise AssertionError(f"no {name}")

    def assert_log_is_exact(self, terminal, whole):
        self.wait_for_log(len(whole))
        status, _ = self.quit(terminal, at_most=1_000)
        self.assertEqual((status, self.log.read_bytes() == whole), (0, True))
        self.assertEqual(terminal.settings, terminal.original_settings)
        record(68, "differing bytes in the log", 0, "")

    def test_hostile_bytes_in_every_stage(self):
        options = [
            ["--encoding", name] for name in (
                "GBK", "GB18030", "SHIFT_JIS", "ISO-2022-JP", "ISO-2022-KR", "UTF-7", "UTF-16LE",
                "UTF-16", "BIG5-HKSCS", "CP1258", "KOI8-R", "IBM037")
        ] + [
            ["--frames", form] for form in ("modbus-rtu", "modbus-ascii", "nmea", "slip", "cobs")
        ] + [
            ["--hide", "(a|b)*c$", "--level", "warn", "--collapse"],
            ["--encoding", "UTF-16BE", "--show", "E", "--collapse", "--timestamps", "--highlight", "levels"],
            ["--filter", "tr a-z A-Z"], ["--filter", "head -c 1000"], ["--filter", "exit 3"],
            ["--filter", r"printf '\033]52;c;aGk=\007\377'; cat"],
        ]
        for words in options:
            with self.subTest(words):
                terminal = self.session("-L", str(self.log), "--log-append", *words)
                self.assert_log_is_exact(terminal, self.write(24))
                self.log.unlink()

    def test_the_child_of_the_filter_stands_still(self):
        terminal = self.session("-L", str(self.log), "--filter", "exec tail -f /dev/null")
        child = processes.the_one(terminal.pid, "tail")
        with processes.stopped(child):
            whole = self.write(400)
            self.assert_log_is_exact(terminal, whole)

    def test_the_child_of_the_filter_stands_still_after_it_was_used(self):
        terminal = self.session("-L", str(self.log), "--filter", "exec cat")
        child = processes.the_one(terminal.pid, "cat")
        self.device.write(b"hello\r\n")
        terminal.expect(b"hello")
        with processes.stopped(child):
            rest = self.write(400)
        # It goes on where it stood. What it could not take was left out, and later bytes are shown.
        self.wait_for_log(len(rest))
        # What was shown may have chosen another character set.
        later = b"\x18\x0f\x1b(B\x1b[10mlater\r\n"

        def is_shown():
            nonlocal rest
            self.device.write(later)
            rest += later
            return b"later" in terminal.output

        wait_until(is_shown, "later bytes are shown")
        self.assert_log_is_exact(terminal, b"hello\r\n" + rest)

    @unittest.skipUnless(shutil.which("gcc"), "needs a C compiler")
    def test_the_child_that_knows_the_source_lines_stands_still(self):
        folder = self.folder / "src"
        folder.mkdir()
        firmware = Firmware(folder)
        terminal = self.session("-L", str(self.log), "--elf", str(firmware.path))
        line = f"at {firmware.address('plain')}\r\n".encode()
        self.device.write(line)
        terminal.expect(b"plain at ")
        child = self.child(terminal.pid, "addr2line")
        with processes.stopped(child):
            other = f"at {firmware.address('outer')}\r\n".encode() * 20
            self.device.write(other)
            whole = self.write()
            terminal.expect(b"THE END")
            self.assert_log_is_exact(terminal, line + other + whole)

    @unittest.skipUnless(shutil.which("gcc"), "needs a C compiler")
    def test_a_child_that_lies_about_the_source_lines(self):
        folder = self.folder / "src"
        folder.mkdir()
        firmware = Firmware(folder)
        liar = self.folder / "addr2line"
        for said in (r"printf '\033]52;c;aGk=\007\n\377:-1\n'", "head -c 3000000 /dev/zero", "exit 1",
                     "yes", "kill -SEGV $$"):
            with self.subTest(said):
                liar.write_text(f"#!/bin/sh\n{said}\ncat > /dev/null\n")
                liar.chmod(0o755)
                terminal = self.session(
                    "-L", str(self.log), "--elf", str(firmware.path), "--addr2line", str(liar))
                line = f"at {firmware.address('plain')}\r\n".encode()
                self.device.write(line)
                whole = self.write(16)
                terminal.expect(b"THE END")
                self.assertNotIn(b"\x1b]52", terminal.output)
                self.assert_log_is_exact(terminal, line + whole)
                self.log.unlink()


if __name__ == "__main__":
    unittest.main()
