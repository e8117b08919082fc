"""Snippets: named texts of a profile that a key or the palette sends."""

import time

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import serialterm
from Tests.endtoend.test_commands import CommandTest

PROFILE = r"""
[default.snippets]
hello = "from the defaults"
where = "uname -a"
[profile.board]
%s
[profile.board.snippets]
hello = "from the profile"
"stop it" = { text = '\x03\x1b', key = "z", line-ending = "none" }
lines = "one\ntwo\n"
"""


class SnippetTest(CommandTest):
    def begin_with(self, *options, settings="", text=PROFILE, **how):
        self.file = self.folder / "config.toml"
        self.file.write_text(text % settings if "%s" in text else text)
        self.begin("--config", str(self.file), "--profile", "board", *options, **how)

    def read(self, expected):
        self.assertEqual(self.device.read_exactly(len(expected)), expected)


class SendingTests(SnippetTest):
    def test_a_key_sends_the_text_of_the_profile_and_what_enter_sends(self):
        self.begin_with()
        self.press(b"1")
        self.read(b"from the profile\r")
        self.press(b"2")
        self.read(b"uname -a\r")
        self.press(b"z")
        self.read(b"\x03\x1b")
        self.press(b"3")
        self.read(b"one\ntwo\n")
        self.expect_nothing_sent()

    def test_the_palette_shows_what_is_sent_and_sends_it(self):
        self.begin_with("--line-ending", "crlf")
        self.open_palette(self.terminal, self.screen, b"stop it")
        self.screen.wait_for_text(r"\x03\e")
        self.terminal.send(b"\r")
        self.read(b"\x03\x1b")
        self.press(b"1")
        self.read(b"from the profile\r\n")

    def test_the_list_of_commands_has_them(self):
        self.begin_with(size=(85, 120))
        self.press(b"?")
        self.screen.wait_for_text(r"1 snippet: hello")
        self.assertTrue(any(
            "snippet: hello" in line and line.rstrip().endswith(r"from the profile\r")
            for line in self.screen.lines))

    def test_a_list_with_numbers_has_them_too(self):
        self.begin_with("--plain")
        self.terminal.send(PREFIX + b":")
        self.screen.wait_for_text("quit: end the session")
        self.terminal.send(b"snippet: hello\r")
        self.read(b"from the profile\r")

    def test_it_is_echoed_logged_and_mapped_as_what_is_typed(self):
        self.begin_with(
            "--local-echo", "--map", "to-device:lf=crlf", "--log", str(self.folder / "log.txt"),
            "--log-sent")
        self.press(b"3")
        self.read(b"one\r\ntwo\r\n")
        self.screen.wait_for_text("two")
        self.press(b"1")
        self.read(b"from the profile\r")
        self.screen.wait_for_text("from the profile")
        self.terminal.send(PREFIX + b"q")
        self.assertEqual(self.terminal.wait(), 0)
        log = (self.folder / "log.txt").read_text()
        self.assertIn("from the profile", log)

    def test_it_waits_for_the_prompt_after_each_line(self):
        self.begin_with(settings="wait-for = '> $'")
        self.press(b"3")
        self.read(b"one\n")
        self.device.write(b"ok> ")
        self.read(b"two\n")

    def test_it_is_paced_as_what_is_typed(self):
        self.begin_with(settings="byte-delay = 20")
        started = time.monotonic()
        self.press(b"2")
        self.read(b"uname -a\r")
        self.assertGreaterEqual(time.monotonic() - started, 8 * 0.02)

    def test_where_nothing_can_be_sent_it_says_why(self):
        self.begin_with("--read-only")
        self.press(b"1")
        self.screen.wait_for_text("Not available: read-only.")
        self.open_palette(self.terminal, self.screen, b"snippet")
        self.screen.wait_for_text("(off: read-only)")

    def test_while_the_device_is_away_it_is_off_and_nothing_is_kept(self):
        self.begin_with()
        self.device.hang_up()
        # A key comes before the end of the device in one turn of the loop.
        self.screen.wait_for_text("is gone")
        self.press(b"1")
        self.screen.wait_for_text("Not available: no device.")
        self.device.plug()
        self.screen.wait_for_text("is back")
        self.press(b"2")
        self.read(b"uname -a\r")


class MistakeTests(SnippetTest):
    def refused(self, text):
        file = self.folder / "config.toml"
        file.write_text(text)
        result = serialterm("connect", "loopback:", "--config", str(file))
        self.assertEqual(result.status, 2, result)
        return result.stderr.decode().removeprefix(f"serialterm: {file}:").rstrip(".\n")

    def test_a_mistake_is_named_with_its_line_and_nothing_is_opened(self):
        self.assertEqual(
            self.refused("[profile.a]\nbaud = 300\n[profile.a.snippets]\nx = { text = 'a', key = 'q' }\n"),
            "4: 'x': the key q is that of the command 'quit'")
        self.assertEqual(
            self.refused(
                "[default.snippets]\nx = { text = 'a', key = '7' }\n"
                "[profile.a.snippets]\ny = { text = 'a', key = '7' }\n"),
            "4: 'y': the key 7 is that of the snippet 'x'")
        self.assertIn("3: 'x': '\\q' is not an escape", self.refused(
            "[default]\n[default.snippets]\nx = '\\q'\n"))

    def test_the_commands_about_profiles_read_them(self):
        file = self.folder / "config.toml"
        file.write_text(PROFILE % "baud = 300")
        listed = serialterm("profile", "list", "--config", str(file))
        self.assertEqual(listed.status, 0, listed)
        self.assertIn(b"baud=300 snippets=3", listed.stdout)
        shown = serialterm("profile", "show", "board", "--config", str(file))
        self.assertEqual(shown.status, 0, shown)
        file.write_bytes(shown.stdout)
        self.assertEqual(
            serialterm("profile", "show", "board", "--config", str(file)).stdout, shown.stdout)
        self.assertIn(b"\n[profile.board.snippets]\nhello = \"from the profile\"\n", shown.stdout)
        for words in (("doctor", "loopback:"), ("send", "loopback:", "x", "--profile", "board")):
            result = serialterm(*words, "--config", str(file)) if words[0] != "doctor" else \
                serialterm(*words, variables={"XDG_CONFIG_HOME": str(self.folder)})
            self.assertIn(result.status, (0, 1), result)
            self.assertNotIn(b"config.toml", result.stderr)
