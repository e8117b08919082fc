"""A template unit for systemd: its settings, its command line, and the messages of systemd about it."""

import re
import shlex
import shutil
import subprocess
import tempfile
import unittest
from pathlib import Path
from string import Template

from .program import REPOSITORY, serialterm_binary


class Unit:
    """A file in the folder systemd/."""

    def __init__(self, name):
        self.path = REPOSITORY / "systemd" / name
        lines = [
            line for line in self.path.read_text().splitlines() if re.match(r"\w+=", line)]
        self.settings = dict(line.split("=", 1) for line in lines)
        if len(self.settings) != len(lines):
            raise AssertionError(f"{name} sets something twice")

    @property
    def variables(self):
        """The environment variables that it sets."""
        return dict(word.split("=", 1) for word in self.settings["Environment"].split())

    def command(self, instance, **folders):
        """The words of its command line for an instance, with the program under test. `folders` are
        specifiers, such as L="/var/log". As systemd does it, %I would be unescaped."""
        specifiers = {"%%": "%", "%I": instance.replace("-", "/"), "%i": instance}
        specifiers.update({f"%{letter}": str(folder) for letter, folder in folders.items()})
        program, *words = shlex.split(self.settings["ExecStart"])
        if program != "/usr/bin/serialterm":
            raise AssertionError(f"it starts {program}")
        return [serialterm_binary()] + [
            re.sub("%.", lambda match: specifiers[match.group()], Template(word).substitute(self.variables))
            for word in words]

    def faults(self, change=lambda text: text):
        """The messages of `systemd-analyze verify` about it; empty if there are none."""
        if not shutil.which("systemd-analyze"):
            raise unittest.SkipTest("there is no systemd-analyze")
        with tempfile.TemporaryDirectory() as folder:
            unit = Path(folder) / self.path.name
            # systemd-analyze checks that the program exists.
            unit.write_text(
                change(self.path.read_text()).replace("/usr/bin/serialterm", serialterm_binary()))
            result = subprocess.run(
                ["systemd-analyze", "verify", "--man=no", str(unit)], capture_output=True,
                text=True, timeout=60)
        said = result.stdout + result.stderr
        if "SD_BUS" in said or "Failed to initialize manager" in said:
            raise unittest.SkipTest(f"systemd-analyze cannot work here: {said.strip()}")
        if result.returncode and not said:
            raise AssertionError(f"systemd-analyze ended with {result.returncode}")
        return said
