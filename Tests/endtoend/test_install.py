"""What `scripts/install` puts in place: the program, its manual, its completions."""

import os
import re
import subprocess
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import Terminal, environment
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.harness.shells import BASH_WITH_PACKAGE, FISH, ZSH

BINARY = REPOSITORY / ".build/release/serialterm"


class OptionsTests(unittest.TestCase):
    """What needs no built program."""

    def install(self, *options, **variables):
        return subprocess.run(
            [REPOSITORY / "scripts/install", *options], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
            text=True, env=environment(**variables))

    def test_help_is_an_answer(self):
        for option in ("--help", "-h"):
            asked = self.install(option)
            self.assertEqual((asked.returncode, asked.stderr), (0, ""))
            for named in ("--prefix", "--rules", "--no-rules", "--web", "--labgrid", "--wireshark", "--uninstall", "DESTDIR"):
                self.assertIn(named, asked.stdout)
            self.assertNotIn("set -euo", asked.stdout)

    def test_a_wrong_option_is_named(self):
        for options, what in ((("--perfix", "/x"), "unknown option '--perfix'"), (("/x",), "argument '/x'"),
                              (("--prefix", "x"), "absolute path, not 'x'"), (("--prefix",), "not ''"), (("--wireshark=x",), "absolute path, not 'x'")):
            refused = self.install(*options)
            self.assertEqual((refused.returncode, refused.stdout), (2, ""))
            self.assertIn(what, refused.stderr)

    def test_the_link_of_wireshark_is_uninstalled_with_its_program_and_no_other(self):
        with tempfile.TemporaryDirectory() as root:
            root = Path(root)
            program, extcap = root / "opt/bin/serialterm", root / "opt/extcap"
            program.parent.mkdir(parents=True)
            extcap.mkdir()
            program.write_text("x\n")
            link = extcap / "serialterm-extcap"
            for target, remains in ((program, False), (root / "opt/bin/other", True)):
                program.write_text("x\n")
                link.symlink_to(target)
                removed = self.install(
                    "--uninstall", "--prefix=/opt", "--wireshark=/opt/extcap", DESTDIR=str(root))
                self.assertEqual((removed.returncode, removed.stderr), (0, ""))
                self.assertEqual((program.exists(), link.is_symlink()), (False, remains))

    def test_what_was_installed_is_uninstalled_and_nothing_else(self):
        with tempfile.TemporaryDirectory() as prefix:
            names = ["bin/serialterm", "bin/serialterm-web", "bin/other", "bin/microcom",
                     "share/man/man1/serialterm-run.1", "share/man/man1/serialtermite.1", "lib/systemd/system/serialterm-log@.service"]
            files = {name: Path(f"{prefix}{prefix}/{name}") for name in names}
            for file in files.values():
                file.parent.mkdir(parents=True, exist_ok=True)
                file.write_text("x\n")
            removed = self.install("--uninstall", f"--prefix={prefix}", DESTDIR=prefix)
            self.assertEqual((removed.returncode, removed.stderr), (0, ""))
            left = {name for name, file in files.items() if file.exists()}
            self.assertEqual(left, {"bin/other", "bin/microcom", "share/man/man1/serialtermite.1"})
            self.assertEqual(set(removed.stdout.split()), {str(files[name]) for name in names} - {
                str(files[name]) for name in left})
            again = self.install("--uninstall", f"--prefix={prefix}", DESTDIR=prefix)
            self.assertEqual((again.returncode, again.stdout), (0, ""))
            self.assertIn("nothing is installed below", again.stderr)


@unittest.skipUnless(BINARY.exists(), "scripts/build has not been run")
class InstallTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.prefix = Path(folder.name).resolve()
        home = tempfile.TemporaryDirectory()
        cls.addClassCleanup(home.cleanup)
        cls.home = home.name
        cls.output = cls.install("--prefix", str(cls.prefix))

    @staticmethod
    def install(*options, **variables):
        return subprocess.run(
            [REPOSITORY / "scripts/install", *options], check=True, stdout=subprocess.PIPE,
            text=True, env=environment(**variables)).stdout

    def run_installed(self, *command, **options):
        """Runs a command that finds the installed program first."""
        path = f"{self.prefix}/bin:{os.environ['PATH']}"
        return subprocess.run(
            command, check=True, stdout=subprocess.PIPE, text=True,
            env=environment(PATH=path, **options)).stdout

    def test_program_runs_and_is_stripped(self):
        self.assertRegex(self.run_installed("serialterm", "--version"), r"^serialterm \d")
        self.assertLess((self.prefix / "bin/serialterm").stat().st_size, BINARY.stat().st_size)

    def test_page_about_performance_tells_its_size(self):
        """Nearly: it varies a little from toolchain to toolchain."""
        told = re.search(
            r"`serialterm --version` .* ([\d.]+) MB", (REPOSITORY / "docs/performance.md").read_text()).group(1)
        size = (self.prefix / "bin/serialterm").stat().st_size / 1e6
        self.assertAlmostEqual(float(told), size, delta=0.1 * size)

    def test_program_links_no_library_that_it_can_do_without(self):
        program = (self.prefix / "bin/serialterm").read_bytes()
        # The last two are Swift's regular expressions: `TextTools` finds and replaces without them.
        for name in (b"FoundationEssentials", b"_StringProcessing", b"_RegexParser"):
            self.assertNotIn(name, program)

    def test_what_is_printed_is_what_was_installed(self):
        there = {str(path) for path in self.prefix.rglob("*") if path.is_file()}
        self.assertEqual(set(self.output.split()), there)

    def test_nothing_is_put_outside_of_another_prefix(self):
        self.assertNotIn("rules.d", self.output)

    def test_rules_go_where_udev_looks(self):
        for options, folder in (
                (("--prefix", "/usr"), "usr/lib/udev/rules.d"),
                (("--prefix", "/opt/x", "--rules"), "etc/udev/rules.d")):
            with self.subTest(options), tempfile.TemporaryDirectory() as root:
                if options[0] == "--prefix" and len(options) == 2 and os.geteuid() != 0:
                    self.skipTest("only root installs them unasked")
                self.install(*options, DESTDIR=root)
                self.assertTrue((Path(root) / folder / "60-serialterm.rules").exists())

    def test_the_link_of_wireshark_is_installed_if_wanted(self):
        self.assertNotIn("/extcap/", self.output)
        with tempfile.TemporaryDirectory() as prefix:
            link = Path(prefix).resolve() / "extcap/serialterm-extcap"
            printed = self.install("--prefix", str(link.parents[1]), f"--wireshark={link.parent}")
            self.assertIn(str(link), printed.split())
            said = subprocess.run(
                [link, "--extcap-interfaces"], check=True, stdout=subprocess.PIPE, text=True,
                env=environment()).stdout
            self.assertIn("{value=serialterm}", said)

    def test_labgrids_console_is_installed_if_wanted_and_replaces_no_other_microcom(self):
        self.assertFalse((self.prefix / "bin/microcom").exists())
        with tempfile.TemporaryDirectory() as prefix:
            microcom = Path(prefix) / "bin/microcom"
            for _ in range(2):  # Its own is replaced.
                self.assertIn(str(microcom), self.install("--prefix", prefix, "--labgrid").split())
            printed = subprocess.run(
                [microcom, "--version"], check=True, stdout=subprocess.PIPE, text=True,
                env=environment(SERIALTERM=None)).stdout
            self.assertRegex(printed, r"^serialterm \d")
        with tempfile.TemporaryDirectory() as prefix:
            microcom = Path(prefix) / "bin/microcom"
            microcom.parent.mkdir()
            microcom.write_text("another\n")
            refused = subprocess.run(
                [REPOSITORY / "scripts/install", "--prefix", prefix, "--labgrid"],
                stderr=subprocess.PIPE, text=True)
            self.assertEqual(refused.returncode, 1)
            self.assertIn(f"{microcom} is another program", refused.stderr)
            self.assertEqual(microcom.read_text(), "another\n")
            self.assertEqual(list(Path(prefix).rglob("*.*")), [])

    def test_uninstalling_leaves_only_what_is_not_its_own(self):
        with tempfile.TemporaryDirectory() as prefix:
            self.install("--prefix", prefix, "--labgrid", "--rules", DESTDIR=prefix)
            there = {path for path in Path(prefix).rglob("*") if path.is_file()}
            self.assertGreater(len(there), 20)
            other = Path(f"{prefix}{prefix}/bin/other")
            other.write_text("another program\n")
            removed = self.install("--uninstall", "--prefix", prefix, DESTDIR=prefix).split()
            self.assertEqual({Path(path) for path in removed}, there)
            self.assertEqual([path for path in Path(prefix).rglob("*") if path.is_file()], [other])

    def test_the_units_start_the_installed_program(self):
        units = [path.name for path in (REPOSITORY / "systemd").glob("*.service")]
        self.assertEqual(sorted(units), [
            "serialterm-log@.service", "serialterm-serve-profiles.service", "serialterm-serve@.service"])
        for unit in units:
            text = (self.prefix / "lib/systemd/system" / unit).read_text()
            self.assertIn(f"\nExecStart={self.prefix}/bin/serialterm ", text)

    def test_manual_is_installed(self):
        pages = {path.relative_to(self.prefix / "share/man").as_posix()
                 for path in (self.prefix / "share/man").rglob("*.*")}
        self.assertLessEqual(
            {"man1/serialterm.1", "man1/serialterm-connect.1", "man5/serialterm-configuration.5",
             "man7/serialterm-troubleshooting.7"}, pages)

    def assert_loads(self, *shell, setup):
        """Asserts that a shell finds the installed script itself, and completes with it."""
        variables = {
            "PATH": f"{self.prefix}/bin:{os.environ['PATH']}", "HOME": self.home,
            "XDG_DATA_DIRS": f"{self.prefix}/share", "XDG_DATA_HOME": None, "PS1": "> "}
        with Terminal(*shell, variables=variables) as terminal:
            # Typed apart and printed as one: the echo of the line is not the answer.
            terminal.send(f"{setup} echo rea''dy\r".encode())
            terminal.expect(b"ready\r\n")
            terminal.send(b"serialterm loopback --bo\t")
            terminal.expect(b"ard")

    @unittest.skipUnless(BASH_WITH_PACKAGE.is_installed, "needs bash-completion")
    def test_bash_with_its_package_loads_the_completions(self):
        self.assert_loads(*BASH_WITH_PACKAGE.command, setup="")

    @unittest.skipUnless(ZSH.is_installed, "needs zsh")
    def test_zsh_loads_the_completions(self):
        functions = self.prefix / "share/zsh/site-functions"
        self.assert_loads(
            *ZSH.command,
            setup=f"fpath=({functions} $fpath); autoload -U compinit; compinit -u -D;")

    @unittest.skipUnless(FISH.is_installed, "needs fish")
    def test_fish_loads_the_completions(self):
        self.assert_loads(
            "fish", "-i",
            setup=f"set -p fish_complete_path {self.prefix}/share/fish/vendor_completions.d;")
