"""The Debian packages on a Debian that has nothing else: slow, needs root and Debian's mirrors.

$SERIALTERM_DEBIAN names another release than bookworm: trixie, testing. A root is made once and kept
in the cache; delete it there to have a new one made.
"""

import hashlib
import importlib.util
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import serialterm_binary, slow, soak, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import free_port

# For debootstrap.
NEEDS_MACHINE_NETWORK = True

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "serialterm-debian"
RELEASE = os.environ.get("SERIALTERM_DEBIAN", "bookworm")


def bare_debian(*packages):
    """The root of a Debian of the smallest kind, with further packages; made once, with debootstrap."""
    root = CACHE / "+".join((RELEASE, *packages))
    if not root.exists():
        unfinished = CACHE / f"{root.name}.unfinished"
        shutil.rmtree(unfinished, ignore_errors=True)
        CACHE.mkdir(parents=True, exist_ok=True)
        made = subprocess.run(
            ["debootstrap", "--variant=minbase", f"--include={','.join(packages)}", RELEASE, unfinished],
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True)
        if made.returncode:
            raise unittest.SkipTest(f"debootstrap: {made.stdout.strip().splitlines()[-1]}")
        unfinished.rename(root)
    return root


def missing():
    """What keeps the test from running here, if anything."""
    if os.geteuid() != 0:
        return "needs root, for a root of its own"
    for program in ("debootstrap", "dpkg-deb", "dpkg-shlibdeps", "unshare"):
        if not shutil.which(program):
            return f"needs {program}"
    return None


class DebianTestCase(unittest.TestCase):
    """A Debian with the packages that scripts/package makes with the class's `OPTIONS`: of the programs as they are, because
    the Swift tests may be built at the same time."""

    OPTIONS = ("--built",)
    PACKAGES = ()

    @classmethod
    def setUpClass(cls):
        source = bare_debian(*cls.PACKAGES)
        folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(folder.cleanup)
        cls.root = Path(folder.name) / "root"
        subprocess.run(["cp", "-a", "--reflink=auto", source, cls.root], check=True)
        made = subprocess.run(
            [REPOSITORY / "scripts/package", *cls.OPTIONS], check=True, stdout=subprocess.PIPE, text=True).stdout
        made = [REPOSITORY / line for line in made.split()]
        cls.deb, cls.python, cls.tarball = made[0], made[-2], made[-1]
        cls.web = made[1] if len(made) == 4 else None
        shutil.copy(cls.deb, cls.root / "tmp/serialterm.deb")
        cls.inside("dpkg", "-i", "/tmp/serialterm.deb")

    @classmethod
    def inside(cls, *command, stdin=b""):
        """Runs a command in that Debian, with /proc and pseudo-terminals, which go with it."""
        script = """cd "$0" && mount -t proc proc proc && mount --rbind /dev dev &&
            mount --rbind /sys sys && exec chroot . "$@" """
        ended = subprocess.run(
            ["unshare", "--mount", "--pid", "--fork", "sh", "-c", script, cls.root, *command],
            input=stdin, stdout=subprocess.PIPE, stderr=subprocess.PIPE, timeout=60,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"})
        if ended.returncode:
            raise AssertionError(f"{command}: {ended.returncode}: {ended.stdout} {ended.stderr}")
        return ended.stdout

    @staticmethod
    def field(package, name):
        return subprocess.run(
            ["dpkg-deb", "--field", package, name], check=True, stdout=subprocess.PIPE, text=True).stdout

    def check_with_lintian(self, *packages):
        checked = subprocess.run(
            ["lintian", "--fail-on", "error", "--allow-root", *packages], stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT, text=True)
        self.assertEqual(checked.returncode, 0, checked.stdout)


@unittest.skipIf(missing(), missing())
class SourceTests(unittest.TestCase):
    """The date and the maintainer are those of the last commit, or given: nothing else is put in their place."""

    def refused(self, **variables):
        """What scripts/package says. It ends before it builds."""
        kept = {name: value for name, value in os.environ.items() if name not in ("SOURCE_DATE_EPOCH", "DEBEMAIL")}
        made = subprocess.run(
            [REPOSITORY / "scripts/package"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            env={**kept, **variables})
        self.assertNotEqual(made.returncode, 0)
        self.assertEqual(made.stdout, "")
        return made.stderr

    def test_nothing_is_made_without_the_commit(self):
        said = self.refused(GIT_DIR="/nonexistent")
        self.assertIn("not a git repository", said)
        self.assertIn("SOURCE_DATE_EPOCH", said)

    def test_a_date_alone_names_no_maintainer(self):
        self.assertIn("DEBEMAIL", self.refused(GIT_DIR="/nonexistent", SOURCE_DATE_EPOCH="1700000000"))

    def test_a_date_is_a_number_of_seconds(self):
        self.assertIn("not today", self.refused(SOURCE_DATE_EPOCH="today"))


# Boots the system in the folder $0, with namespaces of its own. Its parent ends it.
BOOT = """mount --make-rprivate / && mount --bind "$0" "$0" && cd "$0" && mount -t proc proc proc && mount --rbind /sys sys &&
mount -t tmpfs tmpfs run && mount -t tmpfs tmpfs tmp && mount -t tmpfs tmpfs dev && mkdir dev/pts dev/shm || exit
mount -t devpts devpts dev/pts -o newinstance,ptmxmode=0666 && ln -s pts/ptmx dev/ptmx || exit
for name in null zero full random urandom; do touch dev/$name && mount --bind /dev/$name dev/$name || exit; done
if [ ! -e sys/fs/cgroup/cgroup.controllers ]; then
    mount -t tmpfs tmpfs sys/fs/cgroup && mkdir sys/fs/cgroup/systemd && mount -t cgroup -o none,name=systemd cgroup sys/fs/cgroup/systemd
fi
exec env -i container=test PATH=/usr/sbin:/usr/bin:/sbin:/bin chroot . /lib/systemd/systemd --log-level=err"""
NAMESPACES = ("--mount", "--pid", "--uts", "--ipc", "--cgroup", "--net")


@slow
@unittest.skipIf(missing(), missing())
class ServiceTests(DebianTestCase):
    """The units, and the scripts of the package, on a Debian that has booted with systemd."""

    PACKAGES = ("socat", "systemd-sysv")

    def setUp(self):
        booting = subprocess.Popen(
            ["unshare", *NAMESPACES, "--fork", "--kill-child", "sh", "-c", BOOT, self.root], stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        self.addCleanup(booting.wait)
        self.addCleanup(booting.kill)
        children = Path(f"/proc/{booting.pid}/task/{booting.pid}/children")
        self.first = wait_until(lambda: children.read_text().split(), "there is a process 1")[0]
        try:
            wait_until(lambda: re.match("running|degraded", self.call("systemctl is-system-running")), "it has booted")
        except AssertionError as error:
            raise unittest.SkipTest(f"systemd does not boot here: {error}")
        self.call("systemd-run --unit=wire socat pty,raw,echo=0,link=/dev/ttyT0 pty,raw,echo=0,link=/dev/ttyT1")
        wait_until(lambda: self.call("readlink /dev/ttyT1"), "there are ports")
        configuration = self.root / "etc/serialterm/config.toml"
        configuration.parent.mkdir(exist_ok=True)
        configuration.write_text('[profile.board-1]\ntarget = "/dev/ttyT0"\n')

    def call(self, script):
        """What a script says in the booted system."""
        return subprocess.run(
            ["nsenter", "--target", self.first, *NAMESPACES, f"--root=/proc/{self.first}/root", f"--wd=/proc/{self.first}/root",
             "sh", "-c", script], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=60, check=False,
            env={"PATH": "/usr/sbin:/usr/bin:/sbin:/bin", "LC_ALL": "C.UTF-8"}).stdout

    def expect(self, script, said):
        wait_until(lambda: said in self.call(script), f"'{script}' says {said}")

    def process(self, unit):
        return self.call(f"systemctl show --property MainPID --value {unit}").strip()

    def test_services_go_on_after_an_upgrade_and_end_before_the_removal(self):
        # /tmp of the booted system is another folder.
        shutil.copy(self.deb, self.root / "root/serialterm.deb")
        self.call("systemctl enable --now serialterm-log@board-1")
        log = "cat /var/log/serialterm/board-1.txt"
        self.expect(log, "opened /dev/ttyT0")
        self.call("echo before > /dev/ttyT1")
        self.expect(log, "] before")
        old = self.process("serialterm-log@board-1")
        self.assertIn("Setting up serialterm", self.call("dpkg -i /root/serialterm.deb"))
        self.assertNotIn(self.process("serialterm-log@board-1"), (old, "0"))
        wait_until(lambda: self.call(log).count("opened /dev/ttyT0") == 2, "the new one logs")
        self.call("echo after > /dev/ttyT1")
        self.expect(log, "] after")
        self.call("systemctl start serialterm-serve-profiles; dpkg --remove serialterm")
        self.assertEqual(self.process("serialterm-log@board-1"), "0")
        self.assertEqual(self.call("systemctl --failed --no-legend"), "")
        self.call("dpkg --purge serialterm")
        self.assertNotIn("serialterm", self.call("find /etc/systemd"))
        self.call("dpkg -i /root/serialterm.deb")

    def test_sockets_are_of_the_group_of_serial_ports(self):
        shutil.copy(self.deb, self.root / "root/serialterm.deb")
        for group in ("dialout", "uucp"):
            with self.subTest(group):
                self.call("systemctl start serialterm-serve@board-1")
                self.expect("stat -c %G:%a /run/serialterm/board-1.sock", f"{group}:660")
                self.call("systemctl stop serialterm-serve@board-1; dpkg --purge serialterm")
                self.call("groupmod --new-name other dialout; dpkg -i /root/serialterm.deb")
        self.call("dpkg --purge serialterm; groupmod --new-name dialout other; dpkg -i /root/serialterm.deb")


@slow
@unittest.skipIf(missing(), missing())
class PackageTests(DebianTestCase):
    def test_same_commit_gives_the_same_bytes(self):
        """Whatever the builder's time zone, language, permissions and temporary folder are."""
        first = self.digests()
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(
                ["sh", "-c", 'umask 077 && exec "$0" --built', REPOSITORY / "scripts/package"], check=True,
                stdout=subprocess.DEVNULL,
                env={**os.environ, "TZ": "Asia/Tokyo", "LC_ALL": "en_US.UTF-8", "TMPDIR": folder})
        self.assertEqual(first, self.digests())

    def digests(self):
        return {
            path.name: hashlib.sha256(path.read_bytes()).hexdigest() for path in (self.deb, self.python, self.tarball)}

    def test_package_names_somebody_who_answers_for_it(self):
        self.assertRegex(self.field(self.deb, "Maintainer"), r"^\S.* <[^@\s]+@[^@\s]+>$")

    def test_libyaml_is_in_the_program_and_in_its_copyright(self):
        self.assertNotIn("libyaml", self.field(self.deb, "Depends"))
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "-x", self.deb, folder], check=True)
            self.assertIn("libyaml", (Path(folder) / "usr/share/doc/serialterm/copyright").read_text())

    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_finds_no_errors(self):
        self.check_with_lintian(self.deb, self.python)

    def test_the_page_for_browsers_is_made_if_wanted(self):
        self.assertIsNone(self.web)
        self.assertIn("serialterm-web", self.field(self.deb, "Suggests"))

    def test_wireshark_finds_the_link(self):
        said = self.inside("sh", "-c", "exec /usr/lib/*/wireshark/extcap/serialterm-extcap --extcap-interfaces")
        self.assertIn(b"interface {value=serialterm}", said)

    def test_documentation_describes_it(self):
        """Exactly, but for sizes: these vary a little from toolchain to toolchain."""
        size = re.compile(r"([\d.]+) MB")
        page = (REPOSITORY / "docs/install.md").read_text()
        documented = page.partition("<!-- package: begin -->")[2].partition("<!-- package: end -->")[0]
        described = subprocess.run(
            [REPOSITORY / "scripts/describe-package"], check=True, stdout=subprocess.PIPE,
            text=True).stdout
        self.assertEqual(size.sub("MB", documented).split(), size.sub("MB", described).split())
        for told, real in zip(size.findall(documented), size.findall(described)):
            self.assertAlmostEqual(float(told), float(real), delta=0.1 * float(real) + 0.1)

    def test_links_between_the_pages_work(self):
        folder = self.root / "usr/share/doc/serialterm"
        pages = sorted(folder.rglob("*.md"))
        self.assertGreater(len(pages), 10)
        for page in pages:
            for path in re.findall(r"\]\(([^)#\s:]+)", page.read_text()):
                # The sources are not in the package, the licence has Debian's name, and other sites
                # are not looked at.
                parts = path.split("/")
                if not {"Sources", "Tests", "Examples", "LICENSE", "http", "https"}.intersection(parts):
                    with self.subTest(page=page.name, link=path):
                        self.assertTrue((page.parent / path).exists())

    def test_program_runs(self):
        self.assertRegex(self.inside("serialterm", "--version"), rb"^serialterm \d")

    def test_program_lists_devices(self):
        self.assertIsInstance(json.loads(self.inside("serialterm", "list", "--json")), list)

    def test_program_talks_to_the_simulated_board(self):
        said = self.inside(
            "serialterm", "connect", "loopback:board", "--linger", "1", stdin=b"echo hello\r")
        self.assertIn(b"hello", said.split(b"\n", 1)[1])

    @unittest.skipIf(importlib.util.find_spec("pytest") is None, "needs python3-pytest")
    def test_package_for_python_has_the_modules_and_the_plugin(self):
        self.assertRegex(self.field(self.python, "Depends"), r"^python3 \(>= 3\.9\), serialterm \(>= [^)]+\)$")
        with tempfile.TemporaryDirectory() as folder:
            subprocess.run(["dpkg-deb", "--extract", self.python, folder], check=True)
            modules = Path(folder) / "usr/lib/python3/dist-packages"
            test = Path(folder) / "test_it.py"
            test.write_text(
                "import importlib.metadata, serialterm, serialterm.aio, serialterm.robot\n"
                "def test_it(board):\n"
                "    board.write('version\\r')\n"
                "    assert board.expect('firmware')\n"
                "    print(serialterm.__file__, importlib.metadata.version('serialterm'))\n")
            # The plugin is found by its entry point, as in an installed package.
            tested = subprocess.run(
                [sys.executable, "-m", "pytest", "-s", "--serial-target", "loopback:board", test],
                cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
                env={**os.environ, "PYTHONPATH": str(modules),
                     "SERIALTERM": os.path.abspath(serialterm_binary())})
        self.assertEqual(tested.returncode, 0, tested.stdout)
        self.assertRegex(tested.stdout, rf"{re.escape(str(modules))}/serialterm/__init__.py \d")

    def test_package_is_whole_and_goes_without_a_trace(self):
        self.assertEqual(self.inside("dpkg", "--verify", "serialterm"), b"")
        self.inside("dpkg", "--purge", "serialterm")
        self.addCleanup(self.inside, "dpkg", "-i", "/tmp/serialterm.deb")
        left = [path for path in self.root.rglob("*serialterm*") if path.name != "serialterm.deb"]
        self.assertEqual(left, [])

    def test_tarball_runs_from_where_it_is_unpacked(self):
        shutil.copy(self.tarball, self.root / "tmp")
        self.inside("tar", "-C", "/opt", "-xzf", f"/tmp/{self.tarball.name}")
        name = self.tarball.name.removesuffix(".tar.gz")
        self.addCleanup(self.inside, "rm", "-r", f"/opt/{name}")
        self.assertRegex(self.inside(f"/opt/{name}/bin/serialterm", "--version"), rb"^serialterm")


@soak
@unittest.skipIf(missing(), missing())
class WebPackageTests(DebianTestCase):
    """The package of the page for browsers, which takes minutes to build."""

    OPTIONS = ("--web",)

    @classmethod
    def setUpClass(cls):
        super().setUpClass()
        shutil.copy(cls.web, cls.root / "tmp/serialterm-web.deb")
        cls.inside("dpkg", "-i", "/tmp/serialterm-web.deb")

    def assert_starts(self, program):
        """Asserts that a program finds the serialterm beside it, and prints its link."""
        self.assertRegex(self.inside(program, "--version"), rb"^serialterm-web \d")
        port = free_port()
        self.assertEqual(
            self.inside(program, str(port), "--open", "--until-eof"), b"http://127.0.0.1:%d/\n" % port)

    def test_program_runs(self):
        self.assert_starts("/usr/bin/serialterm-web")

    def test_session_has_a_page(self):
        script = """serialterm serve loopback:board --web "$0" 2>/tmp/said & pid=$!
            until grep -q 'a page for browsers is at' /tmp/said; do kill -0 $pid && sleep 0.05 || break; done
            kill $pid; cat /tmp/said"""
        port = str(free_port())
        self.assertIn(b"a page for browsers is at http://127.0.0.1:" + port.encode(), self.inside("sh", "-c", script, port))

    def test_archive_has_it_too(self):
        shutil.copy(self.tarball, self.root / "tmp")
        self.inside("tar", "-C", "/opt", "-xzf", f"/tmp/{self.tarball.name}")
        folder = f"/opt/{self.tarball.name.removesuffix('.tar.gz')}"
        self.addCleanup(self.inside, "rm", "-r", folder)
        self.assert_starts(f"{folder}/bin/serialterm-web")
        licence = self.root / folder[1:] / "share/doc/serialterm-web/Apache-2.0"
        self.assertIn("Apache License", licence.read_text())

    def test_package_has_no_path_of_its_builder(self):
        program = (self.root / "usr/bin/serialterm-web").read_bytes()
        self.assertNotIn(os.fsencode(REPOSITORY), program)

    def test_package_goes_with_serialterm_of_its_version(self):
        version = self.field(self.deb, "Version").strip()
        self.assertEqual(self.field(self.web, "Version").strip(), version)
        self.assertIn(f"serialterm (= {version}), libc6 ", self.field(self.web, "Depends"))

    def test_copyright_names_what_is_linked(self):
        text = (self.root / "usr/share/doc/serialterm-web/copyright").read_text()
        for package in (REPOSITORY / "Web/.build/checkouts").iterdir():
            self.assertIn(f"\n  {package.name}\n", text)
        self.assertIn("llhttp", text)

    def test_documentation_has_its_sizes(self):
        page = (REPOSITORY / "docs/install.md").read_text()
        told = re.search(rf"`{re.escape(self.web.name)}` \(([\d.]+) MB; ([\d.]+) MB installed\)", page)
        real = (self.web.stat().st_size / 1e6, int(self.field(self.web, "Installed-Size")) * 1_024 / 1e6)
        for said, size in zip(told.groups(), real):
            self.assertAlmostEqual(float(said), size, delta=0.1 * size)

    @unittest.skipUnless(shutil.which("lintian"), "needs lintian")
    def test_lintian_finds_no_errors(self):
        self.check_with_lintian(self.web)

    def test_package_is_whole_and_goes_without_a_trace(self):
        self.assertEqual(self.inside("dpkg", "--verify", "serialterm-web"), b"")
        self.inside("dpkg", "--purge", "serialterm-web")
        self.addCleanup(self.inside, "dpkg", "-i", "/tmp/serialterm-web.deb")
        left = [path for path in self.root.rglob("*serialterm-web*") if path.name != "serialterm-web.deb"]
        self.assertEqual(left, [])
