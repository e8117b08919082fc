"""Ports of another computer: `ssh://HOST/TARGET`, with a real sshd on the loopback address."""

import os
import unittest

from Tests.endtoend.faults import PREFIX
from Tests.endtoend.harness import Device, Pipes, Terminal, run, serialterm_binary, slow, wait_until
from Tests.endtoend.servers.ssh import SSHD, SSHServer, descendants


@unittest.skipUnless(SSHD, "sshd is not installed")
class SSHTest(unittest.TestCase):
    def setUp(self):
        self.server = self.enterContext(SSHServer())
        self.variables = {"PATH": self.server.path}

    def terminal(self, target, *options):
        return self.enterContext(
            Terminal(serialterm_binary(), "connect", target, *options, variables=self.variables))

    def serialterm(self, *words):
        return run(serialterm_binary(), *words, variables=self.variables)

    def answer(self, script):
        """Puts another `serialterm` at the other end."""
        program = self.server.there / "serialterm"
        program.unlink()
        program.write_text(f"#!/bin/sh\n{script}\n")
        program.chmod(0o755)


class ConnectionTests(SSHTest):
    def test_every_byte_passes_both_ways_and_settings_are_set(self):
        device = self.enterContext(Device())
        every_byte = bytes(range(256)) * 400
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", f"ssh://board.test/{device.path}", "-b", "57600",
            "--linger", "5", variables=self.variables))
        program.send(every_byte)
        self.assertEqual(device.read_exactly(len(every_byte)), every_byte)
        self.assertEqual(device.settings.output_baud, 57600)
        device.write(every_byte)
        self.assertEqual(program.stdout.read_exactly(len(every_byte)), every_byte)

    def test_the_board_of_another_computer_answers_and_quitting_leaves_nothing(self):
        terminal = self.terminal("ssh://board.test/loopback:board")
        terminal.expect(b"connecting to ssh://board.test/loopback:board")
        terminal.expect(b"at 115200 8N1")
        terminal.send(b"echo hello\r")
        terminal.expect(b"\nhello\r\n")
        server = self.server.process.pid
        self.assertTrue(descendants(server))
        terminal.send(PREFIX + b"q")
        self.assertEqual(terminal.wait(), 0)
        wait_until(lambda: not descendants(server), "the program there has ended")

    def test_much_on_standard_error_blocks_nothing(self):
        device = self.enterContext(Device())
        for place in ("before", "while"):
            with self.subTest(place):
                flood = "head -c 300000 /dev/zero | tr '\\0' x >&2"
                start = f'exec {serialterm_binary()} "$@"'
                self.answer(f"{flood}; {start}" if place == "before" else f"({flood}) & {start}")
                with Pipes(
                        serialterm_binary(), "connect", f"ssh://board.test/{device.path}", "--linger", "5",
                        variables=self.variables) as program:
                    program.send(b"hello")
                    self.assertEqual(device.read_exactly(5), b"hello")

    def test_what_a_shell_prints_at_its_start_is_not_the_devices(self):
        for passed_on in "", " | { sleep 1; cat; }":
            with self.subTest("together with what the program says" if passed_on else "at once"):
                self.check_shell(passed_on)

    def check_shell(self, passed_on):
        device = self.enterContext(Device())
        self.answer(f"(echo welcome; exec {serialterm_binary()} \"$@\"){passed_on}")
        program = self.enterContext(Pipes(
            serialterm_binary(), "connect", f"ssh://board.test/{device.path}", "--linger", "5",
            variables=self.variables))
        program.send(b"x")
        device.read_exactly(1)
        device.write(b"answer")
        self.assertEqual(program.stdout.read_exactly(6), b"answer")

    @slow
    def test_it_comes_back_when_the_other_computer_does(self):
        device = self.enterContext(Device())
        terminal = self.terminal(f"ssh://board.test/{device.path}", "-b", "9600")
        terminal.expect(b"at 9600 8N1")
        self.server.stop()
        terminal.expect(b"is gone, waiting")
        self.server.start()
        terminal.expect(b"is back after")
        terminal.send(b"key")
        self.assertEqual(device.read_exactly(3), b"key")
        self.assertEqual(device.settings.output_baud, 9600)


class FailureTests(SSHTest):
    def assert_fails(self, status, message, target="ssh://board.test/ttyNONE9"):
        result = self.serialterm("connect", target, "--linger", "0")
        self.assertEqual(result.status, status, result)
        self.assertRegex(result.stderr, message)

    def test_a_device_that_is_missing_there_is_said_in_its_words(self):
        self.assert_fails(3, b"on the other computer: /dev/ttyNONE9: no such device")

    def test_a_port_that_is_in_use_there_is_said(self):
        with Device() as device, Terminal(serialterm_binary(), "connect", device.path) as holder:
            holder.expect(b"ctrl-t q")
            self.assert_fails(5, b"on the other computer: .*busy, held by", f"ssh://board.test/{device.path}")

    def test_a_computer_without_the_program(self):
        (self.server.there / "serialterm").unlink()
        self.assert_fails(1, b"serialterm is not installed there")

    def test_an_older_program(self):
        self.answer("echo \"serialterm: serve: no such device. Did you mean 'serve'?\" >&2; exit 2")
        self.assert_fails(1, b"the serialterm there has no 'serve' yet; update it")

    def test_a_program_that_is_something_else(self):
        self.answer("echo 'HTTP/1.0 200 OK'; sleep 1")
        self.assert_fails(1, b"the program there has ended")

    def test_who_may_not_log_in_is_told_by_ssh(self):
        (self.server.folder / "authorized").write_text("")
        self.assert_fails(3, b"ssh says: .*Permission denied.*without asking for a password")

    def test_a_host_that_is_not_known_is_told_by_ssh(self):
        (self.server.folder / "known").write_text("")
        self.assert_fails(3, b"ssh says: .*Host key verification failed")

    def test_a_server_that_is_off_is_told_by_ssh(self):
        self.server.stop()
        self.assert_fails(3, b"ssh says: .*Connection refused")

    def test_a_computer_without_ssh(self):
        self.variables = {"PATH": "/nonexistent"}
        self.assert_fails(1, b"ssh is not installed on this computer")

    def test_doctor_says_what_is_wrong_there(self):
        result = self.serialterm("doctor", "ssh://board.test/ttyNONE9")
        self.assertEqual(result.status, 1)
        self.assertIn(b"on the other computer: /dev/ttyNONE9: no such device", result.stdout)
        self.assertIn(b"ssh HOST serialterm doctor TARGET", result.stdout)
        with Device() as device:
            result = self.serialterm("doctor", f"ssh://board.test/{device.path}")
            self.assertEqual((result.status, result.stdout), (0, b"nothing is wrong\n"))

    def test_a_target_is_no_command_of_the_shell_there(self):
        witness = os.path.join(self.server.folder, "witness")
        self.assert_fails(3, b"no such device", f"ssh://board.test//dev/x'; touch {witness}; '")
        self.assertFalse(os.path.exists(witness))


if __name__ == "__main__":
    unittest.main()
