"""The harness itself, tried on programs whose behaviour is known."""

import os
import shutil
import signal
import unittest

from Tests.endtoend.harness import (
    Device, Pipes, Port, Terminal, run, serialterm_binary, shell_status, wait_until)
from Tests.endtoend.harness.screen import Screen


class HarnessTests(unittest.TestCase):
    def test_programs_have_no_place_for_configuration_and_history(self):
        """Not even as root, who could create one anywhere else."""
        script = 'mkdir -p "$XDG_CONFIG_HOME/x" || mkdir -p "$XDG_STATE_HOME/x"'
        self.assertEqual(run("sh", "-c", script).status, 1)
        with Terminal(serialterm_binary(), "loopback:", "--input-mode", "line") as terminal:
            terminal.expect(b"ctrl-t q")
            terminal.send(b"remember me\r")
            terminal.expect(b"remember me")
            self.assertEqual(terminal.leave()[0], 0)
        self.assertFalse(os.path.exists("/nonexistent"))

    def test_terminal_is_the_controlling_terminal(self):
        with Terminal("sh", "-c", "tty; echo to the terminal > /dev/tty") as terminal:
            terminal.expect(b"/dev/pts/")
            terminal.expect(b"to the terminal")
            self.assertEqual(terminal.wait(), 0)

    def test_settings_left_changed_are_noticed(self):
        with Terminal("stty", "-echo") as terminal:
            self.assertEqual(terminal.wait(), 0)
            self.assertNotEqual(terminal.settings, terminal.original_settings)

    def test_a_killed_program_leaves_exclusive_mode_only_if_another_one_has_the_port_open(self):
        for is_open_elsewhere in (False, True):
            with self.subTest(is_open_elsewhere), Device() as device:
                other = Pipes("sh", "-c", 'exec < "$0"; echo open; sleep 600', device.path if is_open_elsewhere else "/dev/null")
                with other, Pipes(serialterm_binary(), "connect", device.path) as killed:
                    other.stdout.expect(b"open")
                    wait_until(lambda device=device: device.exclusive, "the session has the port")
                    killed.signal(signal.SIGKILL)
                    killed.wait()
                    self.assertEqual(device.exclusive, is_open_elsewhere)

    def test_a_condition_that_has_seen_more_than_its_lines_is_asked_again(self):
        class Output:
            """The transcript of a terminal of which nothing more comes."""

            data = b"one"

            @property
            def transcript(self):
                return self

            def since(self, position):
                return self.data[position:]

            def wait_beyond(self, offset, timeout):
                return False

        output = Output()
        screen = Screen(output)

        def condition(lines):
            output.data = b"one two"
            return screen.lines == lines

        self.assertEqual(screen.wait_for(condition, "the last output")[0], "one two")

    def test_expectation_unmet_shows_what_came(self):
        with Terminal("cat") as terminal:
            terminal.send(b"one\n")
            terminal.expect(b"one\r\none\r\n")
            terminal.send(b"two\n")
            terminal.expect(b"two\r\n")
            with self.assertRaisesRegex(AssertionError, "three.*two"):
                terminal.expect(b"three", timeout=0.1)

    def test_expectation_of_an_ended_program_does_not_wait(self):
        with Terminal("true") as terminal:
            with self.assertRaisesRegex(AssertionError, "before the end"):
                terminal.expect(b"anything", timeout=3600)

    def test_signal_is_told_from_status(self):
        with Terminal("cat") as terminal:
            terminal.signal(signal.SIGTERM)
            status = terminal.wait()
            self.assertEqual((status, shell_status(status)), (-15, 143))
        self.assertEqual(run("sh", "-c", "exit 143").status, 143)

    def test_run_past_its_deadline_fails_and_ends_what_it_started(self):
        with self.assertRaisesRegex(AssertionError, "sh is still running.*said"):
            run("sh", "-c", "echo said; echo $$ >&2; exec sleep 3600", timeout=0.2)

    def test_pipes_carry_every_byte(self):
        data = bytes(range(256)) * 4096
        with Pipes("cat") as cat:
            cat.send(data, then_close=True)
            self.assertEqual(cat.stdout.expect_end(), data)
            self.assertEqual(cat.wait(), 0)

    @unittest.skipUnless(shutil.which("picocom"), "needs picocom")
    def test_device_talks_to_picocom_and_is_unplugged(self):
        with Device() as device, Terminal("picocom", "-b", "9600", device.path) as terminal:
            terminal.expect(b"Terminal ready")  # It drops what came before.
            device.write(b"boot")
            terminal.expect(b"boot")
            self.assertEqual(device.settings.output_baud, 9600)
            terminal.send(b"abc")
            self.assertEqual(device.read_exactly(3), b"abc")
            device.hang_up()
            self.assertNotEqual(terminal.wait(), 0)

    def test_device_that_is_read_slowly_makes_the_writer_wait(self):
        data = os.urandom(20_000)
        with Device() as device, Port(device.path) as port:
            with self.assertRaisesRegex(AssertionError, "not accepted"):
                port.write(data, timeout=0.1)

    def test_nothing_is_left_open(self):
        before = len(os.listdir("/proc/self/fd"))
        with Device() as device, Port(device.path), Terminal("cat"), Pipes("cat"):
            pass
        self.assertEqual(len(os.listdir("/proc/self/fd")), before)
