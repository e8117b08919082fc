"""Highlighting in the lines on the screen: `--highlight`, and the command with that name."""

from Tests.endtoend.faults import processes, record
from Tests.endtoend.harness import processor, serialterm
from Tests.endtoend.test_palette import PaletteTest


class HighlightTests(PaletteTest):
    def wait_for_colour(self, screen, text, colour):
        screen.wait_for(
            lambda _: screen.colour_of(text) == colour, f"{text} in {colour}")

    def toggle(self, terminal, screen, answer):
        self.open_palette(terminal, screen, b"highlight")
        terminal.send(b"\r")
        screen.wait_for_text(f"highlight is {answer}.")

    def test_what_fits_is_coloured_and_the_log_has_the_bytes(self):
        # In capital letters, because the name of the port may have these letters.
        _, screen = self.start(
            "--highlight", "temp=\\d+=bright-red", "--highlight", "OK=bold-green",
            "--log", str(self.log))
        said = b"temp=25 OK then\r\n"
        self.device.write(said)
        self.wait_for_colour(screen, "temp=25", "red")
        self.wait_for_colour(screen, "OK", "green")
        self.assertEqual(screen.colour_of("then"), "default")
        self.wait_for_log(len(said))
        self.assertEqual(self.log.read_bytes(), said)

    def test_a_line_is_shown_as_it_comes_and_coloured_at_its_end(self):
        _, screen = self.start("--highlight", "levels")
        for piece in (b"E (12", b"3) wifi: no ", b"such network"):
            self.device.write(piece)
            screen.wait_for_text(piece.decode().strip())
        self.device.write(b"\r\nnext")
        screen.wait_for_text("next")
        self.wait_for_colour(screen, "E (123) wifi: no such network", "red")
        self.assertEqual(screen.colour_of("next"), "default")

    def test_a_prompt_is_coloured_when_nothing_follows(self):
        terminal, screen = self.start("--highlight", "login:=green")
        self.device.write(b"log")
        screen.wait_for_text("log")
        self.device.write(b"in: ")
        self.wait_for_colour(screen, "login:", "green")
        self.device.write(b"root")
        screen.wait_for_text("login: root")
        self.assertEqual(screen.cursor[1], len("login: root"))

    def test_stamps_stand_in_front_uncoloured(self):
        _, screen = self.start("--highlight", "^err.*=red", "--timestamps", "epoch")
        self.device.write(b"err")
        screen.wait_for_text("] err")
        self.device.write(b" more\r\n")
        self.wait_for_colour(screen, "err more", "red")
        self.assertEqual(screen.colour_of("] "), "default")

    def test_a_message_in_the_middle_of_a_line_stays(self):
        terminal, screen = self.start("--highlight", "err.*=red")
        self.device.write(b"err one ")
        screen.wait_for_text("err one")
        terminal.send(b"\x14e")
        screen.wait_for_text("local-echo is on")
        self.device.write(b"err two\r\n")
        self.wait_for_colour(screen, "err two", "red")
        self.assertIn("serialterm: local-echo is on.", screen.lines)

    def test_it_is_switched_on_and_off(self):
        terminal, screen = self.start()
        self.device.write(b"ERROR one\r\n")
        screen.wait_for_text("ERROR one")
        self.toggle(terminal, screen, "on")
        self.device.write(b"ERROR two\r\n")
        screen.wait_for_text("ERROR two")
        self.toggle(terminal, screen, "off")
        self.device.write(b"ERROR three\r\n")
        screen.wait_for_text("ERROR three")
        rows = [screen.row_of(f"ERROR {word}") for word in ("one", "two", "three")]
        self.assertEqual(
            [screen.colour_of("ERROR", row) for row in rows], ["default", "red", "default"])

    def test_without_colours_there_are_none_and_the_command_says_so(self):
        terminal, screen = self.start("--highlight", "x=red", variables={"NO_COLOR": "1"})
        self.device.write(b"axa\r\n")
        terminal.expect(b"axa\r\n")
        self.open_palette(terminal, screen, b"highlight")
        screen.wait_for_text("(off: no colours")

    def test_a_line_that_wraps_is_left_as_it_is(self):
        _, screen = self.start("--highlight", "x+=red")
        self.device.write(b"x" * 100)
        screen.wait_for_text("x" * 20)
        self.device.write(b"\r\nend\r\n")
        screen.wait_for_text("end")
        row = screen.row_of("x" * 80)
        self.assertEqual(screen.lines[row:row + 3], ["x" * 80, "x" * 20, "end"])

    def test_an_expression_of_the_worst_kind_can_be_left(self):
        terminal, screen = self.start(
            "--highlight", "(a+)+b=red", "--highlight", "(a?){300}a{300}b=red",
            "--log", str(self.log))
        self.device.write(b"a" * 40_000)
        self.wait_for_log(40_000)
        before = processes.processor_seconds_of_all_threads(terminal.pid)
        with processor.measured() as used:
            status, seconds = self.quit(terminal)
        record("highlight", "quit key to the end, with the worst expressions", seconds * 1000, "ms", at_most=500)
        self.assertEqual(status, 0)
        # It does not search the rest of the line first.
        self.assertLess(used.seconds - before, 1)

    def test_what_cannot_be_read_is_an_error_with_its_place(self):
        for text, words in (
                ("(a=red", "character 1: unmatched '('"),
                ("a=pink", "'pink' is not a colour; expected black"),
                ("(a)\\1=red", "back-references"), ("a", "expected REGEX=COLOUR")):
            with self.subTest(text):
                result = serialterm("connect", self.device.path, "--highlight", text)
                self.assertEqual(result.status, 2)
                self.assertIn(words, result.stderr.decode())
