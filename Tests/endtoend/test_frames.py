"""Frames: in logs, printed from logs, for programs, and as answers."""

import functools
import json
import operator
import random
import re
import shutil
import signal
import subprocess
import threading
import unittest

from Tests.endtoend.faults import SessionTest
from Tests.endtoend.harness import (
    TIMEOUT, Device, Pipes, Terminal, contents, serialterm, serialterm_binary, wait_until)
from Tests.endtoend.harness.program import REPOSITORY

try:
    import pynmea2
except ImportError:
    pynmea2 = None

REQUEST = bytes.fromhex("0103006b00037417")
ANSWER = bytes.fromhex("010306022b00000064057a")
BAD = bytes.fromhex("0103006b00037418")


SATELLITE = [("satellite", "sv_prn_num"), ("elevation", "elevation_deg"), ("azimuth", "azimuth"), ("SNR", "snr")]
# The fields of sentences: our word, pynmea2's name, and the name of the unit or the hemisphere behind it. A number is
# the index of a field that pynmea2 does not name: one of NMEA 2.3 and later.
SENTENCES = {
    "GGA": [("time", "timestamp"), ("latitude", "lat", "lat_dir"), ("longitude", "lon", "lon_dir"),
            ("quality", "gps_qual"), ("satellites", "num_sats"), ("HDOP", "horizontal_dil"),
            ("altitude", "altitude", "altitude_units"), ("geoid", "geo_sep", "geo_sep_units"),
            ("age", "age_gps_data"), ("station", "ref_station_id")],
    "RMC": [("time", "timestamp"), ("status", "status"), ("latitude", "lat", "lat_dir"),
            ("longitude", "lon", "lon_dir"), ("speed", "spd_over_grnd"), ("course", "true_course"),
            ("date", "datestamp"), ("variation", "mag_variation", "mag_var_dir"), ("mode", 11),
            ("navigational status", 12)],
    "GSV": [("messages", "num_messages"), ("number", "msg_num"), ("satellites", "num_sv_in_view")],
    "VTG": [("course", "true_track", "true_track_sym"), ("magnetic", "mag_track", "mag_track_sym"),
            ("speed", "spd_over_grnd_kts", "spd_over_grnd_kts_sym"),
            ("speed", "spd_over_grnd_kmph", "spd_over_grnd_kmph_sym"), ("mode", "faa_mode")],
    "GLL": [("latitude", "lat", "lat_dir"), ("longitude", "lon", "lon_dir"), ("time", "timestamp"),
            ("status", "status"), ("mode", "faa_mode")],
    "ZDA": [("time", "timestamp"), ("day", "day"), ("month", "month"), ("year", "year"), ("zone", "local_zone"),
            ("minutes", "local_zone_minutes")],
    "GSA": [("mode", "mode"), ("fix", "mode_fix_type"), *(("satellite", f"sv_id{n:02d}") for n in range(1, 13)),
            ("PDOP", "pdop"), ("HDOP", "hdop"), ("VDOP", "vdop"), ("system", 17)],
    "GNS": [("time", "timestamp"), ("latitude", "lat", "lat_dir"), ("longitude", "lon", "lon_dir"),
            ("mode", "mode_indicator"), ("satellites", "num_sats"), ("HDOP", "hdop"), ("altitude", "altitude"),
            ("geoid", "geo_sep"), ("age", "age_gps_data"), ("station", 11), ("navigational status", 12)],
    "HDT": [("heading", "heading", "hdg_true")],
}


def talk(chance, number):
    """A sentence with random values; some fields are empty, with or without their unit. Some have the fields of
    NMEA 4.10."""
    def decimal(most, digits): return f"{chance.uniform(0, most):.{digits}f}"
    def new(*values): return values[:chance.randrange(len(values) + 1)]
    time = f"{number % 24:02d}{number % 60:02d}{number * 7 % 60:02d}.{number % 100:02d}"
    place = (decimal(8999, 4).zfill(9), chance.choice("NS"), decimal(17999, 4).zfill(10), chance.choice("EW"))
    date = (number % 28 + 1, number % 12 + 1)
    kind = list(SENTENCES)[number % len(SENTENCES)]
    data = {
        "GGA": lambda: (time, *place, chance.choice("012"), f"{number % 13:02d}", decimal(9, 1), decimal(999, 1), "M",
                        f"-{decimal(99, 1)}", "M", *new("3.2", "0120")),
        "RMC": lambda: (time, chance.choice("AV"), *place, decimal(99, 2), decimal(359, 1),
                        f"{date[0]:02d}{date[1]:02d}26", decimal(9, 1), chance.choice("EW"), *new("A", "V")),
        "GSV": lambda: ("3", "1", "11", *(value for satellite in range(chance.randrange(5)) for value in (
            f"{satellite + 1:02d}", f"{chance.randrange(90):02d}", f"{chance.randrange(360):03d}",
            f"{chance.randrange(60):02d}")), *new(chance.choice("1567"))),
        "VTG": lambda: (decimal(359, 1), "T", decimal(359, 1), "M", decimal(99, 1), "N", decimal(99, 1), "K",
                        *new("A")),
        "GLL": lambda: (*place, time, "A", *new("D")),
        "ZDA": lambda: (time, f"{date[0]:02d}", f"{date[1]:02d}", "2026", "-03", "30"),
        "GSA": lambda: ("A", "3", *(f"{chance.randrange(99):02d}" for _ in range(12)),
                        *(decimal(9, 2) for _ in range(3)), *new("1")),
        "GNS": lambda: (time, *place, "AN", "09", decimal(9, 1), decimal(999, 1), decimal(99, 1), "3.2", "0120",
                        *new("V")),
        "HDT": lambda: (decimal(359, 2), "T"),
    }[kind]()
    data = ["" if chance.random() < 0.25 else value for value in data]
    return getattr(pynmea2, kind)(chance.choice(["GP", "GN", "GL"]), kind, data)


def fields_in_words(message):
    """What ours should say about a message that pynmea2 has read."""
    def field(name):
        index = name if isinstance(name, int) else message.name_to_idx[name]
        return message.data[index] if index < len(message.data) else ""
    names = SENTENCES[message.sentence_type]
    if message.sentence_type == "GSV":
        count, signals = divmod(len(message.data) - 3, 4)
        names = [*names, *((word, f"{name}_{number + 1}") for number in range(count) for word, name in SATELLITE),
                 *[("signal", 3 + 4 * count)] * signals]
    words = [f"{message.talker}{message.sentence_type}"]
    for word, name, *unit in names:
        if field(name):
            words.append(f"{word} {field(name)}{''.join(map(field, unit))}")
    return " ".join(words)


def crc(data):
    value = 0xFFFF
    for byte in data:
        value ^= byte
        for _ in range(8):
            value = value >> 1 ^ (0xA001 if value & 1 else 0)
    return value.to_bytes(2, "little")


class FrameLogTests(SessionTest):
    def record(self, name, *pieces, form="modbus-rtu"):
        """A log of what the device sent."""
        file = self.folder / name
        with Pipes(serialterm_binary(), "log", self.device.path, str(file), "--frames", form) as program:
            program.stderr.expect(b"logging ")
            for piece in pieces:
                self.device.write(piece)
            # A frame that is only ended by a silence is in the log without another byte.
            wait_until(lambda: len(contents(file).splitlines()) > len(pieces), "the frames are in the log")
            program.signal(signal.SIGTERM)
            self.assertEqual(program.wait(), 128 + signal.SIGTERM)
        return file

    def test_an_object_for_each_frame(self):
        objects = [json.loads(line) for line in contents(self.record("a.jsonl", REQUEST, ANSWER)).splitlines()]
        frames = [entry for entry in objects if "bytes" in entry]
        self.assertEqual(
            [(frame["check"], frame["meaning"]) for frame in frames],
            [("good", "slave 1 read holding 0x006b ×3"), ("good", "slave 1 → 022b 0000 0064")])

    def test_the_log_is_listed_and_played_byte_for_byte(self):
        file = self.record("a.jsonl", REQUEST, ANSWER)
        listed = serialterm("replay", str(file), "--frames", "modbus-rtu", "-t", "epoch")
        self.assertEqual(listed.status, 0, listed)
        rows = listed.stdout.decode().splitlines()
        self.assertEqual(len(rows), 2)
        self.assertTrue(rows[1].endswith("  11  01 03 06 02 2b 00 00 00 64 05 7a  good  slave 1 → 022b 0000 0064"), rows)
        self.assertIn(b"2 frames\n", listed.stderr)

    def test_frames_of_a_log_of_reads(self):
        file = self.folder / "reads.jsonl"
        file.write_text("".join(
            json.dumps({"time": f"2026-11-21T06:31:0{second}.000000Z", "direction": direction, "bytes": data}) + "\n"
            for second, direction, data in (
                (0, "to-device", "AQMA"), (0, "to-device", "awADdBc="), (1, "from-device", "AQMGAisAAABkBXo="),
                (2, "from-device", "AAA="))))
        listed = serialterm("replay", str(file), "--frames", "modbus-rtu")
        rows = listed.stdout.decode().splitlines()
        self.assertIn("→     8  01 03 00 6b 00 03 74 17  good", rows[0])
        self.assertIn("←    11  01 03 06", rows[1])
        self.assertIn("←     2  00 00  stray", rows[2])
        self.assertIn(b"2 frames, 2 stray bytes", listed.stderr)

    @unittest.skipUnless(shutil.which("tshark"), "needs tshark")
    def test_wireshark_reads_each_frame_as_modbus(self):
        file = self.folder / "a.pcapng"
        with Pipes(serialterm_binary(), "log", self.device.path, str(file), "--frames", "modbus-rtu") as program:
            program.stderr.expect(b"logging ")
            # Two frames in one read.
            self.device.write(REQUEST + ANSWER)
            wait_until(lambda: ANSWER in contents(file), "the frames are in the log")
            program.signal(signal.SIGTERM)
            program.wait()
        result = subprocess.run(
            ["tshark", "-r", str(file), "-o", 'uat:user_dlts:"User 0 (DLT=147)","mbrtu","0","","0",""',
             "-T", "fields", "-e", "mbrtu.unit_id", "-e", "modbus.func_code", "-e", "frame.len", "-Y", "mbrtu"],
            capture_output=True, text=True, timeout=TIMEOUT, check=True)
        self.assertEqual(result.stdout.split(), ["1", "3", "8", "1", "3", "11"])

    @unittest.skipUnless(pynmea2, "needs python3-nmea2")
    def test_pynmea2_reads_the_same_sentences(self):
        chance = random.Random(5)
        sentences, stream = [], b""
        for number in range(1_000):
            line = str(talk(chance, number)).encode()
            # Some are damaged on the way, and some have a blank at their end.
            if number % 10 == 3:
                place = chance.randrange(6, len(line) - 3)
                line = line[:place] + (b"#" if line[place:place + 1] != b"#" else b"!") + line[place + 1:]
            sentences.append(line)
            stream += line + chance.choice([b"\r\n", b"\n", b" \r\n"])
        file = self.folder / "gps.jsonl"
        with Pipes(serialterm_binary(), "log", self.device.path, str(file), "--frames", "nmea") as program:
            program.stderr.expect(b"logging ")
            cut = 0
            while cut < len(stream):
                size = chance.randrange(1, 200)
                self.device.write(stream[cut:cut + size])
                cut += size
            wait_until(
                lambda: contents(file).count(b'"check"') == len(sentences), "all sentences are in the log")
            program.signal(signal.SIGTERM)
            program.wait()
        frames = [json.loads(line) for line in contents(file).splitlines()]
        frames = [frame for frame in frames if "check" in frame]
        self.assertEqual([frame["text"].strip().encode() for frame in frames], sentences)
        kinds = set()
        for frame in frames:
            try:
                message = pynmea2.parse(frame["text"].strip(), check=True)
            except pynmea2.ParseError:
                self.assertEqual((frame["check"], frame.get("meaning")), ("bad", None), frame)
                continue
            self.assertEqual((frame["check"], frame["meaning"]), ("good", fields_in_words(message)), frame)
            kinds.add(message.sentence_type)
        self.assertEqual(kinds, set(SENTENCES))
        self.assertEqual(sum(frame["check"] == "bad" for frame in frames), 100)

    def test_what_is_for_playing_is_refused(self):
        for options in (["--frames", "nmea", "--speed", "2"], ["-t"], ["--frames", "nmea", "--loop"]):
            self.assertEqual(serialterm("replay", "x.jsonl", *options).status, 2, options)


class ExampleTests(unittest.TestCase):
    def test_the_examples_of_the_page_are_those_of_the_recorded_logs(self):
        page = (REPOSITORY / "docs/buses.md").read_text()
        for log, form in (("bus.jsonl", "modbus-rtu"), ("gps.jsonl", "nmea")):
            result = serialterm(
                "replay", str(REPOSITORY / "Tests/endtoend/recorded" / log), "--frames", form, "--timestamps", "time",
                variables={"TZ": "UTC"})
            self.assertIn(f"```\n{result.stdout.decode()}```\n", page)


class Slave:
    """A device that answers each request after a stray byte. `echo`: it sends the request back first."""

    def __init__(self, device, echo=False, damaged=0):
        self.device, self.echo, self.damaged = device, echo, damaged
        self.thread = threading.Thread(target=self.answer, daemon=True)
        self.thread.start()

    def answer(self):
        while True:
            try:
                request = self.device.read_exactly(8)
            except (OSError, TypeError, AssertionError):  # The device is closed, or the test has ended.
                return
            if self.echo:
                self.device.write(request)
            self.device.write(b"\0")
            if self.damaged:
                self.damaged -= 1
                self.device.write(ANSWER[:-1] + b"\0")
            self.device.write(ANSWER)


class AnswerTests(unittest.TestCase):
    def setUp(self):
        self.device = self.enterContext(Device())

    def send(self, *options):
        return serialterm(
            "send", self.device.path, "--hex", "0103006b0003", "--checksum", "crc16-modbus", *options)

    def test_the_good_frame_is_the_answer_and_not_the_echo_or_a_damaged_one(self):
        Slave(self.device, echo=True, damaged=1)
        result = self.send("--expect-frame")
        self.assertEqual(result.status, 0, result)
        self.assertEqual(
            result.stdout.decode(), "←    11  01 03 06 02 2b 00 00 00 64 05 7a  good  slave 1 → 022b 0000 0064\n")

    def test_the_answers_to_repeated_requests_are_timed(self):
        Slave(self.device)
        result = self.send("--expect-frame", "--every", "10ms", "--count", "5")
        self.assertEqual((result.status, result.stdout.count(b"022b")), (0, 5), result)
        self.assertIn(b"5 sent, 5 answered, 0 lost", result.stderr)

    def test_an_expression_is_searched_in_good_frames_only(self):
        Slave(self.device)
        result = self.send("--frames", "modbus-rtu", "--expect", r"→ (\w+)", "--print", "1")
        self.assertEqual((result.status, result.stdout), (0, b"022b\n"), result)
        result = self.send("--frames", "modbus-rtu", "--expect", "stray", "--timeout", "0.3")
        self.assertEqual(result.status, 10, result)

    def test_without_a_form_or_with_two_expectations_it_is_a_usage_error(self):
        self.assertEqual(serialterm("send", self.device.path, "x", "--expect-frame").status, 2)
        self.assertEqual(self.send("--expect-frame", "--expect", "x").status, 2)

    def test_a_sentence_that_was_cut_off_and_a_dollar_among_bytes_are_no_answers(self):
        body = b"GPGGA,101500.00,4807.03800,N,01131.00000,E,1,08,0.9,545.4,M,46.9,M,,"
        whole = b"$%s*%02X\r\n" % (body, functools.reduce(operator.xor, body))
        said = re.compile(rb"latitude 4807\.03800N")
        for before in (whole[:19], whole[:-2], b"\xb5\x62$\n\x01"):
            program = self.enterContext(Pipes(
                serialterm_binary(), "send", self.device.path, "q", "--frames", "nmea", "--expect-frame"))
            self.device.read_exactly(len(b"q\r"))
            self.device.write(before + whole)
            self.assertEqual(program.wait(), 0)
            program.stdout.expect(said)
            self.assertEqual(program.stdout.data.count(b"\n"), 1, before)

    def run_script(self, text, *options):
        return serialterm("run", self.device.path, "-", *options, stdin=text.encode())

    def test_a_script_expects_frames(self):
        Slave(self.device)
        request = "".join(f"\\x{byte:02x}" for byte in REQUEST)
        result = self.run_script(
            f'send "{request}"\nexpect frame\nprint "got $1"\nsend "{request}"\nexpect frame /slave (\\d+) →/\n'
            'print "by $1"\nexpect frame within 100ms\n', "--frames", "modbus-rtu", "--quiet")
        self.assertEqual(result.status, 10, result)
        rows = result.stdout.decode().splitlines()
        self.assertTrue(rows[0].startswith("got ←    11  01 03 06"), rows)
        self.assertEqual(rows[1], "by 1")
        self.assertIn(b":7: timed out after 0.1 s waiting for", result.stderr)

    def test_a_script_that_expects_frames_needs_a_form(self):
        result = self.run_script("wait 1ms\nexpect frame\n")
        self.assertEqual(result.status, 2, result)
        self.assertIn(b"standard input:2: 'expect frame' needs a form of frames", result.stderr)

    def test_a_viewer_who_joins_a_session_sees_frames_of_its_own(self):
        terminal = self.enterContext(Terminal(serialterm_binary(), "connect", self.device.path))
        terminal.expect(b"ctrl-t q")
        viewer = self.enterContext(Terminal(
            serialterm_binary(), "attach", str(terminal.pid), "--frames", "modbus-rtu", size=(24, 100)))
        viewer.expect(b"you watch")
        self.device.write(REQUEST[:3])
        self.device.write(REQUEST[3:] + ANSWER + BAD)
        viewer.expect(re.compile(rb"\] +8  01 03 00 6b 00 03 74 17  good  slave 1 read holding 0x006b"))
        viewer.expect(re.compile(rb"\] +11  01 03 06 02 2b 00 00 00 64 05 7a  good  slave 1 "))
        viewer.expect(b"BAD (CRC 74 18, expected 74 17)")
        for program in (viewer, terminal):
            program.send(b"\x14q")
            program.wait()

    def test_the_event_of_a_frame_has_its_keys(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", "--frames", "modbus-rtu"))
        program.stdout.expect(b'"state":"open"')
        # Until something is sent, the bus may have both sides.
        self.device.write(REQUEST + ANSWER)
        program.stdout.expect(b"022b")
        program.send(b'{"command":"send","id":1,"hex":"0103006b00037417"}\n')
        program.stdout.expect(b'"id":1')
        self.device.write(ANSWER + BAD)
        program.stdout.expect(b'"bad"')
        self.device.write(b"\0" + ANSWER)
        program.stdout.expect(b"022b")
        program.close_stdin()
        self.assertEqual(program.wait(), 0)
        events = [json.loads(line) for line in program.stdout.data.splitlines()]
        frames = [event for event in events if event.get("event") == "frame"]
        for frame in frames:
            self.assertRegex(frame.pop("time"), r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{6}Z$")
            del frame["event"]
        read, said = "slave 1 read holding 0x006b ×3", "slave 1 → 022b 0000 0064"
        self.assertEqual(frames, [
            {"hex": REQUEST.hex(), "check": "good", "meaning": read},
            {"hex": ANSWER.hex(), "check": "good", "meaning": said},
            {"direction": "to-device", "hex": REQUEST.hex(), "check": "good", "meaning": read},
            {"direction": "from-device", "hex": ANSWER.hex(), "check": "good", "meaning": said},
            {"direction": "from-device", "hex": BAD.hex(), "check": "bad", "reason": "CRC 74 18, expected 74 17"},
            {"direction": "from-device", "hex": "00", "check": "stray"},
            {"direction": "from-device", "hex": ANSWER.hex(), "check": "good", "meaning": said},
        ])

    def test_programs_get_an_event_for_each_frame(self):
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", self.device.path, "--json", "--frames", "modbus-rtu"))
        program.stdout.expect(b'"state":"open"')
        program.send(b'{"command":"send","id":1,"hex":"0103006b00037417"}\n')
        program.stdout.expect(b'"id":1')
        self.device.write(BAD + ANSWER)
        program.send(b'{"command":"expect","id":2,"regex":"slave (.) .+ 022b","timeout":60}\n')
        program.stdout.expect(b'"id":2')
        program.close_stdin()
        self.assertEqual(program.wait(), 0)


if __name__ == "__main__":
    unittest.main()
