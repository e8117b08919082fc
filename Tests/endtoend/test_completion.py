"""Completion of command lines by Tab, in real shells."""

import unittest

from Tests.endtoend.faults import record
from Tests.endtoend.harness import processor, serialterm
from Tests.endtoend.harness.shells import (
    BASH, BASH_WITH_PACKAGE, DELETE_LINE, FISH, ZSH, CompletionFolder)

CONFIGURATION = """[profile.kitchen]
target = 'loopback:'
baud = 9600
"""

# Typed text, with the arguments that the program then gets for Enter.
COMPLETED = [
    # The first word: a command, a TARGET or an option of `connect`.
    ("serialterm con\t", ["connect"]),
    ("serialterm ./tty\t", ["./ttyBoard"]),
    ("serialterm ttyB\t", ["ttyBoard"]),
    ("serialterm /dev/nul\t", ["/dev/null"]),
    ("serialterm --ti\t", ["--timestamps"]),
    ("serialterm --vers\t", ["--version"]),
    ("serialterm kitc\t", ["kitchen"]),
    ("serialterm lat\t", ["latest"]),
    ("serialterm hel\ttar\t", ["help", "targets"]),
    ("serialterm help profile sh\t", ["help", "profile", "show"]),
    ("serialterm prof\tsh\tkitc\t", ["profile", "show", "kitchen"]),
    # TARGETs.
    ("serialterm connect ./tty\t", ["connect", "./ttyBoard"]),
    ("serialterm send kitc\t", ["send", "kitchen"]),
    ("serialterm doctor loopb\t", ["doctor", "loopback:"]),
    ("serialterm loopback:b\t", ["loopback:board"]),
    ("serialterm connect loopback:b\t", ["connect", "loopback:board"]),
    ("serialterm \"loopback:b\t", ["loopback:board"]),
    ("serialterm 'loopback:b\t", ["loopback:board"]),
    ("serialterm loopback\\:b\t", ["loopback:board"]),
    ("serialterm -b 9600 kitc\t", ["-b", "9600", "kitchen"]),
    ("serialterm kitchen lat\t", ["kitchen", "latest"]),
    # Options and their values.
    ("serialterm connect --par\tev\t", ["connect", "--parity", "even"]),
    ("serialterm --parity=ev\t", ["--parity=even"]),
    ("serialterm --no-rec\t", ["--no-reconnect"]),
    ("serialterm --baud 96\t", ["--baud", "9600"]),
    ("serialterm --baud=96\t", ["--baud=9600"]),
    ("serialterm --baud=\"96\t", ["--baud=9600"]),
    ("serialterm -b 96\t", ["-b", "9600"]),
    ("serialterm -b96\t", ["-b9600"]),
    ("serialterm -xb96\t", ["-xb9600"]),
    ("serialterm --profile kitc\t", ["--profile", "kitchen"]),
    ("serialterm --config ./other.toml --profile att\t",
     ["--config", "./other.toml", "--profile", "attic"]),
    ("serialterm send kitchen --line-ending crl\t", ["send", "kitchen", "--line-ending", "crlf"]),
    ("serialterm --log-format js\t", ["--log-format", "jsonl"]),
    ("serialterm -t delta:\t", ["-t", "delta:us"]),
    ("serialterm -t kitc\t", ["-t", "kitchen"]),
    ("serialterm --timestamps=delta:\t", ["--timestamps=delta:us"]),
    ("serialterm --map from-device:crlf=c\t", ["--map", "from-device:crlf=cr"]),
    ("serialterm --map=from-device:cr=lf,to-device:crlf=c\t",
     ["--map=from-device:cr=lf,to-device:crlf=cr"]),
    ("serialterm -m from-device:cr=lf,to-device:crlf=c\t",
     ["-m", "from-device:cr=lf,to-device:crlf=cr"]),
    ("serialterm --highlight lev\t", ["--highlight", "levels"]),
    ("serialterm --highlight 'E R=mag\t", ["--highlight", "E R=magenta"]),
    ("serialterm --highlight E\\ R=mag\t", ["--highlight", "E R=magenta"]),
    ("serialterm --on-open dtr=off,rts=of\t", ["--on-open", "dtr=off,rts=off"]),
    # No blank is added to a word that may continue.
    ("serialterm run x y --report jun\tz", ["run", "x", "y", "--report", "junit=z"]),
    ("serialterm run x y --report junit=my\t", ["run", "x", "y", "--report", "junit=my log.txt"]),
    # Files.
    ("serialterm --log my\t", ["--log", "my log.txt"]),
    ("serialterm --log 'my\t", ["--log", "my log.txt"]),
    ("serialterm --log \"my\t", ["--log", "my log.txt"]),
    ("serialterm --log=my\t", ["--log=my log.txt"]),
    ("serialterm --log it\t", ["--log", "it's \"it\".log"]),
    ("serialterm --log a\t", ["--log", "a:b.log"]),
    ("serialterm -L ./logs/o\t", ["-L", "./logs/old.log"]),
    ("serialterm --config ~/con\t", ["--config", "{home}/configuration.toml"]),
    ("serialterm --config=~/con\t", ["--config=~/configuration.toml"]),
    ("serialterm send kitchen --file my\t", ["send", "kitchen", "--file", "my log.txt"]),
    ("serialterm run kitchen my\t", ["run", "kitchen", "my log.txt"]),
    ("serialterm ./my\t", ["./my log.txt"]),
    # Another program's command line.
    ("serialterm release kitchen -- flash-th\t", ["release", "kitchen", "--", "flash-the-board"]),
    ("serialterm connect kitchen --exec flash-th\t",
     ["connect", "kitchen", "--exec", "flash-the-board"]),
    # Nothing is added: an option that was given already, one that the command does not have, a hidden
    # command, a value that is free text.
    ("serialterm --timestamps --timest\t", ["--timestamps", "--timest"]),
    ("serialterm list --ba\t", ["list", "--ba"]),
    ("serialterm session-comm\t", ["session-comm"]),
    ("serialterm complete-l\t", ["complete-l"]),
    ("serialterm --wait-for my\t", ["--wait-for", "my"]),
    ("serialterm --baud my\t", ["--baud", "my"]),
    # The program is called in another way.
    ("~/bin/serialterm con\t", ["connect"]),
    ("A=1 serialterm connect loopback:b\t", ["connect", "loopback:board"]),
    ("true; serialterm con\t", ["connect"]),
]


class ShellTests:
    """The tests of all shells."""

    def setUp(self):
        self.folder = self.enterContext(CompletionFolder(self.shell))
        for name in ("ttyBoard", "my log.txt", "it's \"it\".log", "a:b.log", "logs/old.log"):
            (self.folder.place / name).parent.mkdir(exist_ok=True)
            (self.folder.place / name).touch()
        (self.folder.place / "other.toml").write_text("[profile.attic]\nbaud = 9600\n")
        (self.folder.home / "configuration.toml").touch()
        self.folder.configuration.write_text(CONFIGURATION)

    def test_words_and_files_are_completed(self):
        with self.folder.started() as terminal:
            for typed, words in COMPLETED:
                with self.subTest(typed):
                    expected = "".join(f"<{word}>" for word in words)
                    terminal.send(f"{DELETE_LINE}{typed}\r".encode())
                    terminal.expect(
                        f"words:{expected}.\r\n".format(home=self.folder.home).encode())

    def test_a_list_has_descriptions(self):
        with self.folder.started() as terminal:
            terminal.send(b"serialterm help " + self.shell.tabs)
            terminal.expect(self.shell.described(b"targets", b"The forms of TARGET."))

    def test_nothing_is_printed_if_the_configuration_is_wrong(self):
        self.folder.configuration.write_text("[profile.kitchen\n")
        with self.folder.started() as terminal:
            for typed, words in ((b"kitc", b"<kitc>"), (b"con", b"<connect>")):
                terminal.send(b"serialterm " + typed + b"\t\r")
                terminal.expect(b"words:" + words)
            self.assertNotIn(b"config.toml", terminal.output)

    def test_files_are_completed_without_an_answer(self):
        with self.folder.started() as terminal:
            self.folder.install("/nonexistent/program")
            terminal.send(b"serialterm ./tty\t\r")
            terminal.expect(b"words:<./ttyBoard>")
            self.assertNotIn(b"nonexistent", terminal.output)


def assert_completes_for_another_program(test, setup):
    """Asserts that the shell completes the words after the dashes of `release` as usual."""
    with test.folder.started() as terminal:
        terminal.send(f"{setup}; echo do''ne\r".encode())
        terminal.expect(b"done\r\n")
        terminal.send(b"serialterm release kitchen -- flash-the-board burn\t\r")
        terminal.expect(b"words:<release><kitchen><--><flash-the-board><burn-it>")


def assert_completes_behind_another_program(test):
    """Asserts that the shell completes a command line behind another command."""
    with test.folder.started() as terminal:
        for typed, words in (
                (b"con\tloopback:b\t", b"<connect><loopback:board>"), (b"./tty\t", b"<./ttyBoard>")):
            terminal.send(b"nice serialterm " + typed + b"\r")
            terminal.expect(b"words:" + words)


class BashTests(ShellTests, unittest.TestCase):
    shell = BASH

    def test_descriptions_are_not_inserted(self):
        """Readline lists the words at the first Tab, and inserts their common beginning."""
        with self.folder.started() as terminal:
            terminal.send(b"bind 'set show-all-if-ambiguous on'\r")
            terminal.send(b"serialterm -t de\t")
            terminal.expect(b"delta     (seconds since the line before)")
            terminal.send(b"\r")
            terminal.expect(b"words:<-t><delta>.")

    def test_a_list_that_is_longer_than_the_screen_has_no_descriptions(self):
        with self.folder.started(size=(10, 80)) as terminal:
            terminal.send(b"serialterm connect --l\t\t")
            terminal.expect(b"--log-sent")
            self.assertNotIn(b"passwords", terminal.output)

    def test_nothing_is_printed_where_unset_variables_are_errors(self):
        with self.folder.started() as terminal:
            terminal.send(b"set -u\r")
            self.folder.install("/nonexistent/program")
            terminal.send(b"serialterm ./tty\t\r")
            terminal.expect(b"words:<./ttyBoard>")
            self.assertNotIn(b"unbound", terminal.output)


@unittest.skipUnless(BASH_WITH_PACKAGE.is_installed, "needs bash-completion")
class BashWithPackageTests(ShellTests, unittest.TestCase):
    """With the package bash-completion, which has its own helper functions."""

    shell = BASH_WITH_PACKAGE

    def test_arguments_of_another_program_are_completed(self):
        assert_completes_for_another_program(self, "complete -W burn-it flash-the-board")

    def test_a_command_line_behind_another_command_is_completed(self):
        assert_completes_behind_another_program(self)


@unittest.skipUnless(ZSH.is_installed, "needs zsh")
class ZshTests(ShellTests, unittest.TestCase):
    shell = ZSH

    def test_arguments_of_another_program_are_completed(self):
        assert_completes_for_another_program(
            self, "_flash() { compadd burn-it }; compdef _flash flash-the-board")

    def test_a_command_line_behind_another_command_is_completed(self):
        assert_completes_behind_another_program(self)


@unittest.skipUnless(FISH.is_installed, "needs fish")
class FishTests(ShellTests, unittest.TestCase):
    shell = FISH

    def test_arguments_of_another_program_are_completed(self):
        assert_completes_for_another_program(self, "complete -c flash-the-board -f -a burn-it")


class ScriptTests(unittest.TestCase):
    def test_an_unknown_shell_is_refused(self):
        for words in (["tcsh"], []):
            with self.subTest(words):
                result = serialterm("--generate-completion-script", *words)
                self.assertEqual((result.status, result.stdout), (2, b""))
                self.assertIn(b"bash, zsh or fish", result.stderr)

    def test_an_answer_takes_no_longer_than_a_key(self):
        durations, used = [], []
        for _ in range(5):
            with processor.measured() as each:
                result = serialterm("complete-line", "bash", "serialterm ")
            durations.append(result.duration * 1000)
            used.append(each.seconds)
        record("completion", "key to the answer", durations, "ms", at_most=100)
        self.assertLess(min(used), 0.1)


if __name__ == "__main__":
    unittest.main()
