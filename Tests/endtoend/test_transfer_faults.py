"""File transfers that meet a fault: on the line, at the far end, or their own end."""

import os
import re
import signal
import tempfile
import time
import unittest
from pathlib import Path

from Tests.endtoend.faults import processes, record, waits
from Tests.endtoend.harness import (
    TIMEOUT, Deadline, Device, Loopback, Pipes, Terminal, serialterm_binary, shell_status, slow, soak, wait_until)
from Tests.endtoend.harness.open_files import files_of
from Tests.endtoend.harness.pace import pace
from Tests.endtoend.transfers import (
    Bench, at_once, contents, differences, ended, missing, scripted, written)
from Tests.endtoend.transfers.contents import Content
from Tests.endtoend.transfers.scripted import (
    ACK, CAN, CANFC32, CANFDX, CANOVIO, CRC_MODE, EOT, NAK, ZDATA, ZEOF, ZFILE, ZFIN,
    ZRINIT, ZRPOS, ZRQINIT, block, expect_header, expect_one_of, header_block, hex_header, read_block)

SENDING = ("xmodem", "xmodem-1k", "ymodem", "ymodem-g", "zmodem")
RECEIVING = {"xmodem-1k": "xmodem"}
FILE = Content("image.bin", contents.random_bytes(65_537))
LARGE = Content("large.bin", contents.random_bytes(4 << 20))
MEGABYTES = Content("megabytes.bin", contents.LARGE.data)


@slow
class OurselvesTests(unittest.TestCase):
    """Both ends are ours, over `serialterm loopback --pair`."""

    def transfer(self, protocol, files, *options):
        """Returns the differences, and the exit statuses of the sender and the receiver."""
        with Bench(Loopback("--pair", *options)) as bench:
            paths = bench.write(files)
            kind = RECEIVING.get(protocol, protocol)
            named = ["--name", files[0].name] if kind == "xmodem" else []
            receiver = bench.ours(
                "receive", bench.line.nodes[1], "--protocol", kind, "--into", bench.received, *named)
            sender = bench.send(protocol, *paths)
            statuses = (sender.wait(2 * TIMEOUT), receiver.wait(2 * TIMEOUT))
            said = sender.stderr.expect_end() + receiver.stderr.expect_end()
            if kind == "xmodem" and statuses == (0, 0):
                received = (bench.received / files[0].name).read_bytes()
                wrong = "" if contents.is_padded(received, files[0].data) else "other bytes"
            else:
                wrong = differences(bench.received, files)
            return wrong, statuses, said

    def assert_all(self, cases, *options):
        def run(protocol, *files):
            wrong, statuses, said = self.transfer(protocol, files, *options)
            if wrong or statuses != (0, 0):
                raise AssertionError(f"{wrong}; {statuses}; {said!r}")
        at_once(self, cases, run, count=4)

    def test_every_protocol_and_content(self):
        single = [
            (protocol, content) for protocol in ("xmodem", "xmodem-1k")
            for content in contents.BY_SIZE + contents.STRANGE]
        batches = [(protocol, *contents.ALL) for protocol in ("ymodem", "ymodem-g", "zmodem")]
        self.assert_all(single + batches)

    def test_twenty_files(self):
        files = [Content(f"{number}.bin", contents.random_bytes(999, number)) for number in range(20)]
        self.assert_all([(protocol, *files) for protocol in ("ymodem", "ymodem-g", "zmodem")])

    def test_10_mib(self):
        self.assert_all([(protocol, MEGABYTES) for protocol in ("ymodem-g", "zmodem")])

    def test_at_115200(self):
        content = Content("slow.bin", contents.random_bytes(20_000))
        self.assert_all([(protocol, content) for protocol in SENDING], "--rate", "115200")

    def test_a_line_with_flipped_bits(self):
        self.assert_all(
            [(protocol, FILE) for protocol in SENDING if protocol != "ymodem-g"],
            "--corrupt", "1e-4", "--seed", "22")

    def test_a_line_that_loses_bytes(self):
        self.assert_all(
            [(protocol, FILE) for protocol in SENDING if protocol != "ymodem-g"],
            "--drop", "1e-4", "--seed", "22")

    def test_a_bad_line_ends_a_transfer_without_acknowledgements(self):
        for seed in range(1, 6):
            with self.subTest(seed):
                wrong, statuses, said = self.transfer(
                    "ymodem-g", [FILE], "--corrupt", "1e-3", "--seed", str(seed))
                self.assertIn(FILE.name, wrong)
                self.assertEqual(statuses, (8, 8), said)


class FarEnd(unittest.TestCase):
    """The test is the far end."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.into = self.folder / "into"
        self.into.mkdir()
        self.counts = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.device = self.enterContext(Device())

    def start(self, *arguments):
        return self.enterContext(Pipes(
            serialterm_binary(), *map(str, arguments), variables=waits.counted(self.counts)))

    def waited(self, program):
        """The milliseconds that a program has waited so far for nothing but time."""
        return waits.milliseconds(self.counts, program.pid)

    def wait_until_it_waits(self, program):
        """Waits until a program has read all that was sent to it, and done what follows from that."""
        wait_until(lambda: not self.device.has_unread and processes.state_of(program.pid) == "S", "the program waits")

    def send(self, protocol, content=FILE, *options):
        path = content.write(self.folder)
        return self.start(
            "send", self.device.path, "--file", path, "--protocol", protocol, *options)

    def receive(self, protocol, *options):
        return self.start(
            "receive", self.device.path, "--protocol", protocol, "--into", self.into, *options)

    def take(self, count, number=1):
        """Acknowledges blocks; returns their contents."""
        data = b""
        for expected in range(number, number + count):
            found, piece = read_block(self.device)
            self.assertEqual(found, expected & 0xFF)
            data += piece
            self.device.write(ACK)
        return data

    def take_all(self, number=1, data=b""):
        """Acknowledges blocks up to the end, and that."""
        while (got := read_block(self.device)) != EOT:
            self.assertEqual(got[0], number & 0xFF)
            data += got[1]
            number += 1
            self.device.write(ACK)
        self.device.write(ACK)
        return data

    def read_until_it_ends(self, program):
        """Returns what a program sends until its end."""
        deadline, data = Deadline(), b""
        while program.running:
            self.assertFalse(deadline.passed, "it still runs")
            data += self.device.read_available(0.02)
        return data + self.device.read_available(0)

    def assert_sent(self, data, content):
        self.assertTrue(contents.is_padded(data, content.data), f"{len(data)} bytes, or other ones")

    def answer(self, kind, value=0):
        self.device.write(hex_header(kind, value))

    def take_offer(self):
        """Reads ZFILE."""
        expect_header(self.device, ZRQINIT)
        self.answer(ZRINIT, (CANFDX | CANOVIO | CANFC32) << 24)
        seen = b""
        while not seen.endswith(b"\x18k"):  # The end of its packet.
            seen += self.device.read_exactly(1)

    def begin_zmodem(self):
        """Asks for a file from its beginning."""
        self.take_offer()
        self.answer(ZRPOS, 0)


class SenderTests(FarEnd):
    SHORT = Content("short.bin", contents.random_bytes(1_000))

    def test_text_before_the_request_is_no_request(self):
        program = self.send("xmodem", self.SHORT)
        self.device.write(b"\r\n## Ready for binary (xmodem) Configured: CCC at 115200 bps...\r\n")
        self.wait_until_it_waits(program)
        self.assertEqual(self.device.read_available(0), b"")
        self.device.write(CRC_MODE)
        self.assert_sent(self.take_all(), self.SHORT)
        self.assertNotIn(b"retr", ended(program))

    @slow
    def test_a_receiver_that_starts_late(self):
        program = self.send("xmodem", self.SHORT)
        self.assertEqual(self.device.read_available(3), b"")
        self.device.write(NAK)
        data = b""
        while (got := read_block(self.device, with_crc=False)) != EOT:
            data += got[1]
            self.device.write(ACK)
        self.device.write(ACK)
        self.assert_sent(data, self.SHORT)
        ended(program)

    def test_a_receiver_that_does_not_start(self):
        program = self.send("ymodem", self.SHORT, "--timeout", "0.3")
        self.assertIn(b"no receiver asked for it within 0.3 s", ended(program, 8))
        self.assertEqual(self.device.rest(), b"")

    def test_a_damaged_block_is_sent_again(self):
        for request in (NAK, CRC_MODE):
            with self.subTest(request):
                program = self.send("xmodem", self.SHORT)
                self.device.write(CRC_MODE)
                data = self.take(3)
                first = read_block(self.device)
                self.device.write(request)
                self.assertEqual(read_block(self.device), first)
                self.device.write(ACK)
                self.assert_sent(self.take_all(5, data + first[1]), self.SHORT)
                self.assertIn(b"1 retry", ended(program))

    def test_a_single_can_is_noise(self):
        program = self.send("xmodem", self.SHORT)
        self.device.write(CRC_MODE)
        data = self.take(2)
        self.device.write(CAN)
        self.assert_sent(self.take_all(3, data), self.SHORT)
        ended(program)

    @slow
    def test_a_receiver_that_pauses_gets_no_block_twice(self):
        program = self.send("xmodem-1k")
        self.device.write(CRC_MODE)
        data = self.take(3)
        number, piece = read_block(self.device)
        self.assertEqual(self.device.read_available(5), b"")
        self.device.write(ACK)
        self.assert_sent(self.take_all(number + 1, data + piece), FILE)
        ended(program)

    def test_an_end_that_is_not_accepted_at_first_is_sent_again_at_once(self):
        # Cisco, and YMODEM as it was specified.
        program = self.send("xmodem", self.SHORT)
        self.device.write(CRC_MODE)
        self.take(8)
        waited = self.waited(program)
        for _ in range(3):
            self.assertEqual(self.device.read_exactly(1), EOT)
            self.device.write(NAK)
        self.assertEqual(self.device.read_exactly(1), EOT)
        # Without an answer it is sent again too, but after seconds.
        self.assertLess(self.waited(program) - waited, 1000)
        self.device.write(ACK)
        ended(program)

    @slow
    def test_a_lost_end_is_sent_again(self):
        program = self.send("xmodem", self.SHORT)
        self.device.write(CRC_MODE)
        self.take(8)
        self.assertEqual(self.device.read_exactly(1), EOT)
        self.assertEqual(self.device.read_exactly(1), EOT)
        self.device.write(ACK)
        ended(program)

    def test_an_end_that_is_acknowledged_twice(self):
        # U-Boot.
        program = self.send("xmodem", self.SHORT)
        self.device.write(CRC_MODE)
        self.take_all()
        self.device.write(ACK + b"\r\n=> ")
        ended(program)

    def test_their_cancel(self):
        for protocol in ("xmodem", "xmodem-1k", "ymodem"):
            with self.subTest(protocol):
                program = self.send(protocol)
                self.device.write(CRC_MODE)
                if protocol == "ymodem":
                    read_block(self.device)
                    self.device.write(ACK + CRC_MODE)
                self.take(5)
                self.device.write(CAN * 3)
                said = ended(program, 8)
                self.assertIn(b"image.bin was not sent completely: the other side cancelled", said)
                self.device.read_available(0.05)

    def test_their_cancel_of_zmodem(self):
        program = self.send("zmodem", LARGE)
        self.begin_zmodem()
        self.device.read_exactly(20_000)
        self.device.write(CAN * 8)
        self.read_until_it_ends(program)
        self.assertIn(b"large.bin was not sent completely", ended(program, 8))

    def test_a_file_that_is_not_wanted(self):
        program = self.send("zmodem", self.SHORT)
        self.take_offer()
        self.answer(scripted.ZSKIP)
        expect_header(self.device, ZFIN)
        self.answer(ZFIN)
        self.assertIn(b"short.bin", ended(program, 8))


class ReceiverTests(FarEnd):
    def test_text_before_the_first_block(self):
        program = self.receive("xmodem", "--name", "image.bin")
        self.device.write(b"Give your local XMODEM receive command now.\r\n")
        expect_one_of(self.device, CRC_MODE)
        self.device.write(block(1, b"x" * 128))
        expect_one_of(self.device, ACK)
        self.device.write(EOT)
        expect_one_of(self.device, ACK)
        ended(program)
        self.assertEqual((self.into / "image.bin").read_bytes(), b"x" * 128)

    def test_text_before_the_first_zmodem_header(self):
        program = self.receive("zmodem")
        self.device.write(b"$ sz image.bin\r\nrz waiting to receive.**\x18B0\r\nrz\r")
        scripted.send_zmodem(self.device, scripted.file_packet(b"image.bin", 3), b"abc")
        ended(program)
        self.assertEqual((self.into / "image.bin").read_bytes(), b"abc")

    def test_a_block_that_comes_twice_is_kept_once(self):
        program = self.receive("xmodem", "--name", "image.bin")
        expect_one_of(self.device, CRC_MODE)
        for number in (1, 2, 2, 3):
            self.device.write(block(number, bytes([number]) * 128))
            expect_one_of(self.device, ACK)
        self.device.write(EOT)
        expect_one_of(self.device, ACK)
        ended(program)
        self.assertEqual(
            (self.into / "image.bin").read_bytes(), b"\x01" * 128 + b"\x02" * 128 + b"\x03" * 128)

    def test_a_damaged_block_is_asked_for_again(self):
        program = self.receive("xmodem", "--name", "image.bin")
        expect_one_of(self.device, CRC_MODE)
        self.device.write(block(1, b"first"))
        expect_one_of(self.device, ACK)
        good = block(2, b"good")
        self.device.write(good[:50] + b"?" + good[51:])
        expect_one_of(self.device, NAK)
        self.device.write(good)
        expect_one_of(self.device, ACK)
        self.device.write(EOT)
        expect_one_of(self.device, ACK)
        ended(program)
        self.assertEqual((self.into / "image.bin").read_bytes()[128:], good[3:-2])

    def test_a_missing_block_ends_it(self):
        program = self.receive("xmodem", "--name", "image.bin")
        expect_one_of(self.device, CRC_MODE)
        self.device.write(block(1, b"first"))
        expect_one_of(self.device, ACK)
        self.device.write(block(3, b"third"))
        expect_one_of(self.device, CAN)
        self.assertIn(b"image.bin.part", ended(program, 8))
        self.assertEqual(os.listdir(self.into), ["image.bin.part"])

    def test_their_cancel_names_the_part_that_is_kept(self):
        program = self.receive("ymodem")
        expect_one_of(self.device, CRC_MODE)
        self.device.write(header_block(b"image.bin", 100_000))
        expect_one_of(self.device, ACK)
        expect_one_of(self.device, CRC_MODE)
        for number in range(1, 6):
            self.device.write(block(number, b"z" * 1_024, 1_024))
            expect_one_of(self.device, ACK)
        self.device.write(CAN * 2)
        said = ended(program, 8)
        self.assertIn(b"5,120 bytes were received; they are in ", said)
        self.assertIn(b"image.bin.part", said)
        self.assertEqual((self.into / "image.bin.part").stat().st_size, 5_120)

    def test_garbage_after_the_end_of_zmodem(self):
        program = self.receive("zmodem")
        self.answer(ZRQINIT)
        expect_header(self.device, ZRINIT)
        self.device.write(
            scripted.binary_header(ZFILE) + scripted.file_packet(b"image.bin", 3))
        expect_header(self.device, ZRPOS)
        self.device.write(
            scripted.binary_header(ZDATA) + scripted.packets(b"abc") + scripted.binary_header(ZEOF, 3))
        expect_header(self.device, ZRINIT)
        self.answer(ZFIN)
        expect_header(self.device, ZFIN)
        self.device.write(b"$ ")
        ended(program)
        self.assertEqual((self.into / "image.bin").read_bytes(), b"abc")


class EndTests(FarEnd):
    """A transfer is cut off: row 52."""

    def begin_sending(self, protocol):
        """A program that has sent a part, and a function that reads the rest as a receiver does."""
        program = self.send(protocol, LARGE)
        if protocol == "zmodem":
            self.begin_zmodem()
            self.device.read_exactly(50_000)
            return program
        self.device.write(CRC_MODE)
        if protocol == "ymodem":
            read_block(self.device)
            self.device.write(ACK + CRC_MODE)
        self.take(20)
        # The next block has begun.
        self.device.read_exactly(1)
        return program

    def test_a_signal_tells_the_receiver_and_names_the_file(self):
        durations = []
        for protocol in ("xmodem", "xmodem-1k", "ymodem", "zmodem"):
            for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
                with self.subTest(protocol=protocol, signal=number.name):
                    program = self.begin_sending(protocol)
                    waited, started = self.waited(program), time.monotonic()
                    program.signal(number)
                    rest = b""
                    if protocol != "zmodem":
                        # Within a block, a receiver takes everything for its contents.
                        length = 132 if protocol == "xmodem" else 1_028
                        self.device.read_exactly(length)
                        self.device.write(ACK)
                        while (rest := self.device.read_exactly(1)) != CAN:
                            self.device.read_exactly(length)
                            self.device.write(ACK)
                    rest += self.read_until_it_ends(program)
                    durations.append((time.monotonic() - started) * 1000)
                    self.assertEqual(shell_status(program.wait()), 128 + number)
                    self.assertLessEqual(self.waited(program) - waited, 1000)
                    self.assertRegex(
                        program.stderr.expect_end(), rb"large\.bin was not sent completely: .*[1-9]")
                    self.assertIn(CAN * 5, rest[-40:])
        record("transfers", "signal to the end, with a receiver that takes the rest of a block", durations, "ms",
               at_most=1000)

    def test_a_signal_ends_a_transfer_whose_receiver_is_silent(self):
        for number, limit in ((signal.SIGINT, 2000), (signal.SIGTERM, 700)):
            with self.subTest(number):
                program = self.begin_sending("xmodem-1k")
                waited, started = self.waited(program), time.monotonic()
                program.signal(number)
                self.assertEqual(shell_status(program.wait()), 128 + number)
                record("transfers", f"{number.name} to the end, with a silent receiver",
                       (time.monotonic() - started) * 1000, "ms", at_most=limit)
                self.assertLessEqual(self.waited(program) - waited, limit)
                self.device.read_available(0.02)

    @staticmethod
    def read_so_far(program):
        """How many bytes a program has read, of all its files."""
        return int(re.search(r"rchar: (\d+)", Path(f"/proc/{program.pid}/io").read_text()).group(1))

    def test_a_second_signal_ends_it_at_once(self):
        program = self.begin_sending("xmodem-1k")
        before = self.read_so_far(program)
        program.signal(signal.SIGINT)
        # Two signals at once would be one. The program reads them from a file.
        wait_until(lambda: self.read_so_far(program) > before, "the first one was read")
        waited, started = self.waited(program), time.monotonic()
        program.signal(signal.SIGINT)
        self.assertEqual(shell_status(program.wait()), 128 + signal.SIGINT)
        record("transfers", "second SIGINT to the end", (time.monotonic() - started) * 1000, "ms", at_most=300)
        self.assertLessEqual(self.waited(program) - waited, 300)

    def test_a_signal_keeps_what_was_received(self):
        for number in (signal.SIGINT, signal.SIGTERM):
            with self.subTest(number):
                program = self.receive("ymodem")
                expect_one_of(self.device, CRC_MODE)
                self.device.write(header_block(b"image.bin", 100_000))
                expect_one_of(self.device, ACK)
                expect_one_of(self.device, CRC_MODE)
                for each in range(1, 6):
                    self.device.write(block(each, b"z" * 1_024, 1_024))
                    expect_one_of(self.device, ACK)
                program.signal(number)
                expect_one_of(self.device, CAN)
                self.assertEqual(shell_status(program.wait()), 128 + number)
                said = program.stderr.expect_end()
                self.assertIn(b"image.bin.part", said)
                name = b"ctrl-c" if number == signal.SIGINT else b"TERM"
                self.assertRegex(said, rb"image.bin was not received completely: it was stopped .*" + name)
                self.assertEqual((self.into / "image.bin.part").stat().st_size, 5_120)
                (self.into / "image.bin.part").unlink()
                self.device.read_available(0.02)

    def script(self, *options):
        """Starts a script that sends a file, and asks it for the first block."""
        step, path = self.folder / "step.serial", LARGE.write(self.folder)
        step.write_text(f'send file "{path}" by xmodem\n')
        program = self.start("run", self.device.path, step, *options)
        # A request that comes before the transfer would be what the device prints.
        wait_until(lambda: str(path) in files_of(program.pid), "the transfer has begun")
        self.device.write(CRC_MODE)
        return program

    def assert_it_says_how_far_it_got(self, program, status, reason):
        self.assertEqual(shell_status(program.wait()), status)
        said = program.stderr.expect_end()
        self.assertRegex(
            said, rb"large\.bin was not sent completely: it was stopped.* 256 of [\d,]+ bytes were accepted")
        self.assertRegex(said, reason)
        self.device.read_available(0.02)

    def test_a_script_says_how_far_a_transfer_got(self):
        """After a signal, and after a text that means a failure."""
        for options, number, status, reason in (
                ((), signal.SIGTERM, 128 + signal.SIGTERM, rb"stopped by signal 15 \(TERM\)"),
                (("--fail-on", "panic"), None, 1, rb"which matches --fail-on /panic/")):
            with self.subTest(options):
                program = self.script(*options)
                self.take(2)
                # The next block has begun.
                self.device.read_exactly(1)
                if number:
                    program.signal(number)
                else:
                    self.device.write(b"panic\r\n")
                self.assert_it_says_how_far_it_got(program, status, reason)

    def test_a_script_at_its_deadline_says_how_far_a_transfer_got(self):
        # Where the time is too short for two blocks, the next one is longer.
        for seconds in (3, 20, 60):
            program = self.script("--deadline", f"{seconds}s")
            blocks = []
            while len(blocks) < 2 and (found := read_block(self.device)) != CAN:
                blocks.append(found)
                self.device.write(ACK)
            if len(blocks) == 2:
                return self.assert_it_says_how_far_it_got(
                    program, 10, b"the script did not end within %d s" % seconds)
            program.wait()
            self.device.read_available(0.02)
        self.fail("two blocks took longer than every deadline")

    def test_progress_is_on_a_terminal_of_standard_error_alone(self):
        """Drawn there, as lines with `plain`, and nowhere else."""
        def run(style, stderr, **variables):
            """What was written to standard output, and to standard error."""
            with tempfile.TemporaryFile() as output, tempfile.TemporaryFile() as errors:
                streams = {"stdout": output} if stderr == "terminal" else {"stdout": output, "stderr": errors}
                with Terminal(
                        serialterm_binary(), "send", self.device.path, "--file", path, "--protocol", "xmodem",
                        "--progress", style, variables=variables, **streams) as program:
                    self.device.write(CRC_MODE)
                    # Each tenth of the file takes longer than the shortest time between two reports.
                    started = time.monotonic()
                    for number in range(1, 11):
                        pace(started, number, 8)
                        self.take(1, number)
                    self.assertEqual(self.device.read_exactly(1), EOT)
                    self.device.write(ACK)
                    self.assertEqual(program.wait(), 0)
                    program.catch_up()
                    output.seek(0)
                    errors.seek(0)
                    return output.read(), program.output if stderr == "terminal" else errors.read()

        path = Content("small.bin", contents.random_bytes(1_280)).write(self.folder)
        summary = rb"serialterm: sent small\.bin, 1,280 bytes in .*\."
        for style, stderr, term in (
                ("auto", "file", "xterm"), ("none", "file", "xterm"), ("none", "terminal", "xterm")):
            with self.subTest(style=style, stderr=stderr):
                output, errors = run(style, stderr, TERM=term)
                self.assertEqual(output, b"")
                self.assertRegex(errors, rb"^" + summary + rb"\r?\n$")
        output, errors = run("auto", "terminal", TERM="xterm")
        self.assertEqual(output, b"")
        self.assertRegex(errors, rb"waiting for the receiver\r\x1b\[Ksmall.bin")
        self.assertRegex(errors, rb"small.bin \d\d % \[#+\.*\]")
        self.assertRegex(errors, rb"\r\x1b\[K" + summary + rb"\r\n(small.bin[^\r\n]*\r\x1b\[K)?$")
        for style, stderr, term in (
                ("plain", "file", "xterm"), ("plain", "terminal", "xterm"), ("auto", "terminal", "dumb")):
            with self.subTest(style=style, stderr=stderr, term=term):
                output, errors = run(style, stderr, TERM=term)
                self.assertEqual(output, b"")
                self.assertNotIn(b"\x1b", errors)
                lines = errors.decode().replace("\r", "").splitlines()
                self.assertEqual(lines[0], "serialterm: waiting for the receiver")
                for line in lines[1:-1]:
                    self.assertRegex(line, r"^serialterm: small\.bin \d0 %")
                self.assertGreater(len(lines), 2)
                self.assertRegex(lines[-1].encode(), summary)

    def test_unplugged_while_sending(self):
        for protocol in ("xmodem", "ymodem", "zmodem"):
            with self.subTest(protocol):
                program = self.begin_sending(protocol)
                self.device.hang_up()
                said = ended(program, 8)
                self.assertRegex(said, rb"large\.bin was not sent completely: .*[1-9]")
                self.device.plug()

    def test_unplugged_while_receiving(self):
        program = self.receive("ymodem")
        expect_one_of(self.device, CRC_MODE)
        self.device.write(header_block(b"image.bin", 100_000))
        expect_one_of(self.device, ACK)
        expect_one_of(self.device, CRC_MODE)
        self.device.write(block(1, b"z" * 1_024, 1_024))
        expect_one_of(self.device, ACK)
        self.device.hang_up()
        self.assertIn(b"image.bin.part", ended(program, 8))
        self.assertEqual((self.into / "image.bin.part").read_bytes(), b"z" * 1_024)

    def test_quiet_prints_only_the_failure(self):
        program = self.send("xmodem", SenderTests.SHORT, "--quiet")
        self.device.write(CRC_MODE)
        self.take_all()
        self.assertEqual(ended(program), b"")
        program = self.send("xmodem", LARGE, "--quiet")
        self.device.write(CRC_MODE)
        self.take(3)
        self.device.write(CAN * 2)
        self.assertIn(b"large.bin", ended(program, 8))


NO_LRZSZ = missing("sz")


@unittest.skipIf(NO_LRZSZ, NO_LRZSZ)
class KilledTests(unittest.TestCase):
    @slow
    def test_a_receiver_that_was_killed_is_continued_by_the_next(self):
        with Bench(Loopback("--pair", "--rate", "3000000")) as bench:
            LARGE.write(bench.sent)
            first = bench.receive("zmodem")
            sender = bench.far("sz", LARGE.name, cwd=bench.sent)
            part = bench.received / f"{LARGE.name}.part"
            wait_until(lambda: part.exists() and part.stat().st_size > 500_000, "half a megabyte")
            first.signal(signal.SIGKILL)
            first.wait()
            sender.signal(signal.SIGKILL)
            sender.wait()
            kept = part.stat().st_size
            second = bench.receive("zmodem")
            started = written(second)
            ended(bench.far("sz", LARGE.name, cwd=bench.sent), patience=60)
            said = ended(second)
            self.assertIn(b"continuing after ", said)
            self.assertGreater(kept, started)
            self.assertEqual(differences(bench.received, [LARGE]), "")

    @soak
    def test_a_far_side_that_was_killed_ends_the_transfer(self):
        def run(way, protocol):
            with Bench() as bench:
                large = Content("large.bin", contents.random_bytes(4 << 20))
                path = large.write(bench.sent)
                if way == "send":
                    far = bench.far(
                        *({"xmodem": ["rx", "-c", "x"], "ymodem": ["rb"], "zmodem": ["rz"]}[protocol]),
                        cwd=bench.received)
                    ours = bench.send(protocol, path)
                else:
                    ours = bench.receive(protocol, *(["--name", "x"] if protocol == "xmodem" else []))
                    far = bench.far(
                        {"xmodem": "sx", "ymodem": "sb", "zmodem": "sz"}[protocol], large.name,
                        cwd=bench.sent)
                wait_until(lambda: sum(bench.line.counts) > 100_000, "a part is there")
                far.signal(signal.SIGKILL)
                ended(ours, 8, patience=200)
        at_once(self, [
            (way, protocol) for way in ("send", "receive") for protocol in ("xmodem", "ymodem", "zmodem")],
            run)


if __name__ == "__main__":
    unittest.main()
