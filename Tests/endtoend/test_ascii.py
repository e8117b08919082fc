"""Terminals that show only ASCII, or only print; and output that tee(1) shows on the terminal."""

import re

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Terminal, serialterm_binary
from Tests.endtoend.harness.screen import Screen
from Tests.endtoend.test_palette import PaletteTest


class ASCIITests(PaletteTest):
    """The locale C: no byte of 80 or more is shown."""

    def begin(self, *options, locale="C", **how):
        return self.start(*options, variables={"LC_ALL": locale}, **how)

    def assert_ascii(self, terminal):
        self.assertTrue(terminal.output.isascii(), re.findall(rb".{0,9}[\x80-\xff]+", terminal.output))

    def test_the_devices_characters_are_shown_as_their_code_points(self):
        terminal, screen = self.begin()
        self.device.write("é€😀┌─┐ ".encode() + b"\xff\xe2\x82x \xc2")
        screen.wait_for_text("<e9><20ac><1f600>+-+ <ff><e2><82>x <c2>")
        self.assert_ascii(terminal)

    def test_lists_questions_and_the_status_line_are_ascii(self):
        path = self.folder / "grün…"
        path.write_text("x")
        terminal, screen = self.begin(
            "--status", "--log", str(self.folder / "ä.log"), size=(24, 40))
        screen.wait_for(lambda lines: "log ?.log" in lines[-1], "the status line")
        self.open_palette(terminal, screen)
        screen.wait_for(lambda lines: any("~" in line for line in lines[:-1]), "a title cut off")
        screen.wait_for_text("Enter runs - Esc closes")
        terminal.send("ü".encode())
        screen.wait_for_text("command: ?")
        self.close_palette(terminal, screen)
        terminal.send(PREFIX + b"x")
        screen.wait_for_text("file to send:")
        terminal.send(f"{self.folder}/gr".encode())
        screen.wait_for_text("gr?n~")
        terminal.send(b"\x1b")
        screen.wait_until_gone("file to send:")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assert_ascii(terminal)

    def test_local_echo_and_messages_are_ascii(self):
        terminal, screen = self.begin("--local-echo")
        terminal.send("añb\x7f".encode())
        screen.wait_for_text("a?")
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assert_ascii(terminal)
        with Terminal(
                serialterm_binary(), "connect", "/tmp/grün", variables={"LC_ALL": "C"}) as other:
            other.wait()
            other.transcript.expect_end()
            self.assertIn(b"/tmp/gr<fc>n", other.output)
            self.assert_ascii(other)

    def test_names_in_messages_of_a_session_are_ascii(self):
        link = self.folder / "grün"
        link.symlink_to(self.device.node)
        with Terminal(
                serialterm_binary(), "connect", str(link), variables={"LC_ALL": "C"}) as terminal:
            terminal.expect(b"/gr<fc>n at 115200 8N1")
            terminal.send(PREFIX + b"q")
            self.assertEqual(terminal.wait(), 0)
            terminal.transcript.expect_end()
            self.assert_ascii(terminal)

    def test_other_locales(self):
        for locale, shown in (("POSIX", "<e9>"), ("de_DE.ISO-8859-1", "<e9>"), ("C.UTF-8", "é"),
                              ("de_DE.utf8@euro", "é")):
            with self.subTest(locale):
                terminal, screen = self.begin(locale=locale)
                self.device.write("é.".encode())
                screen.wait_for_text(shown + ".")
                terminal.close()


class DumbTests(PaletteTest):
    def test_no_escape_of_the_device_passes(self):
        terminal, screen = self.start(variables={"TERM": "dumb"})
        self.device.write(
            "\x1b[31mred\x1b[0m \x1b[K\x1b7\x1b[2;5Hx\x1b8\x1b[?25l\x1bM\x1b]0;é".encode())
        screen.wait_for_text("red x^[]0;é")
        self.assertEqual(self.quit(terminal)[0], 0)
        terminal.transcript.expect_end()
        self.assertNotIn(b"\x1b", terminal.output)


class TeeTests(PaletteTest):
    def test_the_prompt_and_messages_begin_on_a_line_of_their_own(self):
        command = f"{serialterm_binary()} connect {self.device.path} | tee f; printf 'PROMPT '; read -r x"
        terminal = self.enterContext(Terminal(
            "/bin/sh", "-c", f"cd {self.folder} && {command}"))
        screen = Screen(terminal)
        screen.wait_for_text("ctrl-t q")
        self.device.write(b"one\r\nlogin: ")
        screen.wait_for_text("login:")
        terminal.send(PREFIX + b"z")
        screen.wait_for(lambda lines: any(line.startswith("serialterm: ") and "ctrl-t z" in line
                                          for line in lines), "a line for the message")
        self.device.write(b"Password: ")
        screen.wait_for_text("Password:")
        terminal.send(PREFIX + b"q")
        screen.wait_for_text("PROMPT")
        self.assertIn("PROMPT", screen.lines)
        self.assertEqual((self.folder / "f").read_bytes(), b"one\r\nlogin: Password: ")
