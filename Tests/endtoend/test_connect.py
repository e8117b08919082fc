"""A session at a terminal, as a person has it."""

import re
import signal
import tempfile
import termios
import unittest
from pathlib import Path

from Tests.endtoend.faults import PREFIX, SessionTest
from Tests.endtoend.harness import Terminal, serialterm_binary, wait_until


def connect(target, *options, **how):
    """A session with `target` on a separate terminal."""
    return Terminal(serialterm_binary(), "connect", target, *options, **how)


class BoardTests(unittest.TestCase):
    def test_session_opens_with_how_to_quit_and_reaches_the_prompt(self):
        with connect("loopback:board") as terminal:
            terminal.expect(b"board> ")
            first_line = terminal.output.splitlines()[0]
            self.assertRegex(first_line, rb"^serialterm: .*115200 8N1.*ctrl-t q")

    def test_help_answers(self):
        with connect("loopback:board") as terminal:
            terminal.expect(b"board> ")
            terminal.send(b"help\r")
            answer = terminal.expect(re.compile(rb"help\r\n(.*)board> ", re.S)).group(1)
            for command in (b"echo", b"uptime", b"led", b"temp", b"stream", b"reboot"):
                self.assertIn(command, answer)

    def test_connect_is_the_command_when_none_is_given(self):
        with Terminal(serialterm_binary(), "loopback:board") as terminal:
            terminal.expect(b"board> ")

    def test_echo_loopback_answers_what_is_typed(self):
        with connect("loopback:") as terminal:
            terminal.expect(b"ctrl-t q")
            terminal.send(b"echoed")
            terminal.expect(b"echoed")


class SessionTests(SessionTest):
    """With a device that the test plays."""

    def session(self, *options, **how):
        """A session, once the port is the program's."""
        terminal = super().session(*options, **how)
        wait_until(lambda: self.device.exclusive, "the port is opened exclusively")
        return terminal

    def test_port_is_raw_at_the_rate_asked_for(self):
        self.session("-b", "57600")
        settings = self.device.settings
        self.assertEqual(settings.output_baud, 57600)
        self.assertFalse(settings.local_modes & (termios.ECHO | termios.ICANON | termios.ISIG))
        self.assertFalse(settings.input_modes & (termios.ICRNL | termios.IXON))
        self.assertFalse(settings.output_modes & termios.OPOST)

    def test_rate_that_no_constant_names_is_set(self):
        self.session("-b", "74880")
        self.assertEqual(self.device.settings.output_baud, 74880)

    def test_every_key_reaches_the_device(self):
        terminal = self.session()
        keys = bytes(range(256))
        terminal.send(keys.replace(PREFIX, PREFIX * 2))
        self.assertEqual(self.device.read_exactly(256), keys)

    def test_what_the_device_says_is_shown(self):
        terminal = self.session()
        self.device.write(b"temperature 21 \xc2\xb0C\r\n")
        terminal.expect(b"temperature 21 \xc2\xb0C\r\n")

    def test_prefix_twice_sends_it_once(self):
        terminal = self.session()
        terminal.send(PREFIX + PREFIX + b"x")
        self.assertEqual(self.device.read_exactly(2), PREFIX + b"x")

    def test_another_prefix_frees_the_usual_one(self):
        terminal = self.enterContext(connect(self.device.path, "--prefix", "ctrl-a"))
        terminal.expect(b"ctrl-a q")
        terminal.send(PREFIX + b"q")
        self.assertEqual(self.device.read_exactly(2), PREFIX + b"q")
        self.assertEqual(terminal.leave(b"\x01q")[0], 0)

    def test_leaving_by_the_escape_character_as_from_ssh(self):
        terminal = self.enterContext(connect(self.device.path, "--escape", "~"))
        terminal.expect(b"ctrl-t q or ~. quits")
        terminal.send(b"~~x~.\r~?")
        terminal.expect(b"~.  quits")
        # The character waits for the next key.
        terminal.send(b"~")
        self.assertEqual(self.device.read_exactly(6), b"~~x~.\r")
        terminal.send(b".")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.device.rest(), b"")

    def test_escape_sequences_in_a_paste_are_data_and_a_profile_can_set_the_character(self):
        config = Path(self.enterContext(tempfile.TemporaryDirectory())) / "config.toml"
        config.write_text('[default]\nescape = "%"\nprefix = "none"\n')
        terminal = self.enterContext(connect(self.device.path, "--config", str(config), "--shared"))
        terminal.expect(b"%. quits, %? for help.")
        pasted = b"one\r%.\r" + b"two\r" * 3_000 + b"%.\r"
        terminal.send(pasted)
        self.assertEqual(self.device.read_exactly(len(pasted)), pasted)
        other = self.enterContext(
            connect(self.device.path, "--config", str(config), "--escape", "none", "--shared"))
        other.expect(b"No key quits")

    def test_what_stands_behind_the_key_that_quits_is_not_sent(self):
        terminal = self.session()
        terminal.send(b"sent" + PREFIX + b"qnot sent")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(self.device.read_exactly(4), b"sent")
        self.assertEqual(self.device.rest(), b"")

    def test_unknown_command_answers_and_sends_nothing(self):
        terminal = self.session()
        terminal.send(PREFIX + b"z")
        terminal.expect(re.compile(rb"serialterm: .*z.*ctrl-t \?"))
        # Keys that send several bytes are keys all the same.
        terminal.send(PREFIX + b"\x1b[A")
        terminal.expect(b"ctrl-t and that key does nothing")
        terminal.send(PREFIX + "\u00e9".encode())
        terminal.expect("ctrl-t \u00e9 does nothing".encode())
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")

    def test_help_lists_the_commands_and_sends_nothing(self):
        terminal = self.session(size=(80, 120))
        terminal.send(PREFIX + b"?" + PREFIX + b"z")
        listed = terminal.expect(re.compile(rb"(.*)ctrl-t z does nothing", re.S)).group(1)
        for key, word in ((b"q", b"quit"), (b"b", b"break"), (rb"\?", b"list")):
            self.assertRegex(listed, rb"(?:\x1b\[[12]m|, )%s(?:\x1b\[0m)? [^;]*%s" % (key, word))
        terminal.send(b"!")
        self.assertEqual(self.device.read_exactly(1), b"!")

    def test_read_only_session_sends_nothing_and_says_why(self):
        terminal = self.session("--read-only")
        terminal.send(PREFIX + b"b")
        terminal.expect(b"read-only")
        terminal.send(b"x")
        self.device.write(b"shown")
        terminal.expect(b"shown")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertEqual(self.device.rest(), b"")

    def test_quiet_or_not_what_is_not_sent_is_told(self):
        terminal = self.enterContext(connect(self.device.path, "--quiet", "--read-only"))
        wait_until(
            lambda: terminal.settings != terminal.original_settings, "the terminal is raw")
        terminal.send(b"x")
        terminal.expect(b"not sent: read-only.")

    def test_quitting_restores_the_terminal_and_the_port(self):
        terminal = self.session()
        self.assertNotEqual(terminal.settings, terminal.original_settings)
        self.assertEqual(self.quit(terminal)[0], 0)
        self.assertEqual(terminal.settings, terminal.original_settings)
        self.assertEqual(self.device.settings, self.port_settings)
        self.assertFalse(self.device.exclusive)

    def test_signals_restore_the_terminal_and_the_port(self):
        for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT):
            with self.subTest(number.name):
                terminal = self.session()
                self.assertEqual(self.signal(terminal, number)[0], 128 + number)
                self.assertEqual(terminal.settings, terminal.original_settings)
                self.assertEqual(self.device.settings, self.port_settings)
                self.assertFalse(self.device.exclusive)

    def test_user_terminal_closed_ends_the_program(self):
        terminal = self.session()
        with self.leaving(terminal) as left:
            terminal.hang_up()
        self.assertEqual(left.status, 128 + signal.SIGHUP)
        self.assertEqual(self.device.settings, self.port_settings)

    def test_device_that_never_reads_does_not_keep_anyone(self):
        terminal = self.session()
        terminal.send(b"x" * 30_000)  # More than a pseudo-terminal holds.
        self.assertEqual(self.quit(terminal)[0], 1)  # Not everything was sent.
        self.assertEqual(terminal.settings, terminal.original_settings)
