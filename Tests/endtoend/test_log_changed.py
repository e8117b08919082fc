"""Row 73: another program truncates, removes or moves the file of a log; the disk was full; the clock is set."""

import base64
import errno
import itertools
import json
import os
import re
import shutil
import signal
import stat
import struct
import subprocess
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import number, preload, record
from Tests.endtoend.faults.disks import Disk, mounted, small
from Tests.endtoend.harness import Pipes, Port, contents, run, serialterm_binary, soak, wait_until
from Tests.endtoend.test_log_command import LogCommandTest
from Tests.endtoend.test_log_formats import STAMP, blocks, options

FAKETIME = Path("/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1")
SECTION, INTERFACE, PACKET = 0x0A0D0D0A, 1, 6
SAID = re.compile(r"v=(\d+)")
SHORTENED = re.compile(rb"another program has shortened the log (\S+),")


def packets(data):
    """The bytes and the comment of each packet. A file without its headers fails."""
    interfaces = None
    for kind, body in blocks(data):
        if kind == SECTION:
            interfaces = 0
        elif kind == INTERFACE:
            interfaces += 1
        elif kind == PACKET:
            interface, _, _, count, _ = struct.unpack_from("<5I", body)
            assert interface < interfaces, "a packet of no interface"
            about = options(body[20 + (count + 3) // 4 * 4:])
            yield body[20:20 + count].decode(), about.get(1, b"").decode()


def objects(data):
    assert not data or data.endswith(b"\n"), data[-100:]
    return [json.loads(line) for line in data.splitlines()]


def said_in_text(data):
    assert not data or data.endswith(b"\n"), data[-100:]
    lines = data.decode().splitlines()
    assert all(STAMP.match(line) for line in lines), data[:200]
    return [STAMP.sub("", line) for line in lines]


def said_in_table(data):
    head, *rows = data.decode().splitlines() or [""]
    assert head in ("time,v", "") and all(row.count(",") == 1 for row in rows), data[:200]
    return [f"v={row.partition(',')[2]}" for row in rows]


# What the device said in a log, by parsers that accept no damage.
PARSERS = {
    ".log": lambda data: data.decode().splitlines(),
    ".txt": said_in_text,
    ".jsonl": lambda data: [base64.b64decode(entry.get("bytes", "")).decode() for entry in objects(data)],
    ".pcapng": lambda data: [said for said, _ in packets(data)],
    ".csv": said_in_table,
}


def numbers(suffix, data):
    return [int(found) for found in SAID.findall("\n".join(PARSERS[suffix](data)))]


def fill(path):
    """Fills a disk with a file."""
    with open(path, "wb", buffering=0) as file:
        try:
            while True:
                file.write(bytes(512))
        except OSError as error:
            assert error.errno == errno.ENOSPC, error


class ChangedLogTest(LogCommandTest):
    """Logs of one port in all formats, to which its device says numbers."""

    def setUp(self):
        super().setUp()
        self.count = itertools.count(1)
        self.last = 0

    def begin(self, folder=None, *options, variables=None, through=(), suffixes=PARSERS):
        """`serialterm log` in the formats with these suffixes, once its port is open."""
        self.files = {suffix: (folder or self.folder) / f"a{suffix}" for suffix in suffixes}
        program = self.enterContext(Pipes(
            *through, serialterm_binary(), "log", self.device.path, *map(str, self.files.values()), *options,
            variables=variables))
        program.stderr.expect(b"logging ")
        return program

    def say(self, count=1):
        """The device says the next numbers, each as a line."""
        for number in itertools.islice(self.count, count):
            self.last = number
            self.device.write(b"v=%d\r\n" % number)

    def is_written(self, path, suffix):
        """Whether the last number is in a file."""
        forms = {
            ".log": b"v=%d\r\n", ".txt": b"v=%d\n", ".csv": b",%d\n", ".pcapng": b"v=%d\r\n", ".jsonl": b'v=%d\\r\\n"'}
        return forms[suffix] % self.last in contents(path)

    def tell(self, count=1):
        """Says numbers, and waits until all files have them."""
        self.say(count)
        for suffix, path in self.files.items():
            wait_until(lambda: self.is_written(path, suffix), f"{path} has number {self.last}")

    def numbers(self, suffix):
        return numbers(suffix, contents(self.files[suffix]))

    def end(self, program, status=128 + signal.SIGTERM):
        program.signal(signal.SIGTERM)
        self.assertEqual(program.wait(), status)
        return program.stderr.data


class TruncatedTests(ChangedLogTest):
    def test_an_emptied_log_begins_again_with_its_header_and_says_so_once(self):
        program = self.begin()
        self.tell(3)
        for _ in range(2):
            first = self.last + 1
            for path in self.files.values():
                os.truncate(path, 0)
            self.tell(3)
            for suffix in self.files:
                self.assertEqual(self.numbers(suffix), list(range(first, self.last + 1)), suffix)
        if shutil.which("tshark"):
            result = run("tshark", "-r", str(self.files[".pcapng"]), "-T", "fields", "-e", "data.data")
            self.assertEqual(result.status, 0, result.stderr)
            self.assertEqual(
                bytes.fromhex(result.stdout.decode().replace("\n", "")), b"v=4\r\nv=5\r\nv=6\r\nv=7\r\nv=8\r\nv=9\r\n"[15:])
        said = self.end(program)
        self.assertEqual(
            sorted(SHORTENED.findall(said)), sorted(str(path).encode() for path in self.files.values()))

    def test_a_log_that_was_cut_goes_on_so_that_its_reader_finds_what_follows(self):
        program = self.begin()
        self.tell(3)
        cut = {}
        for suffix, path in self.files.items():
            cut[suffix] = path.stat().st_size - 3
            os.truncate(path, cut[suffix])
        self.tell(3)
        for suffix, path in self.files.items():
            data = contents(path)
            if suffix == ".pcapng":
                # What was cut is another file.
                old = contents(Path(f"{path}.1"))
                self.assertEqual((old[:4], len(old)), (b"\n\r\r\n", cut[suffix]))
            else:
                rest = data[cut[suffix]:]
                self.assertEqual(rest.startswith(b"\n"), suffix != ".log")
                data = rest.removeprefix(b"\n")
            self.assertEqual(numbers(suffix, data), [4, 5, 6], suffix)
        self.end(program)

    def test_a_capture_that_was_cut_waits_until_it_can_be_set_aside(self):
        program = self.begin(None, "--log-rotate", "1M", "--log-keep", "1", suffixes=(".pcapng",))
        self.tell(3)
        path = self.files[".pcapng"]
        old = Path(f"{path}.1")
        # The file cannot get the name of a folder.
        old.mkdir()
        size = path.stat().st_size - 3
        os.truncate(path, size)
        self.say(2)
        program.stderr.expect(b"does not end with a whole packet, and a new file cannot be started: ")
        self.assertEqual(path.stat().st_size, size)
        old.rmdir()
        self.tell(2)
        self.assertEqual(self.numbers(".pcapng"), [4, 5, 6, 7])
        self.assertEqual(old.stat().st_size, size)
        self.assertIn(b" can be written again", self.end(program))

    def test_a_log_with_an_incomplete_end_is_continued_behind_it(self):
        # As a computer leaves it that lost its power.
        for suffix, end in ((".txt", b"[2026-11-21T07:31:00"), (".jsonl", b'{"time":"20'), (".pcapng", b"\n\r\r\n\x1c")):
            (self.folder / f"a{suffix}").write_bytes(end)
        program = self.begin(None, "--log-append", suffixes=(".txt", ".jsonl", ".pcapng"))
        self.tell(2)
        self.end(program)
        self.assertEqual(contents(self.folder / "a.pcapng.1"), b"\n\r\r\n\x1c")
        path = str(self.files[".pcapng"]).encode()
        self.assertIn(
            b"the log " + path + b" does not end with a whole packet: it is " + path + b".1 now, and a new file was started.",
            program.stderr.data)
        self.assertEqual(self.numbers(".pcapng"), [1, 2])
        for suffix in (".txt", ".jsonl"):
            _, _, rest = contents(self.files[suffix]).partition(b"\n")
            self.assertEqual(numbers(suffix, rest), [1, 2])


class RemovedTests(ChangedLogTest):
    def test_a_removed_log_begins_again_with_the_next_bytes(self):
        program = self.begin()
        self.tell(2)
        for path in self.files.values():
            path.unlink()
        self.tell(2)
        for suffix in self.files:
            self.assertEqual(self.numbers(suffix), [3, 4], suffix)
        self.assertNotIn(b"shortened", self.end(program))

    def test_bytes_for_a_log_whose_folder_is_gone_are_kept_and_counted(self):
        folder = self.folder / "inner"
        folder.mkdir()
        program = self.begin(folder)
        self.tell(2)
        shutil.rmtree(folder)
        self.say(2)
        for _ in self.files:
            program.stderr.expect(b"was removed, and cannot be started again")
        folder.mkdir()
        self.tell(1)
        for suffix in self.files:
            self.assertEqual(self.numbers(suffix), [3, 4, 5], suffix)
        shutil.rmtree(folder)
        self.say(1)
        for _ in self.files:
            program.stderr.expect(b"was removed, and cannot be started again")
        said = self.end(program, status=7)
        missing = re.findall(rb"([\d,]+) bytes not logged", said)
        self.assertEqual([number(found) for found in missing], [len(b"v=6\r\n")] * len(self.files))

    def test_a_log_goes_on_where_its_folder_was_moved(self):
        folder, moved = self.folder / "inner", self.folder / "moved"
        folder.mkdir()
        program = self.begin(folder, suffixes=(".jsonl",))
        self.tell(2)
        folder.rename(moved)

        def is_said():
            # The path is looked at once a second, with the next bytes.
            self.say()
            program.stderr.catch_up()
            return program.stderr.data.count(b"is not at its path any more") > is_said.before
        is_said.before = 0
        wait_until(is_said, "it is said")
        self.assertIn(
            b"a new file cannot be started there: No such file or directory. It continues in the old file.",
            program.stderr.data)
        moved.rename(folder)

        def is_home():
            self.say()
            program.stderr.catch_up()
            return b"is written at its path again" in program.stderr.data
        wait_until(is_home, "it is at its path")
        is_said.before = 1
        folder.rename(moved)
        wait_until(is_said, "it is said again")
        last = self.last
        path = moved / "a.jsonl"
        wait_until(lambda: self.is_written(path, ".jsonl"), "it goes on")
        folder.mkdir()

        def is_back():
            self.say()
            return self.files[".jsonl"].exists()
        wait_until(is_back, "it begins again")
        self.tell()
        self.assertGreater(self.last, last)
        self.assertEqual(
            numbers(".jsonl", contents(path)) + self.numbers(".jsonl"), list(range(1, self.last + 1)))
        self.assertEqual(self.end(program).count(b"is not at its path any more"), 2)


class FullTests(ChangedLogTest):
    def setUp(self):
        super().setUp()
        self.disk = self.enterContext(small(self.folder / "disk", 64))

    def say_until(self, program, words):
        """Says numbers until the program says something."""
        def is_said():
            self.say()
            program.stderr.catch_up()
            return words in program.stderr.data
        wait_until(is_said, f"it says {words}")

    def test_room_that_comes_of_emptying_or_removing_the_log_is_used_at_once(self):
        for suffix in (".txt", ".jsonl", ".pcapng"):
            for act in (lambda path: os.truncate(path, 0), os.unlink):
                with self.subTest(suffix):
                    program = self.begin(self.disk, suffixes=(suffix,))
                    self.tell(1)
                    fill(self.disk / "filler")
                    self.say_until(program, b"cannot be written")
                    before = self.last
                    kept = self.files[suffix].stat().st_size
                    self.assertGreater(kept, 0)
                    act(self.files[suffix])
                    wait_until(lambda: self.is_written(self.files[suffix], suffix), "it is written")
                    self.tell(1)
                    found = self.numbers(suffix)
                    self.assertEqual(found, list(range(found[0], self.last + 1)))
                    self.assertLessEqual(found[0], before)
                    self.end(program)
                    for path in self.disk.iterdir():
                        path.unlink()

    def test_a_table_that_begins_again_with_its_first_rows_has_its_names_once(self):
        fill(self.disk / "filler")
        program = self.begin(self.disk, suffixes=(".csv",))
        self.say_until(program, b"cannot be written")
        self.files[".csv"].unlink()
        (self.disk / "filler").unlink()
        self.tell(1)
        self.assertEqual(contents(self.files[".csv"]).count(b"time,v"), 1)
        self.assertEqual(self.numbers(".csv"), list(range(1, self.last + 1)))
        self.end(program)

    def test_a_header_that_found_no_room_is_written_first(self):
        program = self.begin(self.disk, suffixes=(".pcapng",))
        self.tell(2)
        fill(self.disk / "filler")
        path = self.files[".pcapng"]
        path.rename(self.disk / "old")
        self.say_until(program, b"cannot be written")
        (self.disk / "filler").unlink()
        self.tell(1)
        old = numbers(".pcapng", contents(self.disk / "old"))
        self.assertEqual(old + self.numbers(".pcapng"), list(range(1, self.last + 1)))
        self.end(program)


@unittest.skipUnless(FAKETIME.exists(), "there is no libfaketime")
class ClockTest(ChangedLogTest):
    def setUp(self):
        super().setUp()
        self.clock = self.folder / "clock"
        self.set(0)
        # The library sets variables in the first program that loads it, which is not the one under test.
        self.how = {"through": (shutil.which("timeout"), "3600"), "variables": {
            "LD_PRELOAD": str(FAKETIME), "FAKETIME_TIMESTAMP_FILE": str(self.clock), "FAKETIME_NO_CACHE": "1",
            "DONT_FAKE_MONOTONIC": "1", "FAKETIME_DONT_FAKE_MONOTONIC": "1"}}

    def set(self, seconds):
        """Sets the clock to a time ahead of now."""
        new = self.clock.with_suffix(".new")
        new.write_text(f"{seconds:+f}\n")
        new.rename(self.clock)


class ClockTests(ClockTest):
    def test_a_step_is_an_event_and_replay_does_not_wait_for_it(self):
        program = self.begin(**self.how)
        for seconds in (0, 86_400, 3_600):
            self.set(seconds)
            self.tell(2)
        self.end(program)
        steps = [entry for entry in objects(contents(self.files[".jsonl"])) if entry.get("event") == "clock"]
        self.assertEqual([round(entry["step"] / 10) * 10 for entry in steps], [86_400, -82_800])
        for entry in steps:
            self.assertEqual(entry["time"], entry["new"])
        words = re.compile(r"clock set by ([+-]\d+\.\d{6}) s: \S+Z, before: \S+Z")
        texts = said_in_text(contents(self.files[".txt"]))
        comments = [comment for _, comment in packets(contents(self.files[".pcapng"]))]
        for lines in (texts, comments):
            found = [float(match.group(1)) for match in map(words.search, lines) if match]
            self.assertEqual(len(found), 2)
            for step, event in zip(found, steps):
                self.assertAlmostEqual(step, event["step"], delta=0.4)
        for suffix in (".txt", ".jsonl", ".pcapng"):
            with self.subTest(suffix), Pipes(
                    serialterm_binary(), "replay", str(self.files[suffix])) as replay:
                node = replay.stdout.expect(re.compile(rb"(/\S+)\n")).group(1).decode()
                with Port(node) as port:
                    said = "".join(f"v={n}\r\n" for n in range(1, 7)).encode()
                    self.assertEqual(port.read_exactly(len(said)), said)
                self.assertEqual(replay.wait(), 0)

    def test_the_offset_of_local_time_changes_without_an_event(self):
        for year, month, day, before, after in ((2026, 10, 25, "+02:00", "+01:00"), (2027, 3, 28, "+01:00", "+02:00")):
            with self.subTest(after):
                border = time.mktime((year, month, day, 1, 0, 0, 0, 0, 0)) - time.timezone
                self.set(border - 2 - time.time())
                self.how["variables"]["TZ"] = "Europe/Berlin"
                program = self.begin(suffixes=(".txt", ".jsonl"), **self.how)

                def is_over():
                    self.tell()
                    return f"{after}] ".encode() in contents(self.files[".txt"])
                is_over()
                wait_until(is_over, "the offset has changed")
                self.end(program)
                log = contents(self.files[".txt"]).decode()
                self.assertEqual(
                    [key for key, _ in itertools.groupby(re.findall(r"^\[\S+([+-]\d\d:\d\d)\]", log, re.M))], [before, after])
                self.assertNotIn("clock", log)
                self.assertNotIn(b"clock", contents(self.files[".jsonl"]))
                self.assertEqual(self.numbers(".txt"), self.numbers(".jsonl"))
                for path in self.files.values():
                    path.unlink()


@unittest.skipUnless(shutil.which("logrotate"), "there is no logrotate")
class LogrotateTests(ClockTest):
    """Three weeks of logging, in which each round sets the clock ahead, and is rotated by logrotate(8)."""

    WEEKS = 3 * 7 * 86_400

    def setUp(self):
        super().setUp()
        self.disk = self.enterContext(small(self.folder / "disk", 1_024))
        self.found = {suffix: [] for suffix in PARSERS}
        self.steps = []

    def logrotate(self, how):
        configuration = self.folder / "logrotate.conf"
        files = " ".join(map(str, self.files.values()))
        configuration.write_text(f"{files} {{\nsu root root\nrotate 1\n{how}\n}}\n")
        configuration.chmod(0o644)
        result = run("logrotate", "--force", "--state", str(self.folder / "state"), str(configuration))
        self.assertEqual((result.status, result.stderr), (0, b""))

    def collect(self, suffix, data):
        """Adds what the next part of a log says. Any damage to it fails."""
        self.found[suffix] += numbers(suffix, data)
        if suffix == ".jsonl":
            self.steps += [entry["step"] for entry in objects(data) if entry.get("event") == "clock"]

    def collect_old(self, suffix):
        for path in self.disk.glob(f"a{suffix}.*"):
            self.collect(suffix, contents(path))
            path.unlink()

    def empty(self):
        for suffix, path in self.files.items():
            self.collect(suffix, contents(path))
            os.truncate(path, 0)

    def cut(self):
        size = {}
        for suffix, path in self.files.items():
            self.collect(suffix, contents(path))
            size[suffix] = path.stat().st_size - 3
            os.truncate(path, size[suffix])
        self.tell()
        for suffix, path in self.files.items():
            if suffix == ".pcapng":
                old, = self.disk.glob("a.pcapng.*")
                self.assertEqual(old.stat().st_size, size[suffix])
                old.unlink()
            else:
                self.collect(suffix, contents(path)[size[suffix]:].removeprefix(b"\n"))
                os.truncate(path, 0)

    def fill(self, program):
        """Fills the disk until a log cannot be written, and makes room again."""
        def is_said():
            self.say(10)
            program.stderr.catch_up()
            return program.stderr.data.count(b"cannot be written") > before
        before = program.stderr.data.count(b"cannot be written")
        fill(self.disk / "filler")
        wait_until(is_said, "the disk is full")
        (self.disk / "filler").unlink()

    def rotate_by_renaming(self):
        self.logrotate("create 0600")

        def have_begun():
            self.say()
            return all(path.stat().st_size > 0 for path in self.files.values())
        wait_until(have_begun, "all files have begun again")

    def rotated(self, rounds, renamed_every):
        program = self.begin(self.disk, **self.how)
        self.tell(3)
        pid = int(Path(f"/proc/{program.pid}/task/{program.pid}/children").read_text())
        descriptors = len(os.listdir(f"/proc/{pid}/fd"))
        for index in range(1, rounds + 1):
            self.set(self.WEEKS * index / rounds)
            self.tell(3)
            # Before logrotate(8) copies and empties the files, they are complete.
            if index % renamed_every == 0:
                self.rotate_by_renaming()
            else:
                self.logrotate("copytruncate")
            self.tell()
            for suffix in self.files:
                self.collect_old(suffix)
            for act, remainder in ((self.empty, 1), (self.cut, 4), (lambda: self.fill(program), 7)):
                if index % 10 == remainder:
                    act()
                    self.tell()
        self.tell()
        self.assertEqual(len(os.listdir(f"/proc/{pid}/fd")), descriptors)
        said = self.end(program)
        self.assertEqual(len(SHORTENED.findall(said)), len(self.files))
        self.assertNotIn(b"not logged", said)
        for suffix, path in self.files.items():
            self.collect(suffix, contents(path))
            self.assertEqual(self.found[suffix], list(range(1, self.last + 1)), suffix)
        self.assertEqual(len(self.steps), rounds)
        self.assertAlmostEqual(sum(self.steps), self.WEEKS, delta=1)
        record(73, "rotations", rounds, "")
        record(73, "bytes missing", 0, "bytes")

    def test_every_byte_is_in_one_file_of_each_format(self):
        self.rotated(10, renamed_every=5)

    @soak
    def test_every_byte_of_1000_rotations_is_in_one_file_of_each_format(self):
        self.rotated(1_000, renamed_every=20)


class OddFileSystemTests(ChangedLogTest):
    @unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
    def test_a_mode_that_the_file_system_refuses_is_7_and_leaves_no_file(self):
        # As FAT and NTFS do.
        disk = Disk(self.log, fchmod=errno.EPERM)
        disk.switch_on()
        program = self.start("--mode", "640", variables=disk.variables)
        self.assertEqual(program.wait(), 7)
        self.assertIn(b"the log's mode or group cannot be set (Operation not permitted)", program.stderr.data)
        self.assertFalse(self.log.exists())
        program = self.logging(variables=disk.variables)
        self.device.write(b"hello")
        self.wait_for_log(5)
        self.end(program)

    @unittest.skipUnless(shutil.which("ntfs-3g"), "there is no ntfs-3g")
    def test_a_log_on_ntfs_is_rotated_emptied_and_removed(self):
        image = self.folder / "image"
        with open(image, "wb") as file:
            file.truncate(20 << 20)
        subprocess.run(("mkfs.ntfs", "-F", "-Q", str(image)), check=True, capture_output=True)
        mount = ("ntfs-3g", str(image), str(self.folder / "disk"))
        disk = self.enterContext(mounted(
            self.folder / "disk", lambda: subprocess.run(mount, check=True, capture_output=True)))
        # Without its option `permissions`, it has no modes: what is asked for is ignored.
        program = self.begin(disk, "--log-rotate", "1k", "--mode", "640")
        for _ in range(20):
            self.tell(2)
        for suffix, path in self.files.items():
            files = sorted(disk.glob(f"{path.name}.*"), key=lambda file: int(file.suffix[1:])) + [path]
            self.assertEqual(
                [n for file in files for n in numbers(suffix, contents(file))], list(range(1, 41)))
        first = self.last + 1
        for path in self.files.values():
            os.truncate(path, 0)
        self.tell(2)
        for suffix in self.files:
            self.assertEqual(self.numbers(suffix), [first, first + 1], suffix)
        for path in self.files.values():
            path.unlink()

        def have_begun():
            # FUSE gives a file that was removed another name, as long as it is open.
            self.say()
            return all(path.exists() for path in self.files.values())
        wait_until(have_begun, "all files have begun again")
        self.tell()
        for suffix in self.files:
            self.assertEqual(self.numbers(suffix)[-1], self.last)
        self.assertEqual(len(SHORTENED.findall(self.end(program))), len(self.files))

    def test_a_file_system_that_only_can_be_read_is_said_before_and_while_it_is_written(self):
        disk = self.enterContext(small(self.folder / "disk", 1_024))

        def remount(how):
            try:
                subprocess.run(("mount", "-o", f"remount,{how}", str(disk)), check=True, capture_output=True)
            except (OSError, subprocess.CalledProcessError) as error:
                self.skipTest(f"nothing can be mounted again: {error}")
        remount("ro")
        program = self.start(file=disk / "log")
        self.assertEqual(program.wait(), 7)
        self.assertIn(b"the log cannot be opened (Read-only file system)", program.stderr.data)
        self.assertEqual(list(disk.iterdir()), [])
        remount("rw")

    def test_without_a_home_a_log_is_written(self):
        program = self.enterContext(Pipes(
            "env", "-i", serialterm_binary(), "log", self.device.path, str(self.log)))
        program.stderr.expect(b"logging ")
        self.device.write(b"hello")
        self.wait_for_log(5)
        self.assertEqual(stat.S_IMODE(self.log.stat().st_mode), 0o600)
        self.end(program)
