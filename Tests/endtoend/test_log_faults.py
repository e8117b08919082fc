"""Rows 30 to 32 and 50: the disk of a log is full, breaks, stalls; the session is killed."""

import base64
import json
import random
import re
import resource
import signal
import time
import unittest

from Tests.endtoend.faults import LEAVING, SessionTest, number, preload, record, text
from Tests.endtoend.faults.disks import Disk, freezable, frozen, small
from Tests.endtoend.harness import TIMEOUT, pace, slow, soak, wait_until, wrapped

ALARM = b"cannot be written"
MISSING = wrapped(re.compile(rb"([\d,]+) bytes not logged"))
GOES_ON = wrapped(re.compile(rb" continues; ([\d,]+) bytes missing"))
# Milliseconds within which a disk that is full or broken is reported.
REPORTED = 1_000
# Seconds after which a disk that stalls goes on, even if its test hangs.
STALLED = 2 * TIMEOUT
UNWRITTEN = wrapped(re.compile(rb"the disk accepts no data; ([\d,]+) bytes were not written"))


class Row30FullDiskTests(SessionTest):
    def setUp(self):
        super().setUp()
        self.disk = self.enterContext(small(self.folder / "disk", 64))
        self.log = self.disk / "log"

    def full_session(self, *options):
        """A session whose log's disk is full after 64 KiB of the 200 kB that came."""
        terminal = self.session("-L", str(self.log), *options)
        self.said = text(200_000)
        waited, started = self.waited(terminal), time.monotonic()
        self.device.write(self.said)
        terminal.expect(ALARM)
        record(30, "disk full to said", (time.monotonic() - started) * 1000, "ms", at_most=REPORTED)
        self.assertLessEqual(self.waited(terminal) - waited, REPORTED)
        # After the alarm the session continues.
        self.device.write(b"still here")
        terminal.expect(b"still here")
        self.said += b"still here"
        return terminal

    def test_alarm_is_given_and_the_count_is_exact(self):
        terminal = self.full_session()
        terminal.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(self.quit(terminal)[0], 7)
        self.assert_given_back(terminal)
        kept = self.log.read_bytes()
        self.assertTrue(self.said.startswith(kept))
        missing = number(terminal.expect(MISSING).group(1))
        self.assertEqual(len(kept) + missing, len(self.said))
        record(30, "difference between said and true, of bytes not logged", 0, "bytes")

    def test_nothing_is_missing_when_there_is_room_in_time(self):
        filler = self.disk / "filler"
        filler.write_bytes(bytes(40_960))
        terminal = self.session("-L", str(self.log))
        said = text(50_000)
        self.device.write(said)
        terminal.expect(ALARM)
        filler.unlink()
        terminal.expect(b"can be written again")
        wait_until(lambda: self.log.stat().st_size == len(said), "the log is written")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertTrue(self.log.read_bytes() == said, "the log differs")
        record(30, "lost when there is room again in time", 0, "bytes")

    def test_records_stay_whole(self):
        terminal = self.full_session("--log-format", "jsonl")
        self.assertEqual(self.quit(terminal)[0], 7)
        kept = logged(self.log)
        self.assertTrue(self.said.startswith(kept))
        missing = number(terminal.expect(MISSING).group(1))
        self.assertEqual(len(kept) + missing, len(self.said))

    def test_limit_on_the_size_of_files_is_a_full_disk(self):
        log = self.folder / "log"
        terminal = self.session("-L", str(log))
        limit = 65_536
        resource.prlimit(terminal.pid, resource.RLIMIT_FSIZE, (limit, resource.RLIM_INFINITY))
        said = text(200_000)
        self.device.write(said)
        terminal.expect(b"cannot be written (File too large)")
        # The screen and the log are written by different threads: either may be first.
        wait_until(lambda: said[-20:] in terminal.output, "all is shown")
        self.assertEqual(self.quit(terminal)[0], 7)
        self.assertEqual(log.read_bytes(), said[:limit])
        missing = number(terminal.expect(MISSING).group(1))
        self.assertEqual(missing, len(said) - limit)

    def test_signal_tells_the_count_too(self):
        terminal = self.full_session()
        self.assertEqual(self.signal(terminal, signal.SIGTERM)[0], 128 + signal.SIGTERM)
        missing = number(terminal.expect(MISSING).group(1))
        self.assertEqual(self.log.stat().st_size + missing, len(self.said))


@unittest.skipUnless(preload.HAS_COMPILER, "there is no C compiler")
class Row31BrokenDiskTests(SessionTest):
    def test_error_is_told_and_nothing_lost_that_can_still_be_written(self):
        disk = Disk.broken(self.log)
        terminal = self.session("-L", str(self.log), variables=disk.variables)
        disk.switch_on()
        said = text(300_000)
        waited, started = self.waited(terminal), time.monotonic()
        self.device.write(said)
        terminal.expect(wrapped(b"cannot be written (Input/output error)"))
        record(31, "disk broken to said", (time.monotonic() - started) * 1000, "ms", at_most=REPORTED)
        self.assertLessEqual(self.waited(terminal) - waited, REPORTED)
        disk.switch_off()
        terminal.expect(b"can be written again")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertTrue(self.log.read_bytes() == said, "the log differs")

    def test_error_that_stays_is_7_and_an_exact_count(self):
        disk = Disk.broken(self.log)
        terminal = self.session("-L", str(self.log), variables=disk.variables)
        self.device.write(b"before")
        self.wait_for_log(6)
        disk.switch_on()
        self.device.write(text(10_000))
        terminal.expect(ALARM)
        # The random text before has no such word.
        self.device.write(b"the very end")
        terminal.expect(b"the very end")
        self.assertEqual(self.quit(terminal)[0], 7)
        self.assertEqual(number(terminal.expect(MISSING).group(1)), 10_012)
        self.assertEqual(self.log.read_bytes(), b"before")
        self.assert_given_back(terminal)

    def test_what_is_missing_is_said_when_the_log_is_switched_off(self):
        disk = Disk.broken(self.log)
        terminal = self.session("-L", str(self.log), variables=disk.variables)
        disk.switch_on()
        self.device.write(text(10_000))
        terminal.expect(ALARM)
        # The random text before has no such word.
        self.device.write(b"the very end")
        terminal.expect(b"the very end")
        terminal.send(b"\x14f")
        self.assertEqual(number(terminal.expect(MISSING).group(1)), 10_012)
        self.assertEqual(self.quit(terminal)[0], 7)

    def test_bytes_of_several_gaps_add_up(self):
        """Twice the disk fails until the log has no room (8 MiB), and the log continues afterwards."""
        disk = Disk.broken(self.log)
        terminal = self.session("-L", str(self.log), variables=disk.variables)
        count, gaps = 0, []
        for index in range(2):
            disk.switch_on()
            said = text(9_000_000, seed=index)
            self.device.write(said)
            terminal.expect(said[-20:])
            count += len(said)
            disk.switch_off()
            pieces = []

            def goes_on():
                # It continues with a byte that arrives when there is room again.
                self.device.write(b".")
                pieces.append(b".")
                return GOES_ON.findall(terminal.output)[index:]

            gaps.append(number(wait_until(goes_on, "the log continues")[0]))
            count += len(pieces)
            self.wait_for_log(count - sum(gaps))
        self.assertGreater(min(gaps), 100_000)
        self.assertEqual(self.quit(terminal)[0], 7)
        self.assertEqual(number(terminal.expect(MISSING).group(1)), sum(gaps))
        self.assertEqual(self.log.stat().st_size, count - sum(gaps))

    def test_short_writes_lose_nothing(self):
        disk = Disk(self.log, write=7)
        terminal = self.session("-L", str(self.log), variables=disk.variables)
        said = text(100_000)
        self.device.write(said)
        self.wait_for_log(len(said))
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertTrue(self.log.read_bytes() == said, "the log differs")
        record(31, "lost when every write takes 7 bytes", 0, "bytes")


class Row32KilledTests(SessionTest):
    # Milliseconds.
    LIMIT = 50
    # A wait that had begun before the byte came is counted too when it ends.
    COUNTED = 2 * LIMIT
    PIECE = b"0123456789"

    def killed(self, repetitions):
        """Kills sessions at random moments. Only bytes are lost that had been there for at most 50 ms."""
        chance = random.Random(32)
        record(32, "age of the oldest byte that was lost",
               [self.age_of_the_oldest_lost(chance.randrange(5, 80)) for _ in range(repetitions)], "ms",
               at_most=self.LIMIT)

    def age_of_the_oldest_lost(self, count):
        """Kills a session after a number of pieces. Returns the age of the oldest byte that is not in its log,
        in milliseconds."""
        with self.connect("-L", str(self.log)) as terminal:
            terminal.expect(b"ctrl-t q")
            arrivals, waited, started = [], [], time.monotonic()
            for index in range(count):
                waited.append(self.waited(terminal))
                self.device.write(self.PIECE)
                arrivals.append(time.monotonic())
                pace(started, index + 1, 400)
            terminal.signal(signal.SIGKILL)
            killed = time.monotonic()
            terminal.wait()
            waited.append(self.waited(terminal))
            kept = self.log.read_bytes()
            self.log.unlink()
        # Its pseudo-terminal keeps the unread bytes for the next session.
        self.replug()
        self.assertEqual(kept, (self.PIECE * count)[:len(kept)])
        first_lost = len(kept) // len(self.PIECE)
        if first_lost == count:
            return 0
        # A busy machine may not have let it run since then. But it has not decided to wait.
        self.assertLessEqual(waited[-1] - waited[first_lost], self.COUNTED)
        return (killed - arrivals[first_lost]) * 1000

    def test_a_byte_of_a_quiet_line_is_logged_at_once(self):
        terminal = self.session("-L", str(self.log))
        for index in range(1, 21):
            waited = self.waited(terminal)
            self.device.write(self.PIECE)
            self.wait_for_log(index * len(self.PIECE))
            self.assertLessEqual(self.waited(terminal) - waited, self.COUNTED)

    def test_quiet_line_loses_at_most_50_ms(self):
        self.killed(3)

    @soak
    def test_quiet_line_loses_at_most_50_ms_100_times(self):
        self.killed(100)


class Row50StalledDiskTests(SessionTest):
    def setUp(self):
        super().setUp()
        self.disk = self.enterContext(freezable(self.folder / "disk"))
        self.log = self.disk / "log"

    def say(self, size, rate):
        """The device sends a number of bytes at a rate."""
        said = text(size)
        started = time.monotonic()
        for start in range(0, size, rate // 100):
            self.device.write(said[start:start + rate // 100])
            pace(started, start, rate)
        return said

    @slow
    def test_three_seconds_at_1_megabyte_a_second_lose_nothing(self):
        terminal = self.session("-L", str(self.log))
        with frozen(self.disk, STALLED):
            said = self.say(3_000_000, 1_000_000)
            terminal.expect(said[-60:])
            terminal.send(b"typed meanwhile")
            self.assertEqual(self.device.read_exactly(15), b"typed meanwhile")
            self.assertLess(self.log.stat().st_size, len(said))
        wait_until(lambda: self.log.stat().st_size == len(said), "the log is written")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertTrue(self.log.read_bytes() == said, "the log differs")
        record(50, "lost of 3 MB while the disk stalled", 0, "bytes")

    def test_quitting_gives_the_terminal_back_and_tells_what_is_not_written(self):
        terminal = self.session("-L", str(self.log))
        with frozen(self.disk, STALLED):
            self.device.write(b"x" * 1_000)
            terminal.expect(b"x" * 1_000)
            waited, started = self.waited(terminal), time.monotonic()
            terminal.send(b"\x14q")
            wait_until(lambda: terminal.settings == terminal.original_settings, "it is given back")
            seconds = time.monotonic() - started
            self.assertLessEqual(self.waited(terminal) - waited, LEAVING)
            self.assertEqual(number(terminal.expect(UNWRITTEN).group(1)), 1_000)
        self.assertEqual(self.ended(terminal, started)[0], 7)
        record(50, "quit key to restored while the disk stalled", seconds * 1000, "ms", at_most=LEAVING)

    @slow
    def test_what_finds_no_room_is_counted_and_marked(self):
        terminal = self.session("-L", str(self.log), "--log-format", "jsonl")
        with frozen(self.disk, STALLED):
            said = self.say(12_000_000, 3_000_000)
            terminal.expect(wrapped(b"new data is not logged"))

        def goes_on():
            nonlocal said
            said += self.say(1_000, 100_000)
            return GOES_ON.search(terminal.transcript.rest)

        wait_until(goes_on, "the log continues")
        missing = number(terminal.expect(GOES_ON).group(1))
        self.assertGreater(missing, 2_000_000)
        wait_until(lambda: b'"gap"' in self.log.read_bytes(), "the gap is written")
        self.assertEqual(self.quit(terminal)[0], 7)
        entries = [json.loads(line) for line in self.log.read_bytes().splitlines()]
        gaps = [entry["missing"] for entry in entries if entry.get("event") == "gap"]
        self.assertEqual(gaps, [missing])
        self.assertEqual(len(logged(self.log)) + missing, len(said))


def logged(path):
    """The received bytes in a log of JSON lines."""
    entries = map(json.loads, path.read_bytes().splitlines())
    return b"".join(
        base64.b64decode(entry["bytes"]) for entry in entries
        if entry.get("direction") == "from-device")
