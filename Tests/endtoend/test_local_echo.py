"""Typed text that the program itself shows."""

import re

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.test_palette import PaletteTest

STAMP = r"^\[\d\d:\d\d:\d\d\.\d{3}\] "


class LocalEchoTests(PaletteTest):
    def begin(self, *options):
        # Wide enough for the greeting.
        self.terminal, self.screen = self.start("--local-echo", *options, size=(24, 100))

    def type(self, keys, sent=None):
        """Types, and waits until the device has got it."""
        self.terminal.send(keys)
        self.assertEqual(self.device.read_exactly(len(sent or keys)), sent or keys)

    def wait_for_rows(self, *expected):
        """Waits until these rows, and no others, stand below the greeting."""
        self.screen.wait_for(lambda _: self.rows == list(expected), f"the rows {expected}")

    @property
    def rows(self):
        return self.screen.everything[1:]

    def test_the_reply_does_not_overwrite_what_was_typed(self):
        self.begin()
        self.type(b"AT+GMR\r")
        self.device.write(b"OK\r\n")
        self.wait_for_rows("AT+GMR", "OK")

    def test_with_timestamps_every_line_has_one(self):
        self.begin("--timestamps")
        self.device.write(b"> ")
        self.screen.wait_for_text("] >")
        self.type(b"AT+GMR\r")
        self.device.write(b"OK\r\n")
        self.screen.wait_for_text("OK")
        self.assertRegex(self.rows[0], STAMP + r"> AT\+GMR$")
        self.assertRegex(self.rows[1], STAMP + "OK$")

    def test_with_maps_enter_and_backspace_are_those_of_the_keyboard(self):
        self.begin("--map", "to-device:cr=lf,to-device:del=bs")
        self.type(b"AX\x7fT\r", sent=b"AX\x08T\n")
        self.device.write(b"OK\r\n")
        self.wait_for_rows("AT", "OK")

    def test_in_hex_the_rows_show_what_is_sent(self):
        self.begin("--hex", "--map", "to-device:cr=crlf")
        self.terminal.send(b"AT\r")
        self.screen.wait_for_text("> 00000000  41 54 0d 0a ")
        self.device.write(b"OK\r\n")
        self.screen.wait_for_text("< 00000000  4f 4b 0d 0a ")

    def test_in_line_mode_the_line_is_shown_when_it_is_sent(self):
        self.begin("--input-mode", "line")
        self.device.write(b"board> ")
        self.screen.wait_for_text("board>")
        self.type(b"AT+GMR\r")
        self.device.write(b"OK\r\n")
        self.wait_for_rows("board> AT+GMR", "OK", "", ">")

    def test_a_line_that_is_typed_survives_what_the_device_writes_meanwhile(self):
        self.begin()
        self.type(b"AT+G")
        self.screen.wait_for_text("AT+G")
        self.device.write(b"\rlog 1\r\n")
        self.wait_for_rows("AT+G", "log 1")
        self.type(b"MR\r")
        self.wait_for_rows("AT+G", "log 1", "MR")

    def test_keys_of_several_bytes_are_shown_and_not_obeyed(self):
        self.begin()
        self.type(b"ab\x1b[D\x1b[2J\x03")
        self.wait_for_rows("ab^[[D^[[2J^C")

    def test_backspace_erases_across_the_edge_of_the_screen(self):
        self.begin()
        self.device.write(b"board> ")
        self.screen.wait_for_text("board>")
        self.type(b"x" * 120 + b"\x7f" * 118)
        self.wait_for_rows("board> xx")

    def test_a_device_that_echoes_shows_each_character_twice(self):
        self.begin()
        for key in (b"l", b"s"):
            self.type(key)
            self.device.write(key)
            self.screen.wait_for_text({b"l": "ll", b"s": "llss"}[key])
        self.type(b"\r")
        self.device.write(b"\r\nfile\r\n")
        self.wait_for_rows("llss", "", "file")

    def test_after_a_message_the_echo_goes_on(self):
        self.begin()
        self.type(b"AT")
        self.screen.wait_for_text("AT")
        self.terminal.send(PREFIX + b"t")
        self.screen.wait_for_text("timestamps are on")
        self.type(b"+G\x7f\x7f\x7fX\r")
        self.screen.wait_for(
            lambda _: len(self.rows) == 3 and re.match(STAMP + "X$", self.rows[2]), "the rest")
        self.assertEqual(self.rows[0], "AT")

    def test_a_terminal_that_only_prints_gets_no_sequences(self):
        self.terminal = self.session("--local-echo", variables={"TERM": "dumb"})
        self.type(b"AX\x7fT\r")
        self.device.write(b"OK\r\n")
        self.terminal.expect(b"AX\b \bT\r\nOK\r\n")
        self.assertNotIn(b"\x1b", self.terminal.output)
