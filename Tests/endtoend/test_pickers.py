"""The lists of values: where they start, and as numbered lists on a terminal that can draw."""

import re

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.test_commands import CommandTest

PICKERS = {
    b"B": "baud rate", b"D": "data bits", b"P": "parity", b"S": "stop bits", b"F": "flow control",
    b"m": "mapping", b"i": "input map", b"o": "output map"}


class PresentValueTests(CommandTest):
    def test_enter_alone_changes_nothing(self):
        self.begin(
            "--baud", "9600", "--parity", "even", "--stop-bits", "2", "--flow", "soft",
            "--map", "from-device:cr=lf,to-device:lf=cr", "--timestamps", "iso:us")
        before = self.device.settings
        for key, question in PICKERS.items():
            with self.subTest(question):
                self.press(key)
                self.screen.wait_for_text(f"{question}:")
                self.terminal.send(b"\r")
                self.screen.wait_until_gone(f"{question}:")
        self.open_palette(self.terminal, self.screen, b"timestamp-format")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("timestamps:")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("iso:us")
        self.assertEqual(self.device.settings, before)
        self.press(b"c")
        self.screen.wait_for_text("9600 8N2 XON/XOFF")
        self.press(b":")
        self.screen.wait_for_text("command:")
        self.terminal.send(b"mapping")
        self.screen.wait_for_text("from-device:cr=lf,to-device:lf=cr")

    def test_the_list_starts_at_the_present_value(self):
        self.begin()
        self.press(b"D")
        self.screen.wait_for_text("data bits:")
        row = self.screen.row_of("  8")
        self.assertTrue(self.screen.is_reversed(row))
        self.assertIn("now", self.screen.lines[row])
        self.terminal.send(b"\r")
        self.screen.wait_for_text("No change: 115200 8N1.")
        # One up from there is the value before it.
        self.press(b"D")
        self.screen.wait_for_text("data bits:")
        self.terminal.send(b"\x1b[A\r")
        self.screen.wait_for(lambda lines: "data bits 8 instead of 7" in " ".join(lines), "7 bits")

    def test_a_list_that_is_filtered_and_not_any_more_is_at_the_present_value_again(self):
        self.begin()
        self.press(b"P")
        self.screen.wait_for_text("parity:")
        self.terminal.send(b"odd\x15")
        self.screen.wait_for(lambda lines: "parity:" in [line[:7] for line in lines] and any(
            self.screen.is_reversed(number) and "none" in line
            for number, line in enumerate(lines)), "none is selected")


class PlainTests(CommandTest):
    """--plain: lists as on a terminal that can only print."""

    def clear(self):
        self.terminal.send(PREFIX + b"l")
        self.screen.wait_for(lambda lines: not any(lines), "an empty screen")

    def ask(self, key, question):
        self.press(key)
        self.screen.wait_for_text(f"{question}: type a number or a name, then Enter.")

    def test_a_list_is_printed_and_answered_by_number_key_name_or_synonym(self):
        self.begin("--plain", size=(80, 100))
        for answer in (None, b"e", b"local-echo", b"half duplex"):
            self.ask(b":", "command")
            self.screen.wait_for_text("quit: end the session")
            rows = [line for line in self.screen.lines if "local-echo: show what you type" in line]
            number = re.match(r" *(\d+)\)", rows[-1]).group(1).encode()
            self.terminal.send((answer or number) + b"\r")
            self.screen.wait_for(
                lambda lines: re.match(r"serialterm: local-echo is (on|off)\.", lines[
                    max(n for n, line in enumerate(lines) if line)]), "what it did")
            self.clear()
        self.assertFalse(self.screen.marks_pastes)

    def test_nothing_is_drawn_over_the_text_and_the_terminal_can_still_draw(self):
        self.begin("--plain", "--status", size=(30, 80))
        self.ask(b"S", "stop bits")
        self.screen.wait_for_text("1) 1  now")
        self.device.write(b"said meanwhile\r\n")
        self.screen.wait_for_text("said meanwhile")
        self.terminal.send(b"2\r")
        self.screen.wait_for_text("Now 115200 8N2.")
        self.assertTrue(self.screen.lines[-1].endswith("ctrl-t ? help"))

    def test_line_input_goes_with_it(self):
        self.begin(
            "--plain", "--input-mode", "line", size=(30, 80),
            variables={"XDG_STATE_HOME": str(self.folder)})
        self.terminal.send(b"half")
        self.screen.wait_for(lambda lines: "> half" in lines, "the line")
        self.ask(b"S", "stop bits")
        # The answer is not typed into the line.
        self.screen.wait_until_gone("> half")
        self.terminal.send(b"2\r")
        self.screen.wait_for_text("Now 115200 8N2.")
        self.screen.wait_for(lambda lines: "> half" in lines, "the line again")
        self.terminal.send(b" line\r")
        self.assertEqual(self.device.read_exactly(10), b"half line\r")

    def answer_first(self, question):
        self.screen.wait_for_text(question)
        self.terminal.send(b"1\r")

    def test_a_file_is_found_by_its_number_and_its_path(self):
        files = self.folder / "files"
        (files / "inner").mkdir(parents=True)
        (files / "inner/a.bin").write_bytes(b"from inner")
        (files / "b.bin").write_bytes(b"from files")
        self.begin("--plain", cwd=files, size=(40, 80))
        self.ask(b"x", "file to send")
        self.screen.wait_for_text("3) inner/")
        self.terminal.send(b"3\r")
        self.screen.wait_for_text("2) inner/a.bin")
        self.terminal.send(b"2\r")
        self.answer_first("how to send")
        self.assertEqual(self.device.read_exactly(10), b"from inner")
        self.screen.wait_for_text("sent a.bin, 10 bytes")
        # The questions are on the screen already; the next ones are new.
        self.clear()
        self.ask(b"x", "file to send")
        self.terminal.send(str(files / "b.bin").encode() + b"\r")
        self.answer_first("how to send")
        self.assertEqual(self.device.read_exactly(10), b"from files")

    def test_a_profile_can_have_it(self):
        configuration = self.folder / "config.toml"
        configuration.write_text("[default]\nplain = true\n")
        self.begin("--config", str(configuration), size=(30, 80))
        self.ask(b"P", "parity")

    def test_what_is_not_in_the_list_is_asked_again_and_enter_alone_cancels(self):
        self.begin("--plain", size=(30, 80))
        before = self.device.settings
        self.ask(b"P", "parity")
        self.terminal.send(b"strange\r")
        self.screen.wait_for_text("'strange' is not in the list.")
        self.screen.wait_for(lambda lines: lines[self.screen.cursor[0]].rstrip() == "parity:", "a prompt")
        self.terminal.send(b"\r")
        self.screen.wait_for_text("serialterm: cancelled.")
        self.expect_nothing_sent()
        self.assertEqual(self.device.settings, before)
