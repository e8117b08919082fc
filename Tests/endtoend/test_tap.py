"""`serialterm tap`: two ports, or a port and a pseudo-terminal, joined and shown."""

import base64
import json
import os
import random
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    TIMEOUT, Deadline, Device, Loopback, Pipes, Port, Terminal, run, serialterm, serialterm_binary, shell_status,
    soak, wait_until)
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.servers.clients import fill


# More than a tap keeps for a side that takes nothing.
FILLING = random.Random(1).randbytes(600_000)


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value.to_bytes(2, "little")


class TapTest(unittest.TestCase):
    """With devices that the test plays, at links with the names alpha and beta."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.alpha = self.enterContext(Device(link=self.folder / "alpha"))
        self.beta = self.enterContext(Device(link=self.folder / "beta"))
        self.pty = str(self.folder / "plc")

    def start(self, *words):
        tap = self.enterContext(Pipes(serialterm_binary(), "tap", *words))
        return tap

    def join(self, *options):
        tap = self.start(self.alpha.path, self.beta.path, *options)
        tap.stderr.expect(b"goes to the other")
        return tap

    def offer(self, *options):
        tap = self.start(self.alpha.path, "--pty", self.pty, *options)
        tap.stderr.expect(b"goes to the other")
        return tap

    def open(self, tap):
        port = self.enterContext(Port(self.pty))
        tap.stderr.expect(b"has opened")
        return port

    def end(self, tap, status=128 + signal.SIGTERM):
        os.kill(tap.pid, signal.SIGTERM)
        self.assertEqual(tap.wait(), status)


class BytesTests(TapTest):
    def test_every_byte_passes_unchanged_in_both_directions(self):
        tap = self.join()
        data = bytes(range(256)) * 16
        self.alpha.write(data)
        self.assertEqual(self.beta.read_exactly(len(data)), data)
        self.beta.write(data)
        self.assertEqual(self.alpha.read_exactly(len(data)), data)
        self.end(tap)
        # Nothing of serialterm's own went to either.
        self.assertEqual((self.alpha.rest(), self.beta.rest()), (b"", b""))

    def test_a_slow_side_holds_the_other_and_nothing_is_dropped(self):
        tap = self.join()
        sent = self.fill(tap)
        self.assertEqual(self.beta.read_exactly(sent), FILLING[:sent])
        self.alpha.write(b"end")
        self.assertEqual(self.beta.read_exactly(3), b"end")
        self.end(tap)

    def test_what_a_side_has_not_taken_is_counted_at_the_end(self):
        tap = self.join()
        self.fill(tap)
        self.end(tap)
        self.assertRegex(tap.stderr.data, rb"beta: [0-9,]+ bytes were not sent")

    def fill(self, tap):
        """Writes to alpha until the tap reads no more; beta reads nothing."""
        sent = fill(self.alpha.descriptor, FILLING, tap.pid, self.alpha._port)
        self.assertLess(sent, len(FILLING))
        return sent

    def test_one_clock_and_both_directions_in_a_log(self):
        log = self.folder / "both.jsonl"
        tap = self.join("-L", str(log))
        self.alpha.write(b"question\n")
        self.beta.read_exactly(9)
        self.beta.write(b"answer\n")
        self.alpha.read_exactly(7)
        self.end(tap)
        records = [json.loads(line) for line in log.read_text().splitlines()]
        found = [(r["port"], base64.b64decode(r["bytes"])) for r in records if "bytes" in r]
        self.assertEqual(found, [("alpha", b"question\n"), ("beta", b"answer\n")])
        self.assertEqual(
            [r["direction"] for r in records if "bytes" in r], ["to-device", "from-device"])
        times = [r["time"] for r in records]
        self.assertEqual(times, sorted(times))

    def test_both_directions_in_one_view(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "tap", self.alpha.path, self.beta.path, "--frames", "lines",
            size=(24, 100)))
        screen = Screen(terminal, (24, 100))
        screen.wait_for_text("goes to the other")
        self.alpha.write(b"question\n")
        screen.wait_for(lambda rows: any("→" in row and "question" in row for row in rows),
                        "the first side's arrow")
        self.beta.write(b"answer\n")
        screen.wait_for(lambda rows: any("← " in row and "answer" in row for row in rows),
                        "the other side's arrow")


    def test_a_pipe_gets_frames_too(self):
        tap = self.join("--frames", "modbus-rtu")
        self.alpha.write(bytes.fromhex("0103006b00037417"))
        tap.stdout.expect(
            re.compile(rb"alpha \S+ \| \[[0-9:.]+\] \S+ +8  01 03 00 6b 00 03 74 17  good  slave 1 read holding"))
        self.beta.write(bytes.fromhex("010306022b00000064057a"))
        tap.stdout.expect(re.compile(rb"beta \S+ +\| .* 11  01 03 06 .* good  slave 1 .* 022b 0000 0064"))
        self.end(tap)


def message(text):
    """A message of Modbus with its CRC."""
    data = bytes.fromhex(text)
    return data + crc(data)


# A request and its answer, with their meanings. Those of 5 and 6 are equal: only the direction tells them apart.
WRITES = [
    (message("01 05 0013 ff00"), "slave 1 write coil 0x0013 = on",
     message("01 05 0013 ff00"), "slave 1 → coil 0x0013 = on"),
    (message("01 06 0001 0003"), "slave 1 write register 0x0001 = 0003",
     message("01 06 0001 0003"), "slave 1 → register 0x0001 = 0003"),
    (message("01 0f 0013 000a 02 cd01"), "slave 1 write coils 0x0013 ×10 = cd01",
     message("01 0f 0013 000a"), "slave 1 → coils 0x0013 ×10"),
    (message("01 10 0001 0002 04 000a 0102"), "slave 1 write registers 0x0001 ×2 = 000a 0102",
     message("01 10 0001 0002"), "slave 1 → registers 0x0001 ×2"),
]


class DirectionTests(TapTest):
    """Requests and answers are told apart by the side that sent them, in every log."""

    LOGS = ("bus.jsonl", "bus.pcapng", "bus.txt")

    def tap_with_logs(self, start):
        return start("--frames", "modbus-rtu", *(
            word for name in self.LOGS for word in ("-L", str(self.folder / name))))

    def exchange(self, ask, answer):
        for request, _, reply, _ in WRITES:
            ask.write(request)
            self.assertEqual(answer.read_exactly(len(request)), request)
            answer.write(reply)
            self.assertEqual(ask.read_exactly(len(reply)), reply)

    def check(self, client, slave):
        """All logs know that the client has asked."""
        rows = [row for request, asked, reply, said in WRITES for row in (
            (client, "to-device", request, asked), (slave, "from-device", reply, said))]
        records = [json.loads(line) for line in (self.folder / "bus.jsonl").read_text().splitlines()]
        self.assertEqual(
            [(r["port"], r["direction"], base64.b64decode(r["bytes"]), r["meaning"])
             for r in records if "bytes" in r], rows)
        lines = [line for line in (self.folder / "bus.txt").read_text().splitlines() if "good" in line]
        self.assertEqual(
            [re.sub(r"^\[.*?\] (\w+) +\| (.) .*  good  ", r"\1 \2 ", line) for line in lines],
            [f"{port} {'→' if way == 'to-device' else '←'} {meaning}" for port, way, _, meaning in rows])
        for log in ("bus.jsonl", "bus.pcapng"):
            listed = serialterm("replay", str(self.folder / log), "--frames", "modbus-rtu")
            self.assertEqual(
                [re.sub(r"^\[.*?\] (\w+) \| (.) .*  good  ", r"\1 \2 ", line)
                 for line in listed.stdout.decode().splitlines()],
                [f"{port} {'→' if way == 'to-device' else '←'} {meaning}" for port, way, _, meaning in rows], log)
        if shutil.which("tshark"):
            found = subprocess.run(
                ["tshark", "-r", str(self.folder / "bus.pcapng"), "-Y", "frame.len > 0", "-T", "fields",
                 "-e", "frame.interface_name", "-e", "frame.packet_flags_direction"],
                capture_output=True, text=True, timeout=TIMEOUT, check=True)
            self.assertEqual(
                [(name, int(flags, 0)) for name, flags in map(str.split, found.stdout.splitlines())],
                [(port, 2 if way == "to-device" else 1) for port, way, _, _ in rows])
        # Each side can be played.
        for port, sent in ((client, [row[0] for row in WRITES]), (slave, [row[2] for row in WRITES])):
            with Pipes(serialterm_binary(), "replay", str(self.folder / "bus.jsonl"), "--port", port,
                       "--speed", "1000") as program:
                node = program.stdout.expect(re.compile(rb"(/dev/\S+)\n")).group(1).decode()
                with Port(node) as reader:
                    self.assertEqual(reader.read_exactly(len(b"".join(sent))), b"".join(sent))

    def test_a_program_asks_and_the_device_answers(self):
        tap = self.tap_with_logs(self.offer)
        self.exchange(self.open(tap), self.alpha)
        tap.stdout.expect("alpha ← | ".encode())
        self.end(tap)
        self.check("plc", "alpha")

    def test_of_two_ports_the_first_one_asks(self):
        tap = self.tap_with_logs(self.join)
        self.exchange(self.alpha, self.beta)
        self.end(tap)
        self.check("alpha", "beta")

    def test_a_first_port_that_answers_is_recognized(self):
        tap = self.tap_with_logs(self.join)
        read, answer = message("01 03 006b 0003"), message("01 03 06 022b 0000 0064")
        self.beta.write(read)
        self.alpha.read_exactly(len(read))
        self.alpha.write(answer)
        self.beta.read_exactly(len(answer))
        for request, _, reply, _ in WRITES:
            self.beta.write(request)
            self.alpha.read_exactly(len(request))
            self.alpha.write(reply)
            self.beta.read_exactly(len(reply))
        self.end(tap)
        records = [json.loads(line) for line in (self.folder / "bus.jsonl").read_text().splitlines()]
        self.assertEqual(
            [r["meaning"] for r in records if "meaning" in r][2:],
            [meaning for _, asked, _, said in WRITES for meaning in (asked, said)])

    def test_lines_of_text_are_marked(self):
        tap = self.join("-L", str(self.folder / "plain.txt"))
        self.alpha.write(b"question\n")
        self.beta.read_exactly(9)
        self.beta.write(b"answer\n")
        self.alpha.read_exactly(7)
        self.end(tap)
        lines = (self.folder / "plain.txt").read_text().splitlines()
        self.assertEqual(
            [line.split("] ", 1)[1] for line in lines if "[opened" not in line],
            ["alpha | > question", "beta  | < answer"])

    def test_a_raw_log_and_a_table_have_both_sides(self):
        tap = self.join("-L", str(self.folder / "%t.log"), "-L", str(self.folder / "numbers.csv"))
        sent = {name: b"".join(b"a=%d\n" % number for number in numbers)
                for name, numbers in (("alpha", range(10, 20)), ("beta", range(20, 30)))}
        self.alpha.write(sent["alpha"])
        self.beta.read_exactly(len(sent["alpha"]))
        self.beta.write(sent["beta"])
        self.alpha.read_exactly(len(sent["beta"]))
        self.end(tap)
        self.assertEqual(
            {name: (self.folder / f"{name}.log").read_bytes() for name in sent}, sent)
        table = (self.folder / "numbers.csv").read_text()
        self.assertEqual(
            [number for number in range(10, 30) if not re.search(rf",{number}\b", table)], [])


class TypingTests(TapTest):
    def test_what_is_typed_goes_nowhere_and_the_palette_says_why(self):
        terminal = self.enterContext(Terminal(
            serialterm_binary(), "tap", self.alpha.path, self.beta.path, size=(40, 100)))
        screen = Screen(terminal, (40, 100))
        screen.wait_for_text("goes to the other")
        terminal.send(b"x")
        screen.wait_for_text("a tap sends nothing")
        terminal.send(b"\x14:read-only")
        screen.wait_for(lambda rows: any(
            "read-only" in row and "a tap sends" in row for row in rows), "the reason")
        terminal.send(b"\x1b")
        terminal.send(b"\x14:copy-settings\r")
        screen.wait_for_text("serialterm tap ")
        terminal.send(b"\x14q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual((self.alpha.rest(), self.beta.rest()), (b"", b""))


class ProgramTests(TapTest):
    """A port, and a program at a pseudo-terminal."""

    def test_the_settings_of_the_program_are_forwarded(self):
        tap = self.offer()
        port = self.open(tap)
        attributes = termios.tcgetattr(port.descriptor)
        attributes[2] |= termios.CSTOPB
        attributes[4] = attributes[5] = termios.B19200
        termios.tcsetattr(port.descriptor, termios.TCSANOW, attributes)
        tap.stderr.expect(b"alpha: now 19200 8N2, as at plc")
        self.assertEqual(termios.tcgetattr(self.alpha.descriptor)[4], termios.B19200)
        port.write(b"one")
        self.assertEqual(self.alpha.read_exactly(3), b"one")
        self.end(tap)

    def test_a_program_opens_closes_and_opens_again(self):
        tap = self.offer()
        for text in (b"first", b"second"):
            with Port(self.pty) as port:
                tap.stderr.expect(b"has opened")
                port.write(text)
                self.assertEqual(self.alpha.read_exactly(len(text)), text)
                self.alpha.write(text)
                self.assertEqual(port.read_exactly(len(text)), text)
            tap.stderr.expect(b"has closed")
        self.end(tap)
        self.assertFalse(os.path.lexists(self.pty))

    def test_what_comes_while_no_program_is_there_is_shown_and_goes_nowhere(self):
        tap = self.offer()
        self.alpha.write(b"nobody\n")
        tap.stdout.expect(b"alpha \xe2\x86\x90 | nobody")
        port = self.open(tap)
        tap.stderr.expect(b"7 bytes were received from alpha while plc was away")
        self.alpha.write(b"now")
        self.assertEqual(port.read_exactly(3), b"now")
        self.end(tap)

    def test_unplugging_hangs_the_program_up_and_both_come_back(self):
        tap = self.offer()
        port = self.open(tap)
        self.alpha.hang_up()
        self.assertEqual(port.read_to_end(), b"")
        wait_until(lambda: not os.path.lexists(self.pty), "the link is gone")
        self.alpha.plug()
        wait_until(lambda: os.path.lexists(self.pty), "the link is back")
        again = self.open(tap)
        again.write(b"back")
        self.assertEqual(self.alpha.read_exactly(4), b"back")
        self.end(tap)

    def test_a_path_that_another_program_takes_is_left_alone(self):
        tap = self.offer()
        os.rename(self.pty, self.pty + ".old")
        Path(self.pty).write_text("theirs")
        tap.stderr.expect(b"no longer leads to this tap")
        node = tap.stderr.expect(re.compile(rb"Programs can open (\S+)\.\r?\n"))[1].decode()
        port = self.enterContext(Port(node))
        tap.stderr.expect(b"has opened")
        port.write(b"on")
        self.assertEqual(self.alpha.read_exactly(2), b"on")
        # Not even a terminal that is made again takes the path.
        self.alpha.hang_up()
        self.assertEqual(port.read_to_end(), b"")
        port.close()
        self.alpha.plug()
        tap.stderr.expect(b"alpha is back")
        self.alpha.write(b"still")
        tap.stdout.expect(b"still")
        self.assertEqual(Path(self.pty).read_text(), "theirs")
        self.end(tap)
        self.assertEqual(Path(self.pty).read_text(), "theirs")

    def test_a_signal_at_any_time_removes_the_link(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP):
            for _ in range(5):
                tap = self.start(self.alpha.path, "--pty", self.pty)
                # Without a pause: the signal comes before the tap handles it.
                deadline = Deadline()
                while not os.path.lexists(self.pty) and not deadline.passed:
                    pass
                os.kill(tap.pid, number)
                self.assertEqual(shell_status(tap.wait()), 128 + number)
                self.assertFalse(os.path.lexists(self.pty))

    def test_signals_that_no_session_handles_remove_the_link(self):
        numbers = (signal.SIGXCPU, signal.SIGPWR, signal.SIGSTKFLT, signal.SIGRTMIN, signal.SIGRTMAX, signal.SIGSEGV)
        for number in numbers:
            tap = self.offer()
            os.kill(tap.pid, number)
            self.assertEqual(shell_status(tap.wait()), 128 + number)
            self.assertFalse(os.path.lexists(self.pty))

    def test_keep_lets_the_program_notice_nothing(self):
        tap = self.offer("--on-lost", "keep")
        port = self.open(tap)
        self.alpha.hang_up()
        tap.stderr.expect(b"is gone")
        port.write(b"lost")
        tap.stdout.expect(b"lost")
        self.alpha.plug()
        tap.stderr.expect(b"is back")
        tap.stderr.expect(b"4 bytes were received from plc while alpha was away")
        port.write(b"found")
        self.assertEqual(self.alpha.read_exactly(5), b"found")
        self.end(tap)

    def test_end_ends_with_the_status_of_a_lost_device(self):
        tap = self.offer("--on-lost", "end")
        self.alpha.hang_up()
        self.assertEqual(tap.wait(), 6)
        self.assertIn(b"alpha is gone", tap.stderr.data)


class PassiveTests(TapTest):
    def test_nothing_is_sent_to_either(self):
        tap = self.start(self.alpha.path, self.beta.path, "--passive")
        tap.stderr.expect(b"nothing is sent to either")
        self.alpha.write(b"question\n")
        tap.stdout.expect(b"question")
        self.beta.write(b"answer\n")
        tap.stdout.expect(b"answer")
        self.end(tap)
        self.assertEqual((self.alpha.rest(), self.beta.rest()), (b"", b""))


class UsageTests(TapTest):
    def test_a_tap_has_two_sides(self):
        for words in ([self.alpha.path], [self.alpha.path, self.beta.path, "--pty", self.pty],
                      [self.alpha.path, "--pty", self.pty, "--passive"]):
            with self.subTest(words=words[1:]):
                self.assertEqual(serialterm("tap", *words).status, 2)


MODBUS_SERVER = """
import asyncio, sys
from pymodbus.datastore import ModbusDeviceContext, ModbusSequentialDataBlock, ModbusServerContext
from pymodbus.server import ModbusSerialServer

async def serve():
    device = ModbusDeviceContext(
        hr=ModbusSequentialDataBlock(1, list(range(200))), co=ModbusSequentialDataBlock(1, [False] * 200))
    server = ModbusSerialServer(ModbusServerContext(devices=device, single=True), port=sys.argv[1])
    print("ready", flush=True)
    await server.serve_forever()

asyncio.run(serve())
"""

MODBUS_CLIENT = """
import sys
from pymodbus.client import ModbusSerialClient
client = ModbusSerialClient(sys.argv[1], retries=0, timeout=60)
assert client.connect()
registers, coils = {}, {}
for number in range(int(sys.argv[2])):
    address, value, kind = number % 100, number * 7919 % 65536, number % 6
    if kind == 1:
        answer = client.write_register(address, value)
        registers[address] = value
        assert answer.registers == [value], (number, answer)
    elif kind == 2:
        values = [(value + place) % 65536 for place in range(1 + number % 7)]
        registers.update(enumerate(values, address))
        answer = client.write_registers(address, values)
    elif kind == 3:
        coils[address] = bool(value & 1)
        answer = client.write_coil(address, coils[address])
    elif kind == 4:
        bits = [bool(value >> place & 1) for place in range(1 + number % 13)]
        coils.update(enumerate(bits, address))
        answer = client.write_coils(address, bits)
    elif kind == 5:
        answer = client.read_coils(address, count=11)
        for place, found in enumerate(answer.bits[:11], address):
            assert coils.get(place, found) == found, (number, place, found)
    else:
        count = 1 + number % 60
        answer = client.read_holding_registers(address, count=count)
        assert len(answer.registers) == count, (number, answer)
        for place, found in enumerate(answer.registers, address):
            assert registers.get(place, found) == found, (number, place, found)
    assert not answer.isError(), (number, answer)
print("exact", sys.argv[2])
"""


# scripts/test installs pymodbus there.
PYTHON = next(
    (python for python in (sys.executable, str(Path(__file__).parents[2] / ".build/python/bin/python3"))
     if os.path.exists(python)
     and subprocess.run([python, "-c", "import pymodbus"], stderr=subprocess.DEVNULL).returncode == 0),
    None)


@unittest.skipUnless(PYTHON, "needs pymodbus")
class ModbusTests(TapTest):
    """A client and a server that nobody here wrote."""

    def transact(self, count):
        with Loopback("--pair") as pair:
            first, second = pair.nodes
            server = self.enterContext(Pipes(PYTHON, "-c", MODBUS_SERVER, second))
            server.stdout.expect(b"ready")
            tap = self.start(
                first, "--pty", self.pty, "-b", "19200", "--frames", "modbus-rtu",
                "-L", str(self.folder / "bus.jsonl"), "-L", str(self.folder / "bus.pcapng"))
            tap.stderr.expect(b"goes to the other")
            client = run(PYTHON, "-c", MODBUS_CLIENT, self.pty, str(count), timeout=600)
            self.assertEqual(client.stdout, f"exact {count}\n".encode(), client.stderr)
            tap.stderr.expect(b"has closed")
            self.end(tap)
        lines = (self.folder / "bus.jsonl").read_text().splitlines()
        frames = [record for line in lines if "check" in (record := json.loads(line))]
        self.assertEqual({frame["check"] for frame in frames}, {"good"})
        self.assertEqual(len(frames), 2 * count)
        # Every second one is the answer of the device.
        self.assertEqual(
            [(frame["port"] == "plc", frame["direction"]) for frame in frames],
            [(True, "to-device"), (False, "from-device")] * count)
        return frames

    def test_every_transaction_is_exact_and_tshark_reads_the_same_frames(self):
        self.compare(self.transact(200))

    @soak
    def test_ten_thousand_transactions_are_exact(self):
        self.compare(self.transact(10_000))

    def compare(self, frames):
        """Compares frames with what tshark's dissector says about the packets: bytes, direction, addresses, counts
        and values."""
        if not shutil.which("tshark"):
            self.skipTest("needs tshark")
        fields = ["mbrtu.unit_id", "modbus.func_code", "frame.packet_flags_direction", "mbrtu.crc16.status",
                  "modbus.reference_num", "modbus.word_cnt", "modbus.bit_cnt", "modbus.regval_uint16", "modbus.data"]
        result = subprocess.run(
            ["tshark", "-r", str(self.folder / "bus.pcapng"),
             "-o", 'uat:user_dlts:"User 0 (DLT=147)","mbrtu","0","","0",""', "-o", "mbrtu.crc_verification:TRUE",
             "-T", "fields", *(word for field in fields for word in ("-e", field)), "-Y", "mbrtu"],
            capture_output=True, text=True, timeout=300, check=True)
        rows = [dict(zip(fields, line.split("\t"))) for line in result.stdout.splitlines()]
        self.assertEqual(len(rows), len(frames))
        for row, frame in zip(rows, frames):
            data = base64.b64decode(frame["bytes"])
            self.assertEqual((row["mbrtu.unit_id"], row["modbus.func_code"]), (str(data[0]), str(data[1])))
            self.assertIn(row["mbrtu.crc16.status"], ("1", "Good", ""))
            self.assertEqual(
                int(row["frame.packet_flags_direction"], 0), 2 if frame["direction"] == "to-device" else 1)
            self.assertEqual(frame["meaning"], self.meaning(row, data, frame["direction"] == "to-device"), row)

    @staticmethod
    def meaning(row, data, is_request):
        """What ours should say, with the numbers that tshark has found. It has none in messages of 5 and 6, whose
        requests and answers are equal, and none of the bits in an answer: those are read from the bytes."""
        def address(): return f"0x{int(row['modbus.reference_num']):04x}"
        def values(): return " ".join(f"{int(value):04x}" for value in row["modbus.regval_uint16"].split(","))
        place, value = data[2:4].hex(), data[4:6].hex()
        requests = {
            1: lambda: f"read coils {address()} ×{row['modbus.bit_cnt']}",
            3: lambda: f"read holding {address()} ×{row['modbus.word_cnt']}",
            5: lambda: f"write coil 0x{place} = {'on' if value == 'ff00' else 'off'}",
            6: lambda: f"write register 0x{place} = {value}",
            15: lambda: f"write coils {address()} ×{row['modbus.bit_cnt']} = {row['modbus.data']}",
            16: lambda: f"write registers {address()} ×{row['modbus.word_cnt']} = {values()}",
        }
        answers = {
            1: lambda: data[3:-2].hex(),
            3: values,
            5: lambda: f"coil 0x{place} = {'on' if value == 'ff00' else 'off'}",
            6: lambda: f"register 0x{place} = {value}",
            15: lambda: f"coils {address()} ×{row['modbus.bit_cnt']}",
            16: lambda: f"registers {address()} ×{row['modbus.word_cnt']}",
        }
        return "slave 1 " + (requests[data[1]]() if is_request else f"→ {answers[data[1]]()}")


if __name__ == "__main__":
    unittest.main()
