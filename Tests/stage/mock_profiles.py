"""Profiles that match a device whose identity is not known at the start, because the session waits
for it, or the user chooses it. With devices mocked by umockdev; runs in umockdev-wrapper."""

import json
import os
import re
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import (
    Device, Pipes, Terminal, serialterm, serialterm_binary, wait_until)
from Tests.endtoend.harness.screen import Screen
from Tests.stage.mock_devices import Bed

STATE = re.compile(rb'\{"event":"state","state":"open"[^\n]*\n')


class ProfileTests(unittest.TestCase):
    def setUp(self):
        self.bed = Bed()
        # Otherwise umockdev would answer every ioctl(2) on files in /dev, instead of the kernel.
        (Path(os.environ["UMOCKDEV_DIR"]) / "ioctl/_default").unlink()
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.log = self.folder / "log"
        self.runtime = self.folder / "runtime"
        self.runtime.mkdir()
        (self.folder / "serialterm").mkdir()
        self.configure(
            "[default]\nbaud = 1200\nlocal-echo = true\n"
            "[profile.other]\nmatch = 'serial:CCC'\nbaud = 300\n"
            "[profile.board]\nmatch = ['serial:AAA', 'serial:BBB']\nbaud = 9600\n"
            f"log = '{self.log}'\n"
            "line-ending = 'cr'\nprompt = 'ready'\nprefix = 'ctrl-a'\n"
            "[profile.kind]\nmatch = 'usb:0403:6001'\nbaud = 2400\n")

    def configure(self, text):
        (self.folder / "serialterm/config.toml").write_text(text)

    @property
    def how(self):
        return {"variables": {
            "XDG_CONFIG_HOME": str(self.folder), "XDG_RUNTIME_DIR": str(self.runtime)}}

    def plug(self, number, serial):
        """Plugs in an adapter that can be opened; returns its tty and its device."""
        device = self.enterContext(Device())
        return self.bed.plug(number, serial, node=device.path), device

    def driven(self, *words):
        """A session that is controlled with JSON."""
        return self.enterContext(
            Pipes(serialterm_binary(), "connect", *words, "--json", **self.how))

    def settings(self, program):
        """The settings with which a session opens its port."""
        return json.loads(program.stdout.expect(STATE).group(0))["settings"]

    def awaiting(self, *words):
        """A session that waits for its device."""
        program = self.driven(*words)
        program.stdout.expect(b'"state":"waiting"')
        return program

    def settings_early_and_late(self, words, serial="AAA"):
        """The settings for a device that exists at the start, and for one that appears later."""
        tty, _ = self.plug(0, serial)
        early = self.driven(f"serial:{serial}", *words[1:])
        settings = [self.settings(early)]
        early.close_stdin()
        self.assertEqual(early.wait(), 0)
        self.log.unlink(missing_ok=True)
        self.bed.unplug(tty)
        late = self.awaiting(*words)
        tty, _ = self.plug(1, serial)
        settings.append(self.settings(late))
        late.close_stdin()
        self.assertEqual(late.wait(), 0)
        self.bed.unplug(tty)
        return settings

    def test_a_device_that_comes_later_has_the_profile_that_is_for_it(self):
        for words in (["new"], ["serial:AAA", "--wait"], ["usb:0403:6001", "--wait"],
                      ["latest", "--wait"]):
            with self.subTest(words):
                self.assertEqual(self.settings_early_and_late(words), ["9600 8N1"] * 2)
                self.assertTrue(self.log.exists(), "the profile's log")
                self.log.unlink()

    def test_the_command_line_counts_more_than_the_profile(self):
        self.assertEqual(
            self.settings_early_and_late(["new", "-b", "4800", "-d", "8"]), ["4800 8N1"] * 2)

    def test_the_first_profile_counts(self):
        self.assertEqual(self.settings_early_and_late(["new"], "CCC"), ["300 8N1"] * 2)
        self.assertEqual(self.settings_early_and_late(["new"], "DDD"), ["2400 8N1"] * 2)

    def test_one_that_no_profile_is_for_has_what_holds_for_all(self):
        self.configure("[default]\nbaud = 1200\n[profile.a]\nmatch = 'serial:ZZZ'\nbaud = 300\n")
        self.assertEqual(self.settings_early_and_late(["new"]), ["1200 8N1"] * 2)

    def test_the_profile_that_was_asked_for_stays(self):
        program = self.awaiting("new", "--profile", "other")
        self.plug(0, "AAA")
        self.assertEqual(self.settings(program), "300 8N1")

    def test_send_takes_its_own_options_from_it(self):
        program = self.enterContext(
            Pipes(serialterm_binary(), "send", "new", "hello", **self.how))
        self.wait_for_watcher(program)
        _, device = self.plug(0, "BBB")
        # Nothing is sent before the profile's prompt.
        wait_until(lambda: device.exclusive, "the port is open")
        device.write(b"ready")
        self.assertEqual(device.read_exactly(6), b"hello\r")
        self.assertEqual(program.wait(), 0)
        self.assertEqual(self.log.read_bytes(), b"ready")

    def wait_for_watcher(self, program):
        """Waits until a program without output watches for devices: it creates its socket after it
        has started to."""
        socket = self.runtime / "serialterm" / f"{program.pid}.sock"
        wait_until(socket.exists, "the program waits for a device")

    def test_what_cannot_be_is_said_when_the_device_comes(self):
        self.configure("[profile.a]\nmatch = 'serial:AAA'\nuucp-lock = true\n")
        program = self.awaiting("new", "--shared")
        self.plug(0, "AAA")
        program.stderr.expect(b"config.toml:3: ")
        self.assertEqual(program.wait(), 2)

    def test_the_chosen_one_has_its_profile(self):
        self.plug(0, "AAA"), self.plug(1, "DDD")
        terminal = self.enterContext(
            Terminal(serialterm_binary(), size=(24, 80), **self.how))
        screen = Screen(terminal, (24, 80))
        screen.wait_for_text("AAA")
        terminal.send(b"AAA\r")
        screen.wait_for_text("at 9600 8N1. ctrl-a q quits")
        terminal.send(b"\x01q")
        self.assertEqual(terminal.wait(), 0)
        self.assertTrue(self.log.exists())

    def test_a_user_hears_of_other_keys(self):
        terminal = self.enterContext(
            Terminal(serialterm_binary(), "new", size=(24, 80), **self.how))
        screen = Screen(terminal, (24, 80))
        screen.wait_for_text("waiting for the next device that is plugged in. ctrl-t q quits")
        self.plug(0, "AAA")
        screen.wait_for_text("at 9600 8N1. ctrl-a q quits")
        self.assertIsNone(screen.row_of("is back"))
        terminal.send(b"\x01c")
        screen.wait_for_text("9600 8N1")
        terminal.send(b"\x01q")
        self.assertEqual(terminal.wait(), 0)

    def test_without_a_user_candidates_are_listed(self):
        (_, first), (_, second) = self.plug(0, "AAA"), self.plug(1, "BBB")
        for words in (["send", "usb:0403:6001", "x"], ["connect", "usb:0403:6001"],
                      ["connect", "usb:0403:6001", "--json"], ["run", "usb:0403:6001", "-"],
                      ["release", "usb:0403:6001", "--", "true"]):
            with self.subTest(words):
                result = serialterm(*words, **self.how)
                self.assertEqual(result.status, 2, result)
                for device, serial in ((first, b"AAA"), (second, b"BBB")):
                    self.assertIn(device.path.encode(), result.stderr)
                    self.assertIn(serial, result.stderr)
