"""Another program uses the port of a running session."""

import re
import signal
import sys

from Tests.endtoend.harness import (
    Device, Pipes, Terminal, run, serialterm, serialterm_binary, wait_until)
from Tests.endtoend.release import EXCLUSIVE_USER, ReleaseTestCase


class ReleaseTests(ReleaseTestCase):
    def test_command_has_the_port_to_itself_and_the_session_goes_on(self):
        log = self.folder / "log"
        session = self.session("--log", str(log))
        self.device.write(b"before ")
        session.expect(b"before ")
        with self.release(sys.executable, "-c", EXCLUSIVE_USER, "{}") as client:
            client.stdout.expect(b"locked")
            self.device.write(b"for the command\n")
            client.stdout.expect(b"read for the command")
            client.close_stdin()
            self.assertEqual(client.wait(), 0)
        session.expect(re.compile(rb"port is back after \d+\.\d s"))
        self.device.write(b"after")
        session.expect(b"after")
        session.send(b"typed")
        self.assertEqual(self.device.read_exactly(5), b"typed")
        self.assertEqual(session.leave()[0], 0)
        self.assertEqual(log.read_bytes(), b"before after")

    def test_port_is_lent_with_the_session_s_settings(self):
        before = self.device.settings
        session = self.session("--baud", "57600", "--flow", "hard", "--mark-errors")
        result = self.run_release("stty", "-a", "-F", "{}")
        self.assertEqual(result.status, 0, result)
        words = result.stdout.replace(b";", b"").split()
        self.assertEqual(words[:2], [b"speed", b"57600"])
        for word in (b"crtscts", b"-icanon", b"-echo", b"-parmrk", b"-inpck"):
            self.assertIn(word, words)
        # The session restores its settings after any changes by the command.
        self.assertEqual(self.run_release("stty", "-F", "{}", "9600", "-crtscts").status, 0)
        session.send(b"\x14c")
        session.expect(b"57600 8N1")
        self.assertEqual(session.leave()[0], 0)
        self.assertEqual(self.device.settings, before)

    def test_session_has_the_port_again_when_the_release_has_ended(self):
        session = self.session()
        for _ in range(5):
            self.assertEqual(self.run_release("true").status, 0)
            self.assertTrue(self.device.exclusive)
            session.expect(b"is back")
        self.assertEqual(session.output.count(b"is back"), 5)

    def test_a_command_that_fails_gives_the_port_back_in_the_same_way(self):
        session = self.session()
        for count in range(1, 6):
            self.assertEqual(self.run_release("sh", "-c", "exit 3").status, 3)
            self.assertTrue(self.device.exclusive, "the session has the port again")
            wait_until(lambda count=count: session.output.count(b"is back") == count, "it says so")

    def test_user_is_told_who_has_the_port(self):
        session = self.session()
        with self.release("sleep", "60") as client:
            session.expect(b"port is lent to sleep (pid %d)." % client.pid)

    def test_every_alias_of_the_node_means_the_same(self):
        self.session()
        alias = self.folder / "alias"
        alias.symlink_to(self.device.node)
        for path in (self.device.node, str(alias)):
            with self.subTest(path):
                result = self.run_release("echo", "at={}", target=path)
                self.assertEqual(
                    (result.status, result.stdout, result.stderr),
                    (0, b"at=%s\n" % path.encode(), b""))

    def test_a_profile_s_name_is_a_target(self):
        self.session()
        configuration = self.folder / "config.toml"
        configuration.write_text(f"[profile.kitchen]\ntarget = '{self.path}'\n")
        result = self.run_release(
            "echo", "at={}", target="kitchen", options=("--config", str(configuration)))
        self.assertEqual((result.status, result.stdout), (0, f"at={self.path}\n".encode()), result)

    def test_a_port_that_a_script_uses_is_not_lent(self):
        for words in (["send", str(self.path), "?", "--line-ending", "none",
                       "--expect", "x", "--timeout", "600"],
                      ["connect", str(self.path), "--exec", "printf '?'; sleep 600"]):
            with self.subTest(words):
                program = self.enterContext(
                    Pipes(serialterm_binary(), *words, variables=self.variables))
                self.assertEqual(self.device.read_exactly(1), b"?")
                wait_until(self.socket_of(program).exists, "the program listens")
                result = self.run_release("true")
                self.assertEqual(result.status, 5, result)
                self.assertIn(b"in use by a script; released when it finishes", result.stderr)
                program.signal(signal.SIGTERM)
                self.assertEqual(program.wait(), 143)

    def test_killed_client_gives_the_port_back(self):
        session = self.session()
        with self.release("sleep", "60") as client:
            session.expect(b"is lent")
            client.signal(signal.SIGKILL)
            session.expect(b"is back")

    def test_client_that_is_to_end_passes_it_on_to_its_command(self):
        session = self.session()
        for number in (signal.SIGTERM, signal.SIGHUP):
            with self.release("sleep", "60") as client:
                wait_until(lambda: self.has_started(client), "the command runs")
                client.signal(number)
                self.assertEqual(client.wait(), 128 + number)
                session.expect(b"is back")

    def test_port_is_taken_back_when_the_last_of_two_has_ended(self):
        session = self.session()
        with self.release("cat") as first, self.release("cat") as second:
            session.expect(b"is lent")
            wait_until(lambda: self.has_started(first) and self.has_started(second), "both run")
            first.close_stdin()
            self.assertEqual(first.wait(), 0)
            self.assertIn(b"stays released", first.stderr.expect_end())
            self.assertFalse(self.device.exclusive)
            second.close_stdin()
            self.assertEqual(second.wait(), 0)
            session.expect(b"is back")

    def test_device_may_be_plugged_anew_meanwhile(self):
        session = self.session()
        with self.release("cat") as client:
            session.expect(b"is lent")
            self.device.hang_up()
            self.device.plug(says=b"new firmware")
            client.close_stdin()
            self.assertEqual(client.wait(), 0)
        session.expect(b"new firmware")

    def test_device_that_is_not_there_at_the_end_is_waited_for(self):
        session = self.session()
        with self.release("cat") as client:
            session.expect(b"is lent")
            self.device.hang_up()
            client.close_stdin()
            client.stderr.expect(b"waits for")
            self.assertEqual(client.wait(), 0)
        self.device.plug(says=b"late")
        session.expect(b"late")

    def test_strangers_pseudo_terminal_is_not_taken_back(self):
        """A device that got the number of the session's device while the link was stale."""
        session = self.session()
        with self.release("cat") as client:
            session.expect(b"is lent")
            node = self.device.node
            Device.close(self.device)
            strangers = [self.enterContext(Device()) for _ in range(3)]
            self.assertIn(node, [stranger.node for stranger in strangers])
            client.close_stdin()
            client.stderr.expect(b"waits for")
        self.assertFalse(any(stranger.exclusive for stranger in strangers))
        self.path.unlink()
        self.device.plug(says=b"ours")
        session.expect(b"ours")

    def test_strangers_pseudo_terminal_at_the_path_of_the_session_is_not_taken_back(self):
        """The session was given the node itself, and there is no link that could be made again."""
        node = self.device.node
        session = self.enterContext(
            Terminal(serialterm_binary(), "connect", node, variables=self.variables))
        session.expect(b"ctrl-t q")
        wait_until(self.socket_of(session).exists, "the session listens")
        with Pipes(serialterm_binary(), "release", node, "--", "cat",
                   variables=self.variables) as client:
            session.expect(b"is lent")
            Device.close(self.device)
            strangers = [self.enterContext(Device()) for _ in range(3)]
            self.assertIn(node, [stranger.node for stranger in strangers])
            client.close_stdin()
            client.stderr.expect(b"waits for")
        self.assertFalse(any(stranger.exclusive for stranger in strangers))

    def test_simulation_is_taken_back(self):
        session = self.enterContext(
            Terminal(serialterm_binary(), "connect", "loopback:board", variables=self.variables))
        session.expect(b"ctrl-t q")
        session.send(b"\x14c")
        node = session.expect(re.compile(rb"/dev/pts/\d+")).group().decode()
        result = self.run_release(
            sys.executable, "-c", EXCLUSIVE_USER, "{}", target=node, stdin=b"")
        self.assertEqual((result.status, result.stdout), (0, b"locked\n"))
        session.expect(b"is back")
        session.send(b"help\r")
        session.expect(b"help")

    def test_piped_input_waits_while_the_port_is_released(self):
        data = bytes(range(256)) * 64
        with Pipes(serialterm_binary(), "connect", str(self.path),
                   variables=self.variables) as session:
            wait_until(self.socket_of(session).exists, "the session listens")
            with self.release("cat") as client:
                session.stderr.expect(b"is lent")
                session.send(data, then_close=True)
                client.close_stdin()
                self.assertEqual(client.wait(), 0)
            self.assertEqual(self.device.read_exactly(len(data)), data)
            self.assertEqual(session.wait(), 0)

    def test_what_is_being_sent_is_sent_first(self):
        data = bytes(range(33, 127)) * 4000
        session = self.session("--drain", "60")
        session.send(data)
        with self.release("cat") as client:
            self.assertEqual(self.device.read_exactly(len(data)), data)
            session.expect(b"is lent")
            client.close_stdin()
            self.assertEqual(client.wait(), 0)
        session.expect(b"is back")
        self.assertNotIn(b"not sent", session.output)

    def test_what_the_device_does_not_take_is_told(self):
        data = bytes(range(33, 127)) * 4000
        session = self.session()
        session.send(data)
        self.assertEqual(self.run_release("true").status, 0)
        told = session.expect(re.compile(rb"([\d,]+) bytes were not sent")).group(1)
        unsent = int(told.replace(b",", b""))
        self.assertEqual(self.device.read_exactly(len(data) - unsent), data[:len(data) - unsent])

    def test_session_that_ends_meanwhile_leaves_the_command_alone(self):
        session = self.session()
        with self.release("cat") as client:
            session.expect(b"is lent")
            self.assertEqual(session.leave()[0], 0)
            client.send(b"still here", then_close=True)
            client.stdout.expect(b"still here")
            self.assertEqual(client.wait(), 0)


class UserTests(ReleaseTestCase):
    def test_signal_releases_and_takes_back(self):
        for name in ("USR1", "USR2"):
            with self.subTest(name):
                session = self.session("--release-on", name)
                number = signal.Signals[f"SIG{name}"]
                session.signal(number)
                session.expect(b"is released for other programs")
                wait_until(lambda: not self.device.exclusive, "the port is released")
                session.signal(number)
                session.expect(b"is back")
                self.assertEqual(session.leave()[0], 0)

    def test_other_signals_are_refused_as_usage(self):
        result = run(serialterm_binary(), "connect", "--release-on", "TERM", str(self.path))
        self.assertEqual(result.status, 2)

    def test_user_and_command_each_have_a_claim(self):
        session = self.session("--release-on", "USR1")
        with self.release("cat") as client:
            session.expect(b"is lent")
            session.signal(signal.SIGUSR1)
            session.expect(re.compile(rb"stays released when cat \(pid \d+\) finishes"))
            session.signal(signal.SIGUSR1)
            session.expect(re.compile(rb"is reopened when cat \(pid \d+\) finishes"))
            session.signal(signal.SIGUSR1)
            session.expect(b"stays released when")
            client.close_stdin()
            self.assertEqual(client.wait(), 0)
        session.expect(b"the port stays released")
        self.assertFalse(self.device.exclusive)
        session.signal(signal.SIGUSR1)
        session.expect(b"is back")


class CommandTests(ReleaseTestCase):
    def test_exit_status_is_the_commands(self):
        self.session()
        script = self.folder / "no-program"
        script.write_text("x")
        for words, status in (
                (["true"], 0), (["sh", "-c", "exit 42"], 42), (["sh", "-c", "kill -9 $$"], 137),
                (["/nowhere/tool"], 127), (["no-such-tool"], 127), ([str(script)], 126)):
            with self.subTest(words):
                self.assertEqual(self.run_release(*words).status, status)
                self.assertTrue(self.device.exclusive)

    def test_signals_that_the_program_ignores_are_not_ignored_by_the_command(self):
        for number in (signal.SIGPIPE, signal.SIGXFSZ):
            result = serialterm(
                "release", self.device.path, "--", "sh", "-c", f"kill -{number} $$; exit 3")
            self.assertEqual(result.status, 128 + number, number)

    def test_without_a_session_the_command_is_run_all_the_same(self):
        result = self.run_release("echo", "run")
        self.assertEqual((result.status, result.stdout), (0, b"run\n"))
        self.assertIn(b"no session has", result.stderr)
        self.assertEqual(self.run_release("true", options=["--quiet"]).stderr, b"")

    def test_session_with_another_device_is_left_alone(self):
        session = self.session()
        with Device() as other:
            result = self.run_release("true", target=other.path)
        self.assertIn(b"no session has", result.stderr)
        self.assertNotIn(b"is lent", session.output)

    def test_help_shows_an_example(self):
        result = run(serialterm_binary(), "release", "--help")
        self.assertEqual((result.status, result.stderr), (0, b""))
        self.assertRegex(result.stdout, rb"EXAMPLE\n *serialterm release ")

    def test_what_cannot_be_released_is_told(self):
        for target, status in (
                ("/dev/nowhere", 3), ("usb:dead:beef", 3), ("/dev/null/x", 3), ("/etc/passwd", 3),
                ("loopback:board", 2), ("usb:x", 2)):
            with self.subTest(target):
                result = self.run_release("echo", "run", target=target)
                self.assertEqual((result.status, result.stdout), (status, b""))
        self.assertEqual(self.run_release().status, 2)

    def test_signals_reach_the_command_as_they_were(self):
        # The C library ignores its own signals 32 and 33 in programs that posix_spawn(3) starts.
        script = """
for line in open("/proc/self/status"):
    name, value = line.split(":", 1)
    if name in ("SigBlk", "SigIgn"):
        print(name, int(value, 16) & 0x7FFFFFFF)
"""
        released = self.run_release(sys.executable, "-c", script)
        self.assertEqual(released.stdout, run(sys.executable, "-c", script).stdout)

    def test_interrupt_at_the_terminal_is_the_commands(self):
        session = self.session()
        script = "trap 'echo interrupted; exit 7' INT; echo ready; while :; do sleep 0.01; done"
        with Terminal(serialterm_binary(), "release", str(self.path), "--", "sh", "-c", script,
                      variables=self.variables) as client:
            client.expect(re.compile(rb"^ready", re.M))
            client.send(b"\x03")
            client.expect(b"interrupted")
            self.assertEqual(client.wait(), 7)
        session.expect(b"is back")
