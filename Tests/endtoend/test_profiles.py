"""The configuration: profiles, and mistakes in a file. Row 40."""

import os
import shutil
import stat
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.faults.figures import record
from Tests.endtoend.harness import Device, Terminal, processor, serialterm, serialterm_binary
from Tests.endtoend.harness.program import REPOSITORY


class ProfileCase(unittest.TestCase):
    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.file = self.folder / "serialterm" / "config.toml"
        self.file.parent.mkdir()

    def serialterm(self, *words, **how):
        return serialterm(*words, variables={"XDG_CONFIG_HOME": str(self.folder)}, **how)

    def settings(self, *words):
        """The line settings that `connect --json` reports."""
        result = self.serialterm("connect", *words, "--json")
        self.assertEqual(result.status, 0, result)
        return result.stdout.split(b'"settings":"')[1].split(b'"')[0].decode()


class ApplyingTests(ProfileCase):
    def test_defaults_then_the_profile_then_the_command_line(self):
        self.file.write_text(
            "[default]\nbaud = 1200\ntarget = 'loopback:'\n[profile.a]\ntarget = 'loopback:'\n"
            "baud = 2400\n[profile.b]\ntarget = 'loopback:board'\n")
        self.assertEqual(self.settings(), "1200 8N1")
        self.assertEqual(self.settings("loopback:"), "1200 8N1")
        self.assertEqual(self.settings("a"), "2400 8N1")
        self.assertEqual(self.settings("b"), "1200 8N1")
        self.assertEqual(self.settings("a", "-b", "4800"), "4800 8N1")
        self.assertEqual(self.settings("--baud=4800", "a"), "4800 8N1")
        self.assertEqual(self.settings("loopback:", "--profile", "a"), "2400 8N1")

    def test_the_connect_before_a_profile_s_name_may_be_left_out(self):
        self.file.write_text("[profile.echo]\ntarget = 'loopback:'\n")
        result = self.serialterm("echo", stdin=b"hello")
        self.assertEqual((result.status, result.stdout), (0, b"hello"), result)

    def test_the_default_may_be_a_profile(self):
        self.file.write_text("[default]\ntarget = 'a'\n[profile.a]\ntarget='loopback:'\nbaud=300\n")
        self.assertEqual(self.settings(), "300 8N1")

    def test_a_profile_may_have_any_form_of_a_table(self):
        self.file.write_text(
            "profile.a.target = 'loopback:'\nprofile.a.baud = 0x960\n"
            "profile.b = {target = \"loopback:board\", baud = 2_400, wait-for = '\\$ $'}\n"
            "[profile.c]\nbaud = 0b1001_0110_0000\n"
            'target = """\\\n   loop\\\n   back:"""\n')
        for name in "abc":
            self.assertEqual(self.settings(name), "2400 8N1", name)

    def test_a_path_is_no_profile(self):
        with Device() as device:
            link = self.folder / "board"
            link.symlink_to(device.path)
            self.file.write_text("[profile.board]\ntarget = 'loopback:'\nbaud = 300\n")
            self.assertEqual(self.settings(str(link)), "115200 8N1")

    def test_a_protocol_for_files_leaves_text_and_standard_input_alone(self):
        self.file.write_text(
            "[profile.a]\ntarget = 'loopback:board'\nprotocol = 'ymodem'\nprompt = 'board> '\n")
        result = self.serialterm("send", "a", "echo 42")
        self.assertEqual(result.status, 0, result)
        self.assertIn(b"42", result.stdout)
        for words in ([], ["--file", "-"]):
            result = self.serialterm("send", "a", *words, stdin=b"echo 42\r")
            self.assertEqual(result.status, 0, result)
        path = self.folder / "boot.bin"
        path.write_bytes(b"boot")
        result = self.serialterm("send", "a", "--file", str(path), "--timeout", "0.1")
        self.assertEqual(result.status, 8, result)
        self.assertIn(b"no receiver", result.stderr)
        result = self.serialterm("send", "a", "echo 42", "--protocol", "ymodem")
        self.assertEqual(result.status, 2, result)

    def test_a_protocol_that_a_command_does_not_have_is_another_command_s(self):
        zmodem = b"**\x18B01"
        for protocol, invitation in [("xmodem-1k", zmodem), ("telnet", zmodem), ("ymodem", b"C")]:
            with self.subTest(protocol=protocol), Device() as device:
                self.file.write_text(f"[profile.a]\ntarget = '{device.path}'\nprotocol = '{protocol}'\n")
                result = self.serialterm("receive", "a", "--into", str(self.folder), "--timeout", "0.2")
                self.assertEqual(result.status, 8, result)
                self.assertIn(invitation, device.rest())
        self.file.write_text("[profile.a]\ntarget = 'loopback:'\nprotocol = 'telnet'\n")
        path = self.folder / "boot.bin"
        path.write_bytes(b"boot")
        result = self.serialterm("send", "a", "--file", str(path))
        self.assertEqual(result.status, 0, result)
        self.file.write_text("[profile.a]\ntarget = 'loopback:'\nprotocol = 'kermit'\n")
        for words in (["send", "a", "x"], ["receive", "a"], ["serve", "a"]):
            result = self.serialterm(*words)
            self.assertEqual(result.status, 2, result)
            self.assertIn(b"config.toml:3: --protocol 'kermit'", result.stderr)

    def test_what_is_for_a_protocol_may_be_given_beside_that_of_the_profile(self):
        self.file.write_text("[profile.a]\ntarget = 'loopback:board'\nprotocol = 'xmodem'\n")
        path = self.folder / "boot.bin"
        path.write_bytes(b"boot")
        limit = ("--timeout", "0.1")
        result = self.serialterm("receive", "a", "--name", "x", "--into", str(self.folder), *limit)
        self.assertEqual(result.status, 8, result)
        result = self.serialterm("send", "a", "--file", str(path), *limit, "--progress", "none")
        self.assertEqual(result.status, 8, result)
        for words in (["receive", "loopback:", "--name", "x"],
                      ["send", "loopback:", "--file", str(path), "--progress", "none"]):
            result = self.serialterm(*words)
            self.assertEqual(result.status, 2, result)

    def test_a_wait_of_the_profile_is_for_what_is_expected(self):
        path = self.folder / "boot.bin"
        path.write_bytes(b"boot")
        self.file.write_text("[profile.a]\ntarget = 'loopback:board'\nprotocol = 'ymodem'\ntimeout = 0.1\n")
        result = self.serialterm("send", "a", "--file", str(path))
        self.assertEqual((result.status, b"no receiver" in result.stderr), (8, True), result)
        result = self.serialterm("receive", "a", "--into", str(self.folder))
        self.assertEqual(result.status, 8, result)
        result = self.serialterm("send", "a", "version", "--expect", "never-said")
        self.assertEqual(result.status, 10, result)

    def test_the_former_name_of_a_key_is_answered_with_the_present_one(self):
        self.file.write_text("[profile.a]\ntarget = 'loopback:'\nstart-timeout = 9\n")
        result = self.serialterm("send", "a", "x")
        self.assertEqual(
            (result.status, result.stderr),
            (2, f"serialterm: {self.file}:3: 'start-timeout' is now 'timeout'\n".encode()))

    def test_flags_can_be_switched_off(self):
        self.file.write_text("[default]\nread-only = true\n")
        self.assertEqual(self.serialterm("loopback:", stdin=b"x").status, 1)
        result = self.serialterm("loopback:", "--no-read-only", stdin=b"x")
        self.assertEqual((result.status, result.stdout), (0, b"x"), result)
        self.assertEqual(self.serialterm("list", "--no-read-only").status, 2)

    def test_what_the_defaults_say_can_be_cancelled(self):
        log = self.folder / "log"
        self.file.write_text(f"[default]\nlog = '{log}'\nbaud = 300\n[profile.a]\nlog = false\n")
        self.assertEqual(self.settings("loopback:", "--profile", "a"), "300 8N1")
        self.assertEqual(self.settings("loopback:", "--no-log", "--no-baud"), "115200 8N1")
        self.assertFalse(log.exists())
        self.assertEqual(self.settings("loopback:"), "300 8N1")
        self.assertTrue(log.exists())

    def test_logs_are_several_and_the_command_line_replaces_them(self):
        one, two, other = (self.folder / name for name in ("one", "two", "other"))
        self.file.write_text(f"[default]\nlog = ['{one}', '{two}']\n")
        self.assertEqual(self.serialterm("loopback:", "-L", str(other), stdin=b"x").status, 0)
        self.assertEqual([path.exists() for path in (one, two, other)], [False, False, True])
        self.assertEqual(self.serialterm("loopback:", stdin=b"x").status, 0)
        self.assertEqual((one.read_bytes(), two.read_bytes()), (b"x", b"x"))
        self.serialterm("profile", "save", "a", "-L", "b", "--log=c", "--log", "d")
        self.assertIn(
            b'log = ["b", "c", "d"]\n', self.serialterm("profile", "show", "a").stdout)

    def test_keys_of_other_commands_say_nothing(self):
        self.file.write_text("[default]\ntimeout = 0.2\nlocal-echo = true\nline-ending = 'cr'\n")
        self.assertEqual(self.settings("loopback:"), "115200 8N1")
        result = self.serialterm("send", "loopback:", "x", "--expect", "y")
        self.assertEqual(result.status, 10)
        self.assertEqual(result.stdout, b"x\r")

    def test_the_line_ending_of_a_profile_is_for_send_and_for_enter(self):
        self.file.write_text("[profile.a]\ntarget = 'loopback:'\nline-ending = 'crlf'\n")
        result = self.serialterm("send", "a", "x", "--expect", r"x\r\n")
        self.assertEqual((result.status, result.stdout), (0, b"x\r\n"))
        piped = self.serialterm("a", stdin=b"x\r")
        self.assertEqual((piped.status, piped.stdout), (0, b"x\r"))
        self.file.write_text("[profile.a]\ntarget = 'loopback:'\nline-ending = 'none'\n")
        self.assertEqual(self.serialterm("send", "a", "x", "--expect", "x").status, 0)
        refused = self.serialterm("a", stdin=b"x")
        self.assertEqual(refused.status, 2)
        self.assertIn(b"line-ending", refused.stderr)

    def test_the_file_is_looked_for_at_home_too(self):
        home = self.folder / "home" / ".config" / "serialterm"
        home.mkdir(parents=True)
        (home / "config.toml").write_text("[profile.a]\ntarget = 'loopback:'\n")
        result = serialterm(
            "profile", "list", "--names",
            variables={"XDG_CONFIG_HOME": None, "HOME": str(self.folder / "home")})
        self.assertEqual(result.stdout, b"a\n")


class MistakeTests(ProfileCase):
    def assert_refused(self, text, line, what=b""):
        self.file.write_bytes(text if isinstance(text, bytes) else text.encode())
        result = self.serialterm("connect", "loopback:")
        self.assertEqual(result.status, 2, (text[:60], result))
        place = f"serialterm: {self.file}:{line}: ".encode()
        self.assertTrue(result.stderr.startswith(place), result.stderr)
        self.assertIn(what, result.stderr)
        return result

    def test_mistakes_are_named_with_their_line(self):
        durations = []
        for text, line, what in [
                ("[default]\nbuad = 1\n", 2, b"'buad'"), ("[default]\nbaud = '1'\n", 2, b"string"),
                ("[default]\n\nbaud = 0\n", 3, b"'0'"), ("[default]\nlocal-echo = 1\n", 2, b"true"),
                ("[default]\nparity = 'odd'\nflow = 'x'\nbaud = 1\n", 3, b"'x'"),
                ("[default]\nbaud = -1\n", 2, b""), ("[default]\nbaud = 100000000000\n", 2, b""),
                ("[default]\nwait-for = '('\n", 2, b""), ("[profile.x]\nmatch = 'y'\n", 2, b"usb:"),
                ("[default]\nlog-keep = 2\n", 2, b"log-rotate"), ("[defaults]\n", 1, b"defaults"),
                ("include = 'config.toml'\n", 1, b""), ("[default]\nmatch = 'usb:1:2'\n", 2, b""),
                ("[default]\ntarget = 'usb:zz'\n", 2, b""), ("[default", 1, b""),
                ("[profile.a]\ntarget = 7\n", 2, b""),
                ("profile.a.baud = 300\nprofile.a.buad = 1\n", 2, b"'buad'"),
                ("profile.a = {\"buad\" = 1}\n", 1, b"'buad'"),
                ("[profile.a]\nbaud = 1979-05-27\n", 2, b"'baud' is a date: expected a whole"),
                ("[profile.a]\nbaud = {x = 1}\n", 2, b"'baud' is a table: expected a whole"),
                ("[profile.a]\nmatch = 07:32:00\n", 2, b"'match' is a time: expected a string"),
                ("[profile.a]\ntarget = 1979-05-27T07:32:00Z\n", 2, b"is a date and time"),
                ("[default]\nlinger = nan\n", 2, b"--linger 'nan': expected seconds"),
                ("[profile.a]\n[profile.a.x]\ny = 1\n", 2, b"unknown key 'x'"),
                ("[[default]]\n", 1, b"'default' is an array"),
                ("[profile.a]\nbaud = '''\n300\n'''\nx = 1", 2, b"'baud' is a string")]:
            durations.append(self.assert_refused(text, line, what).duration * 1000)
        record(40, "malformed configuration to exit 2", durations, "ms", at_most=100)

    def test_binary_and_large_files(self):
        for text, line in [(b"\x7fELF\x02\x01\x01\0" * 1000, 1), (os.urandom(16) + b"\0", 1),
                           (b"[default]\n\xff\n", 2), (b"x" * 100_000, 1),
                           (b"[" * 100_000, 1), (b"#" * 2_000_000, 1)]:
            if b"\n" in text[:17] and line == 1:
                continue  # Random bytes may begin with a line's end.
            with processor.measured() as used:
                self.assert_refused(text, line)
            self.assertLess(used.seconds, 2)

    def test_a_large_file_that_is_right_is_read(self):
        text = "[default]\n" + "# comment comment comment comment\n" * 3_500 + "baud = 300\n"
        self.assertGreater(len(text), 100_000)
        self.file.write_text(text)
        self.assertEqual(self.settings("loopback:"), "300 8N1")

    def test_nothing_is_executed(self):
        witness = self.folder / "witness"
        self.file.write_text(
            f"[profile.a]\ntarget = 'loopback:'\nlog = '$(touch {witness})'\n"
            f"on-open = '`touch {witness}`'\n")
        self.assertEqual(self.serialterm("a").status, 2)
        self.assertFalse(witness.exists())
        # In settings that are accepted too: the log is created, with these words as its name.
        name = f"witness-{os.getpid()}"
        log = self.folder / f"$(touch {name})`touch {name}`;touch {name}"
        self.file.write_text(
            f"[profile.a]\ntarget = 'loopback:'\nlog = '{log}'\nwait-for = '$(touch {name})'\n")
        result = self.serialterm("a", "--linger", "0")
        self.assertEqual(result.status, 0, result)
        self.assertTrue(log.exists())
        for folder in (Path(), self.folder, Path.home()):
            self.assertFalse((folder / name).exists())
        record(40, "commands executed by a configuration", int(witness.exists()), "")

    def test_files_that_cannot_be_read(self):
        for path in ("/nonexistent", str(self.folder), "/dev/zero"):
            result = self.serialterm("connect", "loopback:", "--config", path)
            self.assertEqual(result.status, 2, result)
            self.assertIn(f"serialterm: {path}:1: ".encode(), result.stderr)
        fifo = self.folder / "fifo"
        os.mkfifo(fifo)
        self.assertEqual(self.serialterm("connect", "loopback:", "--config", str(fifo)).status, 2)

    def test_no_file_is_no_mistake(self):
        self.assertEqual(self.settings("loopback:", "--config", "/dev/null"), "115200 8N1")
        self.assertEqual(self.settings("loopback:"), "115200 8N1")

    def test_a_profile_that_is_not_there(self):
        self.assertEqual(self.serialterm("connect", "loopback:", "--profile", "x").status, 2)


class CommandTests(ProfileCase):
    def test_what_is_saved_is_what_was_typed(self):
        self.file.parent.rmdir()
        saved = self.serialterm(
            "profile", "save", "echo", "loopback:", "--baud", "300", "-e", "--no-reconnect",
            "--wait-for", r"\$ $", "--linger=0.5", "-t")
        self.assertEqual(saved.status, 0, saved)
        self.assertEqual(
            saved.stderr,
            f"serialterm: the profile echo is in {self.file}; 'serialterm echo' uses it.\n".encode())
        self.assertEqual(stat.S_IMODE(self.file.stat().st_mode), 0o600)
        shown = self.serialterm("profile", "show", "echo").stdout
        self.assertEqual(
            shown,
            b"[profile.echo]\ntarget = \"loopback:\"\nbaud = 300\nlocal-echo = true\n"
            b"reconnect = false\nwait-for = '\\$ $'\nlinger = 0.5\ntimestamps = \"time\"\n")
        self.assertEqual(self.settings("echo"), "300 8N1")

    def test_all_that_connect_takes_can_be_saved(self):
        self.file.write_text("[default]\nlocal-echo = true\n")
        saved = self.serialterm("profile", "save", "a", "--no-local-echo", "-xb300", "-nt")
        self.assertEqual(saved.status, 0, saved)
        self.assertEqual(
            self.serialterm("profile", "show", "a").stdout,
            b"[profile.a]\nhex = true\nbaud = 300\nreconnect = false\n"
            b"timestamps = \"time\"\nlocal-echo = false\n")

    def test_saving_leaves_what_is_there(self):
        self.file.write_text("# mine\n[profile.a]\nbaud = 300")
        self.assertEqual(self.serialterm("profile", "save", "b", "loopback:").status, 0)
        self.assertTrue(self.file.read_text().startswith("# mine\n[profile.a]\nbaud = 300\n\n"))
        again = self.serialterm("profile", "save", "a", "loopback:")
        self.assertEqual(again.status, 2)
        self.assertIn(b":2: ", again.stderr)
        names = self.serialterm("profile", "list", "--names").stdout
        self.assertEqual(names, b"a\nb\n")

    def test_a_profile_is_not_added_to_an_inline_table(self):
        text = "profile = {a = {target = 'loopback:'}}"
        self.file.write_text(text)
        saved = self.serialterm("profile", "save", "b", "loopback:")
        self.assertEqual(saved.status, 2)
        self.assertEqual(
            saved.stderr,
            f"serialterm: {self.file}: the profile cannot be added: 'profile' is an inline table "
            "(line 1), to which a table cannot be added.\n".encode())
        self.assertEqual(self.file.read_text(), text)
        # Headings can add to the tables of dotted keys.
        self.file.write_text("profile.a.target = 'loopback:'\nprofile.a.baud = 300")
        self.assertEqual(self.serialterm("profile", "save", "b", "loopback:").status, 0)
        self.assertEqual(self.serialterm("profile", "list", "--names").stdout, b"a\nb\n")

    def test_an_empty_list_says_how_to_make_a_profile(self):
        listed = self.serialterm("profile", "list")
        self.assertEqual((listed.status, listed.stdout), (0, b""))
        self.assertIn(b"'serialterm profile save NAME TARGET' makes one.", listed.stderr)

    def test_a_profile_with_the_name_of_a_command_is_refused_or_named(self):
        for name in ("list", "help", "profile"):
            saved = self.serialterm("profile", "save", name, "loopback:")
            self.assertEqual(saved.status, 2)
            self.assertIn(f"'{name}' cannot be a profile's name: it is a command".encode(), saved.stderr)
        swapped = self.serialterm("profile", "save", "loopback:board", "board")
        self.assertIn(b"The name comes first: 'serialterm profile save board loopback:board'.", swapped.stderr)
        self.assertFalse(self.file.exists())
        command = self.serialterm("profile", "save", "list", "ttyUSB0")
        self.assertTrue(command.stderr.endswith(b"it is a command.\n"), command)
        self.file.write_text("[profile.list]\ntarget = 'loopback:'\n")
        self.assertIn(
            b"'list' is a command, and a profile. 'serialterm --profile list' is the profile.",
            self.serialterm("list").stderr)
        for option in ("--names", "--json"):
            self.assertNotIn(b"is a command", self.serialterm("list", option).stderr)

    def test_what_is_wrong_is_not_saved(self):
        for words in (["a/b", "loopback:"], ["a", "--baud", "0"], ["a", "--nonsense"],
                      ["latest", "loopback:"], ["a", "usb:zz"], ["a", "--json", "loopback:"]):
            self.assertEqual(self.serialterm("profile", "save", *words).status, 2, words)
        self.assertFalse(self.file.exists())

    def test_a_setting_of_tio_without_a_counterpart_is_reported(self):
        """What becomes of each setting is the matter of TioImportTests."""
        source = self.folder / "tio"
        source.write_text("baudrate = 300\n[a]\nalert = bell\nbaudrate = 0\n")
        result = self.serialterm("profile", "import-tio", str(source))
        self.assertEqual(result.status, 0, result)
        self.assertIn(b": 2 settings not imported; the comments say why.", result.stderr)
        self.assertIn(b"# not imported: alert = bell (", result.stdout)
        self.file.write_bytes(result.stdout)
        self.assertEqual(self.settings("loopback:", "--profile", "a"), "300 8N1")
        self.assertNotIn(b"nothing is saved", result.stderr)
        # On a terminal it looks as if it had been saved.
        with Terminal(serialterm_binary(), "profile", "import-tio", str(source)) as terminal:
            terminal.expect(b"nothing is saved")
            self.assertEqual(terminal.wait(), 0)

    def test_the_configuration_that_tio_reads_is_found(self):
        home = self.folder / "home"
        (home / ".config/tio").mkdir(parents=True)
        where = {"HOME": str(home), "XDG_CONFIG_HOME": None}

        def imported():
            return serialterm("profile", "import-tio", variables=where)

        self.assertEqual(imported().status, 2)
        self.assertIn(b"tio has no configuration in its usual places", imported().stderr)
        for place, baud in ((".tiorc", 300), (".config/tio/tiorc", 600), (".tioconfig", 1200),
                            (".config/tio/config", 2400)):
            (home / place).write_text(f"[a]\nbaudrate = {baud}\n")
            self.assertIn(b"baud = %d" % baud, imported().stdout)

    def test_a_file_of_another_program_is_refused(self):
        files = {
            "tio": "[a]\nbaudrate = 300\n", "minicom": "pu port /dev/ttyUSB0\n",
            "ser2net": "2000:raw:600:/dev/ttyS0:9600\n"}
        for owner, text in files.items():
            source = self.folder / f"of {owner}"
            source.write_text(text)
            for program in files:
                result = self.serialterm("profile", f"import-{program}", str(source))
                if program == owner:
                    self.assertEqual(result.status, 0, result)
                    self.assertIn(b"[", result.stdout)
                else:
                    self.assertEqual((result.status, result.stdout), (2, b""))
                    self.assertIn(
                        f"of {owner}: it is a configuration of {owner}, not of {program}: use 'serialterm profile "
                        f"import-{owner}".encode(), result.stderr)
        for program in files:
            result = self.serialterm("profile", f"import-{program}", "/etc/passwd")
            self.assertEqual((result.status, result.stdout), (2, b""))
            self.assertIn(b"/etc/passwd: it has no setting of", result.stderr)

    def test_a_byte_order_mark_is_no_part_of_a_file_to_import(self):
        for program, text, expected in (
                ("tio", "[default]\nbaudrate = 300\n", "[default]\nbaud = 300\n"),
                ("minicom", "pu baudrate 300\n", "[profile.minicom]\nbaud = 300\n"),
                ("ser2net", "2000:raw:0:/dev/ttyS1:300\n", "[profile.port-2000]\n")):
            source = self.folder / "source"
            source.write_text("\ufeff" + text)
            result = self.serialterm("profile", f"import-{program}", str(source))
            self.assertEqual((result.status, result.stderr), (0, b""), result)
            self.assertTrue(result.stdout.startswith(expected.encode()), result)

    def test_minicom_s_files_are_found_and_the_user_s_own_counts(self):
        home = self.folder / "home"
        home.mkdir()
        where = {"HOME": str(home), "XDG_CONFIG_HOME": None}
        missing = serialterm("profile", "import-minicom", variables=where)
        if not Path("/etc/minicom/minirc.dfl").exists():
            self.assertEqual(missing.status, 2)
            self.assertIn(b"minicom has no configuration in its usual places", missing.stderr)
        (home / ".minirc.dfl").write_text("pu baudrate 300\npu rtscts No\n")
        self.assertEqual(
            serialterm("profile", "import-minicom", variables=where).stdout,
            b"[profile.minicom]\nbaud = 300\nflow = \"none\"\n")

    @unittest.skipUnless(shutil.which("minicom"), "minicom is not installed")
    def test_the_line_is_set_as_minicom_sets_it(self):
        """Minicom itself opens a pseudo-terminal with each file; its settings are those of the imported profile."""
        for text in ("", "pu rtscts No\n", "pu rtscts Yes\n", "pu rtscts yes\n", "pu rtscts Y\n",
                     "pu rtscts No\npu xonxoff Yes\n", "pu rtscts No\npu xonxoff Y\n",
                     "pu baudrate 9600\npu rtscts No\npu stopbits 2\n"):
            with self.subTest(text), Device() as device:
                home = Path(self.enterContext(tempfile.TemporaryDirectory()))
                source = home / ".minirc.dfl"
                source.write_text(f"pu port {device.node}\n{text}")
                with Terminal("minicom", "-o", variables={"HOME": str(home), "LANG": "C"}) as terminal:
                    terminal.expect(b"Press CTRL-A")
                    expected = self.line(device)
                self.file.write_bytes(self.serialterm("profile", "import-minicom", str(source)).stdout)
                with Terminal(
                        serialterm_binary(), "minicom", variables={"XDG_CONFIG_HOME": str(self.folder)}) as terminal:
                    terminal.expect(b"ctrl-t q")
                    self.assertEqual(self.line(device), expected)

    @staticmethod
    def line(device):
        """Flow control, stop bits and the speed of a pseudo-terminal, which has 8 data bits and no parity."""
        import termios

        flags = termios.tcgetattr(device.descriptor)
        return (flags[0] & (termios.IXON | termios.IXOFF), flags[2] & (termios.CRTSCTS | termios.CSTOPB), flags[5])

    def test_a_file_that_is_too_large_to_import_is_refused_and_not_cut(self):
        source = self.folder / "source"
        for command, line in (("import-tio", "# text\n"), ("import-minicom", "# text\n"), ("import-ser2net", "# text\n")):
            source.write_text(line * ((1 << 20) // len(line) + 1))
            result = self.serialterm("profile", command, str(source))
            self.assertEqual((result.status, result.stdout), (2, b""), command)
            self.assertIn(b"source is larger than 1 MiB", result.stderr)
            self.assertIn(b"convert the parts", result.stderr)
            piped = self.serialterm("profile", command, "-", stdin=source.read_bytes())
            self.assertEqual((piped.status, piped.stdout), (2, b""), command)

    def test_the_largest_file_of_tio_is_imported_in_time(self):
        """Twice the size takes twice the time: none of these reaches the deadline of the harness."""
        keys = "".join(f"k{i}=1\n" for i in range(50_000))
        source = self.folder / "source"
        for what, text, dropped in (
                ("keys", "mute=1\n" + "".join(f"k{i}=1\n" for i in range(99_000)), 99_000),
                ("defaults and sections", "mute=1\n" + keys + "".join(f"[s{i}]\n" for i in range(50_000)), 50_000),
                ("maps", "map=" + "INLCR," * 170_000, 0)):
            with self.subTest(what):
                source.write_text(text)
                result = self.serialterm("profile", "import-tio", str(source))
                self.assertEqual(result.status, 0)
                self.assertIn(f"{dropped} settings not imported" if dropped else "", result.stderr.decode())

    def test_the_largest_configuration_is_read_in_time(self):
        def snippets(name, count):
            return "".join(f'{name}{i}="1"\n' for i in range(count))

        for what, text in (
                ("many profiles", "[default.snippets]\n" + snippets("d", 30_000)
                 + "".join(f'[profile.p{i}.snippets]\na="1"\n' for i in range(15_000))),
                ("many names", "[default.snippets]\n" + snippets("d", 40_000)
                 + "[profile.p0.snippets]\n" + snippets("p", 40_000))):
            with self.subTest(what):
                self.file.write_text(text)
                result = self.serialterm("profile", "list", "--names")
                self.assertEqual(result.status, 0, result.stderr[-200:])
                self.assertTrue(result.stdout.startswith(b"p0\n"))

    def test_a_time_in_a_profile_may_have_a_unit(self):
        self.file.write_text('[default]\nlinger = "300ms"\nbyte-delay = "1ms"\n[profile.a]\nlinger = 0.2\n')
        self.assertEqual(self.settings("loopback:"), self.settings("loopback:", "--profile", "a"))
        self.assertEqual(self.serialterm("profile", "save", "b", "loopback:", "--linger", "2min").status, 0)
        self.assertIn(b'linger = "2min"', self.serialterm("profile", "show", "b").stdout)
        self.file.write_text('[default]\nlinger = "soon"\n')
        result = self.serialterm("connect", "loopback:")
        self.assertEqual(result.status, 2)
        self.assertIn(b"or a time such as 500ms", result.stderr)

    def test_the_import_that_the_documentation_shows(self):
        source = self.folder / "tio"
        source.write_text(
            "[rpi3]\ndevice = /dev/serial/by-id/usb-FTDI_TTL232R-3V3_FTGQVXBL-if00-port0\n"
            "baudrate = 115200\ninput-mode = line\noutput-mode = hex\nlog = true\n"
            "log-directory = /var/log/tio\nlog-append = true\nalert = bell\n")
        page = (REPOSITORY / "docs/configuration.md").read_text()
        shown = page.partition("$ serialterm profile import-tio")[2].partition("\n")[2]
        self.assertEqual(
            self.serialterm("profile", "import-tio", str(source)).stdout.decode(),
            shown.partition("```")[0])

    def test_an_import_can_be_appended_to_a_configuration(self):
        self.file.write_text("[default]\nbaud = 300\n")
        source = self.folder / "tio"
        source.write_text("[a]\nbaudrate = 600\n")
        result = self.serialterm("profile", "import-tio", str(source))
        self.assertEqual((result.status, result.stderr), (0, b""), result)
        self.file.write_bytes(self.file.read_bytes() + result.stdout)
        self.assertEqual(self.settings("loopback:", "--profile", "a"), "600 8N1")

    def test_a_tio_configuration_is_brought_along(self):
        source = self.folder / "tio"
        source.write_text(
            "baudrate = 300\n[ftdi]\ndevice = /dev/ttyUSB7\nlocal-echo = enable\ncolor = 10\n"
            "timestamp = enable\ntimestamp-format = iso8601\n[my board]\nparity = even\n"
            "no-autoconnect = true\nmap = INLCRNL\n")
        result = self.serialterm("profile", "import-tio", str(source))
        self.assertEqual(result.status, 0, result)
        self.assertIn(b"# not imported: color = 10 (", result.stdout)
        self.file.write_bytes(result.stdout)
        names = self.serialterm("profile", "list", "--names").stdout
        self.assertEqual(names, b"ftdi\nmy-board\n")
        self.assertEqual(self.settings("loopback:"), "300 8N1")
        self.assertEqual(
            self.settings("loopback:", "--profile", "my-board", "--parity", "none"), "300 8N1")
