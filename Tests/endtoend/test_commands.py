"""Every key after the prefix: its effect on the screen, and on the device."""

import re
import termios

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import wait_until, wrapped
from Tests.endtoend.test_palette import PaletteTest


class CommandTest(PaletteTest):
    """Has a session with its screen, and types commands."""

    def press(self, key):
        self.terminal.send(PREFIX + key)

    def begin(self, *options, **how):
        self.terminal, self.screen = self.start(*options, **how)

    def answer(self, question, text):
        """Waits for a question, and answers it."""
        self.screen.wait_for_text(f"{question}:")
        self.terminal.send(text + b"\r")
        self.screen.wait_until_gone(f"{question}:")

    def expect_nothing_sent(self):
        """The pressed key has not reached the device."""
        self.terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")


class SettingTests(CommandTest):
    def change(self, key, question, answer, shown):
        self.begin()
        self.press(key)
        self.answer(question, answer)
        self.screen.wait_for(
            lambda lines: f"Now {shown}" in " ".join(lines), shown)
        self.expect_nothing_sent()
        return self.device.settings

    def test_baud_rate_any_rate(self):
        settings = self.change(b"B", "baud rate", b"74880", "74880 8N1")
        self.assertEqual(settings.output_baud, 74880)

    def test_baud_rate_that_looks_like_part_of_another(self):
        settings = self.change(b"B", "baud rate", b"110", "110 8N1")
        self.assertEqual(settings.output_baud, 110)

    def test_data_bits(self):
        # A pseudo-terminal always has 8 data bits. Both the request and the result are shown.
        self.change(
            b"D", "data bits", b"7", "115200 8N1: the driver set data bits 8 instead of 7.")

    def test_parity(self):
        self.change(
            b"P", "parity", b"even", "115200 8N1: the driver set parity none instead of even.")

    def test_what_was_asked_for_is_known_though_the_driver_took_nothing_of_it(self):
        self.change(b"P", "parity", b"even", "115200 8N1: the driver set parity none")
        self.press(b"c")
        self.screen.wait_for_text("parity: requested even, actual none")

    def test_stop_bits(self):
        settings = self.change(b"S", "stop bits", b"2", "115200 8N2.")
        self.assertTrue(settings.control_modes & termios.CSTOPB)

    def test_flow_control(self):
        settings = self.change(b"F", "flow control", b"soft", "115200 8N1 XON/XOFF")
        self.assertTrue(settings.input_modes & termios.IXON)

    def test_a_rate_that_makes_no_sense_is_refused_in_the_list(self):
        self.begin()
        self.press(b"B")
        self.screen.wait_for_text("baud rate:")
        self.terminal.send(b"fast\r")
        self.screen.wait_for_text("baud rate: fast")
        self.screen.wait_for_text("(off:")

    def test_while_the_device_is_away_nothing_can_be_chosen(self):
        self.begin()
        self.press(b"B")
        self.screen.wait_for_text("baud rate:")
        self.device.hang_up()
        self.screen.wait_for_text("9600     (off: no device)")
        self.terminal.send(b"9600\r")
        self.screen.wait_for(
            lambda lines: any(
                line.startswith("baud rate: 9600") and line.endswith("no device")
                for line in lines), "the reason")
        self.device.plug()
        self.screen.wait_until_gone("(off")
        self.terminal.send(b"\r")
        self.screen.wait_for(
            lambda lines: "Now 9600 8N1." in " ".join(lines), "what was asked for")

    def test_escape_changes_nothing(self):
        self.begin()
        before = self.device.settings
        self.press(b"B")
        self.screen.wait_for_text("baud rate:")
        self.terminal.send(b"9600\x1b")
        self.screen.wait_until_gone("baud rate:")
        self.assertEqual(self.device.settings, before)
        self.expect_nothing_sent()


class ViewCommandTests(CommandTest):
    def test_hex(self):
        self.begin()
        self.press(b"h")
        self.screen.wait_for_text("hex is on.")
        self.device.write(b"hello")
        self.screen.wait_for_text("00000000  68 65 6c 6c 6f")
        self.press(b"h")
        self.screen.wait_for_text("hex is off.")
        self.device.write(b"text\r\n")
        self.screen.wait_for(lambda lines: "text" in lines, "text again")

    def test_timestamps(self):
        self.begin()
        self.press(b"t")
        self.screen.wait_for_text("timestamps are on: time.")
        self.device.write(b"stamped\r\n")
        self.screen.wait_for(
            lambda lines: any(re.match(r"\[\d\d:\d\d:\d\d\.\d{3}\] stamped$", line)
                              for line in lines), "a stamp")
        self.press(b"t")
        self.screen.wait_for_text("timestamps are off.")

    def test_clear(self):
        self.begin()
        self.device.write(b"old text\r\n")
        self.screen.wait_for_text("old text")
        self.press(b"l")
        self.screen.wait_for(lambda lines: not any(lines), "an empty screen")
        self.device.write(b"new text")
        self.screen.wait_for(lambda lines: lines[0] == "new text", "the first row")

    def test_local_echo(self):
        self.begin()
        self.press(b"e")
        self.screen.wait_for_text("local-echo is on.")
        self.terminal.send(b"typed")
        self.screen.wait_for_text("typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")

    def map(self, key, question, answer):
        self.begin()
        self.choose_map(key, question, answer)

    def choose_map(self, key, question, answer):
        self.press(key)
        self.answer(question, answer)
        self.screen.wait_for_text(f"mapped: {answer.decode()}.")

    def test_input_map(self):
        self.map(b"i", "input map", b"from-device:lower=upper")
        self.device.write(b"small")
        self.screen.wait_for_text("SMALL")

    def test_output_map(self):
        self.map(b"o", "output map", b"to-device:cr=crlf")
        self.terminal.send(b"x\r")
        self.assertEqual(self.device.read_exactly(3), b"x\r\n")

    def test_the_line_ending_is_what_enter_sends_before_the_map(self):
        self.begin()
        self.press(b":")
        self.answer("command", b"line-ending")
        self.answer("line ending", b"crlf")
        self.screen.wait_for_text("Enter sends crlf.")
        self.terminal.send(b"x\ry\n")
        self.assertEqual(self.device.read_exactly(5), b"x\r\ny\n")
        self.choose_map(b"o", "output map", b"to-device:crlf=lf")
        self.terminal.send(b"z\r")
        self.assertEqual(self.device.read_exactly(2), b"z\n")

    def test_a_key_waits_for_no_other(self):
        self.map(b"o", "output map", b"to-device:crlf=lf")
        self.terminal.send(b"x\r")
        self.assertEqual(self.device.read_exactly(2), b"x\r")
        self.terminal.send(b"y\r\n")
        self.assertEqual(self.device.read_exactly(2), b"y\n")
        self.terminal.send(b"z\r\x14q")
        self.assertEqual(self.device.read_exactly(2), b"z\r")

    def test_mapping_is_switched_off_again(self):
        self.map(b"m", "mapping", b"to-device:cr=lf")
        self.terminal.send(b"\r")
        self.assertEqual(self.device.read_exactly(1), b"\n")
        self.press(b"m")
        self.answer("mapping", b"to-device:cr=lf")
        self.screen.wait_for_text("nothing is mapped.")
        self.terminal.send(b"\r")
        self.assertEqual(self.device.read_exactly(1), b"\r")


class SessionCommandTests(CommandTest):
    def test_configuration(self):
        self.begin()
        self.press(b"c")
        self.screen.wait_for(lambda lines: "  read-only: off" in lines, "the configuration")
        self.assertIn("  reconnect: on", self.screen.lines)

    def test_statistics(self):
        self.begin()
        self.terminal.send(b"12345")
        self.device.read_exactly(5)
        self.device.write(b"x" * 70)
        self.screen.wait_for_text("x" * 70)
        self.press(b"s")
        self.screen.wait_for_text("70 bytes received, 5 sent, 0 waiting to be sent")

    def test_reconnect_off_ends_with_the_device(self):
        self.begin()
        self.press(b"n")
        self.screen.wait_for_text("reconnect is off: the session ends when the device is lost.")
        self.device.hang_up()
        self.assertEqual(self.terminal.wait(), 6)

    def test_release_gives_the_port_away_and_takes_it_back(self):
        self.begin()
        wait_until(lambda: self.device.exclusive, "the port is the session's")
        self.press(b"r")
        self.screen.wait_for(
            lambda lines: "ctrl-t r takes it back" in " ".join(" ".join(lines).split()), "released")
        self.assertFalse(self.device.exclusive)
        self.press(b"b")
        self.screen.wait_for(lambda lines: "Not available: port released." in "".join(lines), "why")
        self.press(b"r")
        wait_until(lambda: self.device.exclusive, "the port is taken back")

    def test_without_a_prefix_the_signal_is_named_that_takes_the_port_back(self):
        terminal = self.enterContext(
            self.connect("--prefix", "none", "--release-on", "USR1"))
        terminal.expect(b"No key quits")
        terminal.signal(10)
        terminal.expect(wrapped(b"'kill -USR1 %d' takes it back" % terminal.pid))

    def test_log_keeps_what_comes_in_a_new_file_where_the_session_runs(self):
        self.begin(cwd=self.folder)
        self.press(b"f")
        self.screen.wait_for_text("log to:")
        self.screen.wait_for_text("new: raw bytes")
        self.terminal.send(b"\r")
        self.screen.wait_for(lambda lines: "logging to" in " ".join(lines), "on")
        self.device.write(b"kept")
        log, = self.folder.glob("serialterm-port-*.log")
        wait_until(lambda: log.read_bytes() == b"kept", "the bytes are in the log")
        self.assertEqual(log.stat().st_mode & 0o777, 0o600)
        self.press(b"f")
        self.screen.wait_for(lambda lines: ".log is off." in "".join(lines), "off")

    def test_lines_are_off_where_there_are_none(self):
        self.begin()
        for count, key in enumerate((b"L", b"g", b"p"), start=1):
            self.press(key)
            self.screen.wait_for(
                lambda lines: "\n".join(lines).count(
                    "Not available: this port has no modem lines.") == count, "the reason")
        self.press(b"b")
        self.screen.wait_for_text("Not available: this port has no break.")
        self.expect_nothing_sent()
