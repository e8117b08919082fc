"""U-Boot's own tests with `serialterm connect --console` as their console: test/py of its source, downloaded once into
the cache, against U-Boot in an emulated PC. Slow; needs Debian's mirror the first time."""

import collections
import hashlib
import importlib.util
import os
import tarfile
import tempfile
import unittest
import urllib.request
import xml.etree.ElementTree
import zlib
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, run, serialterm_binary, slow
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import PYTHON, ServeWithBacklog, first_number, free_port
from Tests.endtoend.transfers import contents, uboot
from Tests.endtoend.transfers.uboot import SwitchedUBoot

# For the source.
NEEDS_MACHINE_NETWORK = True

CACHE = Path(os.environ.get("XDG_CACHE_HOME", Path.home() / ".cache")) / "serialterm-u-boot"
VERSION = "2023.01"
SOURCE = f"u-boot_{VERSION}+dfsg.orig.tar.xz"
ADDRESS = f"http://deb.debian.org/debian/pool/main/u/u-boot/{SOURCE}"
SHA256 = "e75da6f089d063aaef39a1c17f1631791d87700662624e18de2121fa39a1ed44"

# The tests of which this board has the commands, and how many of each file pass. The others need U-Boot as a process
# of this machine, or hardware, or a right clock (test_sleep). test_env_text compiles, and asks no board.
PASS = {
    "test_000_version": 1, "test_dm": 5, "test_env": 12, "test_help": 1, "test_hush_if_test": 67, "test_md": 2,
    "test_net": 4, "test_part": 1, "test_qfw": 2, "test_shell_basics": 4, "test_unknown_cmd": 1}
ASKS_NO_BOARD = "not test_env_text"

# What U-Boot's build would tell its tests of the board.
SETTINGS = """
CONFIG_SYS_PROMPT="=> "
CONFIG_SYS_MAXARGS=16
""" + "".join(f"CONFIG_{name}=y\n" for name in (
    "SPL SPL_SERIAL HUSH_PARSER PARTITIONS EFI_PARTITION NET CMD_BDI CMD_CRC32 CMD_DHCP CMD_DM CMD_ECHO CMD_EXPORTENV "
    "CMD_IMPORTENV CMD_MEMORY CMD_MISC CMD_NET CMD_PART CMD_PING CMD_QFW").split())

IMAGE = contents.random_bytes(300_000)
NETWORK = f"""
env__net_uses_pci = True
env__net_dhcp_server = True
env__net_tftp_readable_file = {{
    "fn": "image", "addr": 0x1000000, "size": {len(IMAGE)}, "crc32": "{zlib.crc32(IMAGE):08x}"}}
"""


def missing():
    """Why U-Boot's tests cannot run; empty if they can."""
    for module, package in (("pytest", "python3-pytest"), ("filelock", "python3-filelock"),
                            ("pkg_resources", "python3-pkg-resources")):
        if importlib.util.find_spec(module) is None:
            return f"{package} is not installed"
    version = first_number("dpkg-query", "-W", "-f=${Version}", "u-boot-qemu")
    return uboot.missing() or ("" if version == VERSION else f"u-boot-qemu is {version}, not {VERSION}")


def source():
    """U-Boot's source, as Debian has it. Debian's packages do not have its tests."""
    path = CACHE / SOURCE
    if not path.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        try:
            with urllib.request.urlopen(ADDRESS, timeout=TIMEOUT) as answer:
                data = answer.read()
        except OSError as error:
            raise unittest.SkipTest(f"{ADDRESS}: {error}") from None
        unfinished = path.with_suffix(f".{os.getpid()}")
        unfinished.write_bytes(data)
        unfinished.rename(path)
    found = hashlib.sha256(path.read_bytes()).hexdigest()
    if found != SHA256:
        path.unlink()
        raise unittest.SkipTest(f"{SOURCE} has the SHA-256 {found}")
    return path


def unpack(folder):
    """Only the harness of U-Boot's tests, and the tests that this board can pass."""
    with tarfile.open(source()) as archive:
        for member in archive:
            path = Path(*Path(member.name).parts[1:])
            if path.parent in (Path("test/py"), Path("test/py/tests")) and member.isfile() and (
                    path.parent.name == "py" or path.stem in PASS):
                target = folder / path
                target.parent.mkdir(parents=True, exist_ok=True)
                target.write_bytes(archive.extractfile(member).read())


@slow
@unittest.skipIf(missing(), missing())
class UBootsOwnTests(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.source = Path(folder) / "source"
        unpack(cls.source)

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        served = self.folder / "tftp"
        served.mkdir()
        (served / "image").write_bytes(IMAGE)
        # A network without a way out.
        self.board = self.enterContext(SwitchedUBoot(
            self.folder, "-nic", f"user,model=e1000,restrict=on,tftp={served}"))

    def program(self, name, command):
        path = self.folder / "bin" / name
        path.parent.mkdir(exist_ok=True)
        path.write_text(f"#!/bin/sh\n{command}\n")
        path.chmod(0o755)

    def passed(self, target):
        """How many tests of each file pass, with the console at a target."""
        self.program("u-boot-test-flash", "exit 0")
        self.program("u-boot-test-console", f"exec '{serialterm_binary()}' connect {target} --console")
        self.program("u-boot-test-reset", f"exec {self.board.power} cycle")
        build = self.folder / "build"
        (build / "include").mkdir(parents=True)
        (build / ".config").write_text(SETTINGS)
        (build / "include/autoconf.mk").write_text("")
        (self.folder / "u_boot_boardenv_emulated.py").write_text(NETWORK)
        report = self.folder / "report.xml"
        ended = run(
            PYTHON, str(self.source / "test/py/test.py"), "--bd", "emulated", "--build-dir", str(build), "-k",
            ASKS_NO_BOARD, f"--junitxml={report}", "-q", "-p", "no:cacheprovider", timeout=3 * TIMEOUT,
            variables={"PATH": f"{self.folder}/bin:{os.environ['PATH']}", "PYTHONPATH": str(self.folder)})
        self.assertEqual(ended.status, 0, ended.stdout.decode(errors="replace")[-3000:])
        return collections.Counter(
            case.get("classname").rpartition(".")[2]
            for case in xml.etree.ElementTree.parse(report).iter("testcase") if not len(case.findall("skipped")))

    def test_they_pass_at_a_port(self):
        self.assertEqual(self.passed(self.board.node), PASS)

    def test_they_pass_over_the_network(self):
        port = free_port()
        self.enterContext(ServeWithBacklog.running(self.board.node, port, self.folder))
        self.assertEqual(self.passed(f"rfc2217://127.0.0.1:{port}"), PASS)


class PageTests(unittest.TestCase):
    def test_the_page_has_the_number_of_tests(self):
        page = (REPOSITORY / "docs/labs.md").read_text()
        self.assertIn(f"U-Boot {VERSION} | {sum(PASS.values())} tests of its own", page)


if __name__ == "__main__":
    unittest.main()
