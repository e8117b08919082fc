"""The desk: hexadecimal input, checksums, encodings, hidden lines, a screen that stands, frames."""

import json
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Device, Pipes, serialterm, serialterm_binary, wait_until
from Tests.endtoend.test_commands import CommandTest


class DeskTest(CommandTest):
    def read(self, expected):
        self.assertEqual(self.device.read_exactly(len(expected)), expected)

    def command(self, name, *answers):
        """Performs a command of the palette, and answers its questions."""
        self.open_palette(self.terminal, self.screen, name.encode())
        self.terminal.send(b"\r")
        for title, answer in answers:
            self.screen.wait_for_text(title)
            self.terminal.send(answer + b"\r")


class HexInputTests(DeskTest):
    def test_numbers_are_sent_with_the_checksum(self):
        self.begin("--input-mode", "hex", "--checksum", "crc16-modbus")
        self.screen.wait_for_text("hex>")
        self.terminal.send(b"01 03 00 6b 00 03\r")
        self.read(bytes.fromhex("0103006b00037417"))
        self.screen.wait_for_text("appended crc16-modbus: 74 17.")

    def test_a_wrong_digit_is_refused_and_the_line_stays(self):
        self.begin("--input-mode", "hex", size=(24, 120))
        self.terminal.send(b"01 0g 02\r")
        self.screen.wait_for_text("not sent: column 5: 'g' is not a hexadecimal digit.")
        self.screen.wait_for_text("hex> 01 0g 02")
        # The cursor is at the mistake.
        self.terminal.send(b"\x1b[3~2\r")
        self.read(b"\x01\x02\x02")
        self.terminal.send(b"0x1\r")
        self.screen.wait_for_text("here is only one")
        self.terminal.send(b"\x05\x15\r")
        self.screen.wait_for_text("not sent: the line has no hexadecimal numbers.")
        self.terminal.send(b"ff\r")
        self.read(b"\xff")

    def test_it_is_switched_in_the_session(self):
        self.begin()
        self.command("hex-input")
        self.screen.wait_for_text("hex-input is on.")
        self.terminal.send(b"0x0a,0b\r")
        self.read(b"\x0a\x0b")
        self.command("checksum", ("checksum:", b"lrc"))
        self.screen.wait_for_text("lrc is appended")
        self.terminal.send(b"01 02\r")
        self.read(b"\x01\x02\xfd")
        self.command("hex-input")
        self.screen.wait_for_text("hex-input is off.")
        self.terminal.send(b"a")
        self.read(b"a")


    def test_earlier_lines_come_back(self):
        self.begin("--input-mode", "hex")
        self.terminal.send(b"01 02\r0x03\r")
        self.read(b"\x01\x02\x03")
        up = b"\x1b[A"
        self.terminal.send(up + up)
        self.screen.wait_for_text("hex> 01 02")
        self.terminal.send(b" 03\r")
        self.read(b"\x01\x02\x03")

    def test_an_empty_line_has_no_checksum(self):
        self.begin("--input-mode", "hex", "--checksum", "crc32")
        self.screen.wait_for_text("hex>")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("not sent: the line has no hexadecimal numbers.")
        self.terminal.send(b" , \r\x15")
        self.command("checksum", ("checksum:", b"none"))
        self.screen.wait_for_text("no checksum is appended.")
        self.terminal.send(b"aa\r")
        self.read(b"\xaa")

    def test_a_snippet_has_the_checksum_of_what_is_sent(self):
        config = self.folder / "config.toml"
        config.write_text(
            "[default.snippets]\n"
            r'read = { text = "\\x01\\x03\\x00\\x6b\\x00\\x03", line-ending = "none" }' "\n"
            'text = "ab"\n')
        self.begin("--config", str(config), "--checksum", "crc16-modbus")
        self.terminal.send(PREFIX + b"1")
        self.read(bytes.fromhex("0103006b00037417"))
        self.screen.wait_for_text("appended crc16-modbus: 74 17.")
        self.command("checksum", ("checksum:", b"xor"))
        self.terminal.send(PREFIX + b"2")
        self.read(b"ab\r" + bytes([ord("a") ^ ord("b") ^ 0x0d]))


class RepeatTests(DeskTest):
    def test_hexadecimal_numbers_are_sent_with_the_checksum(self):
        self.begin("--input-mode", "hex", "--checksum", "crc16-modbus", size=(24, 120))
        request = bytes.fromhex("0103006b00037417")
        self.command("repeat", ("repeat", b"5ms 3x 01 03 00 6b 00 03"))
        self.read(3 * request)
        self.screen.wait_for_text("appended crc16-modbus: 74 17.")
        self.screen.wait_for_text('the repetition of "01 03 00 6b 00 03" has ended (as ordered)')
        self.command("repeat", ("repeat", b"1s 01 0x"))
        self.screen.wait_for_text("no hexadecimal digits follow 0x")

    def assert_ended(self, reason, sent, *how):
        self.screen.wait_for_text(f'the repetition of "a" has ended ({reason}): {sent} sent, 0 late')

    def repeat(self, *options, **how):
        """Sends a text once, and would send it again after an hour."""
        self.begin(*options, size=(24, 120), **how)
        self.command("repeat", ("repeat", b"1h a"))
        self.read(b"a\r")

    def test_unplugging_ends_it_and_says_how_often_it_was_sent(self):
        self.repeat()
        self.device.hang_up()
        self.assert_ended("no device", 1)

    def test_leaving_ends_it_and_says_how_often_it_was_sent(self):
        self.repeat()
        self.terminal.send(PREFIX + b"q")
        self.assert_ended("the session ends", 1)
        self.assertEqual(self.terminal.wait(), 0)

    def test_becoming_read_only_ends_it_and_says_how_often_it_was_sent(self):
        self.repeat()
        self.command("read-only")
        self.assert_ended("read-only", 1)

    def test_the_loss_of_the_pen_ends_it_and_says_how_often_it_was_sent(self):
        self.repeat()
        self.enterContext(
            Pipes(serialterm_binary(), "attach", self.device.path, "--force")).send(b"x")
        self.read(b"x")
        self.screen.wait_for_text('the repetition of "a" has ended')
        self.screen.wait_for(
            lambda lines: "has the pen): 1 sent, 0 late." in " ".join(lines), "the counts")

    def test_a_text_is_sent_until_it_is_stopped(self):
        self.begin("--status", size=(24, 120))
        self.command("repeat", ("repeat", b"10ms status"))
        self.read(b"status\rstatus\r")
        self.screen.wait_for_text('repeat "status" every 0.01 s')
        self.command("stop")
        self.screen.wait_for_text('the repetition of "status" has ended (stopped)')

    def test_it_ends_with_its_number(self):
        self.begin(size=(24, 120))
        self.command("repeat", ("repeat", b"1ms 3x a"))
        self.read(b"a\ra\ra\r")
        self.expect_nothing_sent()


class EncodingTests(DeskTest):
    def test_both_ways(self):
        self.begin("--encoding", "cp437", "--log", str(self.folder / "log.txt"))
        self.device.write("déjà vu\r\n".encode("cp437"))
        self.screen.wait_for_text("déjà vu")
        self.terminal.send("né".encode())
        self.read("né".encode("cp437"))
        self.terminal.send("ž.".encode())
        self.screen.wait_for_text('"ž" (U+017E) does not exist in CP437.')
        self.read(b".")
        self.command("encoding", ("encoding:", b"koi8-r"))
        self.screen.wait_for_text("the encoding is KOI8-R.")
        for byte in "привет\r\n".encode("koi8-r"):
            self.device.write(bytes([byte]))
        self.screen.wait_for_text("привет")
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)
        log = (self.folder / "log.txt").read_text()
        for text in ("déjà vu", "CP437", "привет", "KOI8-R"):
            self.assertIn(text, log)

    def test_the_search_sees_the_text(self):
        self.begin("--encoding", "koi8-r")
        self.device.write("один\r\nпривет\r\n".encode("koi8-r"))
        self.screen.wait_for_text("привет")
        self.command("search")
        self.terminal.send("при".encode())
        self.screen.wait_for_text("1 match")
        self.screen.wait_for(
            lambda lines: sum("привет" in line for line in lines) == 2, "the line that was found")

    def test_bytes_that_are_no_character_are_shown_as_numbers(self):
        self.begin("--encoding", "gbk")
        self.device.write("你好".encode("gbk") + b"\xff!\r\n")
        self.screen.wait_for_text(r"你好\xff!")


class ProgramEncodingTests(unittest.TestCase):
    """Texts of programs and scripts are converted, and expressions see the device's text."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def json(self, *commands, encoding="cp437", target="loopback:"):
        text = "".join(json.dumps(command) + "\n" for command in commands)
        result = serialterm("connect", target, "--json", "--encoding", encoding, "--log",
                            str(self.folder / "log"), "--log-append", stdin=text.encode())
        self.assertEqual(result.status, 0, result)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_json_both_ways(self):
        events = self.json(
            {"id": 1, "command": "send", "text": "déjà vu\n"},
            {"id": 2, "command": "expect", "regex": "d(é)j(.) vu\n"},
            {"id": 3, "command": "send", "text": "až"},
            {"id": 4, "command": "send", "hex": "82"},
            {"id": 5, "command": "expect", "regex": "é"})
        answers = {event["id"]: event for event in events if event["event"] in ("done", "failed")}
        self.assertEqual(answers[2]["match"], ["déjà vu\n", "é", "à"])
        self.assertEqual(answers[3]["reason"], '"ž" (U+017E) does not exist in CP437')
        self.assertEqual(answers[5]["match"], ["é"])
        received = "".join(
            event["text"] for event in events if event["event"] == "received")
        self.assertEqual(received, "déjà vu\né")
        self.assertEqual((self.folder / "log").read_bytes(), "déjà vu\né".encode("cp437"))

    def test_json_divided_and_wrong_bytes(self):
        with Device() as device:
            program = self.enterContext(
                Pipes(serialterm_binary(), "connect", device.path, "--json", "--encoding", "gbk"))
            program.stdout.expect(b"hello")
            device.write(b"\xc4")
            program.send(b'{"command": "expect", "regex": "."}\n')
            device.write(b"\xe3\xff!")
            program.stdout.expect(r'"text":"你\\xff!"'.encode())
            program.stdout.expect('"match":["你"]'.encode())
            # The beginning of a character is shown after a pause.
            device.write(b"\xc4")
            program.stdout.expect(rb'"text":"\\xc4"')

    def test_send_and_its_answer(self):
        words = "send", "loopback:", "prêt ž"[:4], "--encoding", "cp850"
        result = serialterm(*words, "--expect", "pr(ê)t", "--print", "1")
        self.assertEqual((result.status, result.stdout), (0, "ê\n".encode()), result)
        result = serialterm(*words, "--expect", "t\r")
        self.assertEqual((result.status, result.stdout), (0, "prêt\r".encode()), result)
        self.assertNotIn(b"warning", result.stderr)
        result = serialterm(*words, "--every", "10ms", "--count", "2", "--expect", "ê")
        self.assertIn(b"2 sent, 2 answered", result.stderr)
        result = serialterm(*words, "--expect", "nothing", "--timeout", "0.2")
        self.assertEqual(result.status, 10)
        self.assertIn("  | prêt\n".encode(), result.stderr)
        # An escape is a byte of the device's encoding, also beside characters.
        result = serialterm("send", "loopback:", r"é\x82", "--escapes", "--encoding", "cp437",
                            "--expect", "éé")
        self.assertEqual(result.status, 0, result)

    def run_script(self, text, *options):
        path = self.folder / "script"
        path.write_text(text)
        return serialterm("run", "loopback:", str(path), "--encoding", "koi8-r", *options)

    def test_a_script(self):
        result = self.run_script(
            'send "привет \\xff\\n"\nexpect /(в.т) Ъ\\n/\nprint "$1"\nsend "$1"\nexpect /вет/\n')
        self.assertEqual(
            (result.status, result.stdout.decode()), (0, "привет Ъ\nвет\nвет"), result)
        result = self.run_script("expect /zzz/ within 200ms\n")
        self.assertEqual(result.status, 10)

    def test_a_script_with_a_character_that_cannot_be_sent_sends_nothing(self):
        result = self.run_script('send "a"\nexpect /a/ {\n}\nrepeat 2 {\n  send "é"\n}\n'.replace(
            " {\n}", "", 1))
        self.assertEqual((result.status, result.stdout), (2, b""), result)
        self.assertIn('script:4: "é" (U+00E9) does not exist in KOI8-R.'.encode(), result.stderr)

    def test_alerts_see_the_text(self):
        with Device() as device:
            log, lines = self.folder / "log.jsonl", self.folder / "lines"
            program = self.enterContext(Pipes(
                serialterm_binary(), "log", device.path, str(log), "--encoding", "cp1251",
                "--on-match", "ошибка", f'echo "$SERIALTERM_LINE" > {lines}'))
            program.stderr.expect(b"logging")
            device.write("не ошибка\n".encode("cp1251"))
            wait_until(lambda: lines.exists() and lines.read_text() == "не ошибка\n", "the line")

    def test_serve_has_the_encoding_and_the_frames_in_its_logs(self):
        with Device() as device:
            logs = self.folder / "a.jsonl", self.folder / "b.txt"
            server = self.enterContext(Pipes(
                serialterm_binary(), "serve", device.path, "--unix", str(self.folder / "socket"),
                "--encoding", "koi8-r", "--log", str(logs[0]), "--log", str(logs[1])))
            server.stderr.expect(b"serving")
            device.write_until_read("привет\n".encode("koi8-r"))
            server.signal(15)
            server.wait()
            for log in logs:
                self.assertIn("привет", log.read_text())
            log = self.folder / "frames.txt"
            server = self.enterContext(Pipes(
                serialterm_binary(), "serve", device.path, "--unix", str(self.folder / "other"),
                "--frames", "nmea", "--log", str(log)))
            server.stderr.expect(b"serving")
            device.write(b"$GPGLL,4916.45,N,12311.12,W,225444,A*31\r\n")
            wait_until(lambda: "latitude 4916.45N" in log.read_text(), "the frame")


class HiddenLineTests(DeskTest):
    def test_levels_and_expressions(self):
        self.begin("--level", "warn", "--status", "--log", str(self.folder / "log.txt"))
        self.device.write(b"I (1) main: hello\r\nW (2) main: careful\r\nplain\r\n")
        self.screen.wait_for_text("careful")
        self.screen.wait_for_text("1 line hidden")
        self.assertNotIn("hello", self.screen.text)
        self.command("show", ("show lines that match", b"bad"))
        self.screen.wait_for_text("shown: /bad/.")
        self.device.write(b"E (3) good\r\nE (4) bad\r\n")
        self.screen.wait_for_text("E (4) bad")
        self.screen.wait_for_text("2 lines hidden")
        self.assertNotIn("good", self.screen.text)
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)
        self.assertIn("I (1) main: hello", (self.folder / "log.txt").read_text())

    def test_a_line_that_has_begun_is_erased(self):
        self.begin("--hide", "noise")
        self.device.write(b"some noi")
        self.screen.wait_for_text("some noi")
        self.device.write(b"se\r\nprompt> ")
        self.screen.wait_for_text("prompt>")
        self.assertNotIn("some noi", self.screen.text)

    def test_equal_lines_become_one(self):
        self.begin("--collapse")
        for _ in range(3):
            self.device.write(b"tick\r\n")
        self.screen.wait_for_text("tick (×3)")

    def test_the_screen_stands_and_nothing_is_lost(self):
        self.begin("--status")
        self.device.write(b"before\r\n")
        self.screen.wait_for_text("before")
        self.command("pause")
        self.screen.wait_for_text("pause is on.")
        self.device.write(b"meanwhile\r\n")
        self.screen.wait_for_text("paused, 11 bytes waiting")
        self.assertNotIn("meanwhile", self.screen.text)
        self.command("pause")
        self.screen.wait_for_text("meanwhile")
        self.device.write(b"after\r\n")
        self.screen.wait_for_text("after")


class FrameTests(DeskTest):
    REQUEST = bytes.fromhex("0103006b00037417")

    def test_frames_of_modbus(self):
        self.begin("--frames", "modbus-rtu", "--status", size=(24, 120))
        self.device.write(self.REQUEST)
        self.screen.wait_for_text("good  slave 1 read holding 0x006b ×3")
        self.device.write(self.REQUEST[:-1] + b"\x18")
        self.screen.wait_for_text("BAD (CRC 74 18, expected 74 17)")
        self.screen.wait_for_text("modbus-rtu: 1 good, 1 bad")

    def test_they_are_switched_in_the_session(self):
        self.begin(size=(24, 120))
        self.command("frames", ("frames:", b"nmea"))
        self.screen.wait_for_text("frames are shown: nmea.")
        self.device.write(b"$GPGLL,4916.45,N,12311.12,W,225444,A*31\r\n")
        self.screen.wait_for_text("latitude 4916.45N")
        self.command("frames", ("frames:", b"none"))
        self.screen.wait_for_text("frames are off.")
        self.device.write(b"text\r\n")
        self.screen.wait_for_text("text")


class WrongOptionTests(unittest.TestCase):
    def refused(self, *words):
        result = serialterm(*words)
        self.assertEqual(result.status, 2, result)
        return result.stderr

    def test_each_is_refused_with_what_is_expected(self):
        device = self.enterContext(Device()).path
        for words, expected in [
            (("connect", device, "--encoding", "cp43"), b"CP437"),
            (("connect", device, "--encoding", "no/such"), b"encoding"),
            (("connect", device, "--checksum", "crc"), b"crc16-modbus"),
            (("connect", device, "--level", "loud"), b"error, warn, info or debug"),
            (("connect", device, "--show", "("), b"--show"),
            (("connect", device, "--frames", "fixed:0"), b"1 to 65536"),
            (("connect", device, "--frames", "modbus"), b"modbus-rtu"),
            (("send", device, "01 0", "--hex"), b"here is only one"),
            (("send", device, "text", "--checksum", "lrc"), b"--checksum is for --hex"),
            (("send", device, "", "--hex", "--checksum", "lrc"), b"no bytes"),
            (("send", device, "01", "--hex", "--encoding", "cp437"), b"--encoding is for TEXT"),
            (("send", device, "--file", "/dev/null", "--encoding", "cp437"), b"sent as they are"),
            (("send", device, "ž", "--encoding", "cp437"), b"U+017E"),
        ]:
            with self.subTest(words[2:]):
                self.assertIn(expected, self.refused(*words))


class SendingTests(unittest.TestCase):
    def test_a_checksum_and_an_encoding(self):
        device = self.enterContext(Device())
        words = "send", device.path
        self.assertEqual(
            serialterm(*words, "01 03 00 6b 00 03", "--hex", "--checksum", "crc16-modbus").status, 0)
        self.assertEqual(device.rest(), bytes.fromhex("0103006b00037417"))
        self.assertEqual(serialterm(*words, "Grüße", "--encoding", "cp437").status, 0)
        self.assertEqual(device.rest(), "Grüße\r".encode("cp437"))


if __name__ == "__main__":
    unittest.main()
