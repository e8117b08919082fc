"""The list of devices that the program shows without a TARGET, with devices mocked by umockdev.
Runs in umockdev-wrapper; run.py starts it."""

import json
import os
import re
import signal
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend import shots
from Tests.endtoend.harness import (
    Device, PublicCopy, Terminal, contents, serialterm, serialterm_binary, wait_until)
from Tests.endtoend.harness.screen import Screen
from Tests.stage.mock_devices import Bed


# Stands for labgrid-client: it notes its process, and answers when the file "answers" is there.
LABGRID_CLIENT = """#!/bin/sh
cd {folder}
echo $$ >> started
while [ ! -e answers ]; do sleep 0.05; done
case $* in
  *places) cat places ;;
  resources) echo e1/g1/NetworkSerialPort ;;
esac
"""


def place(name, holder):
    """A place with a console in the words of labgrid-client."""
    return (
        f"Place '{name}':\n  matches:\n    e1/g1/*\n  acquired: {holder}\n  acquired resources:\n"
        + ("" if holder == "None" else "    e1/g1/NetworkSerialPort/uart\n"))


def shot(bed):
    """The list as docs/commands.md shows it, with the node names of adapters."""
    with Device() as first, Device() as second:
        bed.plug(0, "A10K4MF2", node=first.path)
        bed.plug(1, "FT9XB0ZC", node=second.path)
        # Closes the ports, so that no program has them open.
        first.rest(), second.rest()
        with Terminal(serialterm_binary(), size=(16, 80)) as terminal:
            screen = Screen(terminal, (16, 80))
            screen.wait_for_text("device:")
            text = screen.text
    for number, device in enumerate((first, second)):
        text = re.sub(rf"{device.node}\b *", f"/dev/ttyUSB{number}  ", text)
    return text.lstrip("\n")


class ChooserTests(unittest.TestCase):
    def setUp(self):
        self.bed = Bed()
        # Otherwise umockdev would answer every ioctl(2) on files in /dev, instead of the kernel.
        folder = Path(os.environ["UMOCKDEV_DIR"])
        (folder / "ioctl/_default").unlink()
        # The program, also as another user, binds a socket there to receive events.
        folder.chmod(0o777)

    def plug(self, number, serial):
        """Plugs in an adapter that can be opened; returns its tty and its device."""
        device = self.enterContext(Device())
        return self.bed.plug(number, serial, node=device.path), device

    def start(self, *arguments, size=(24, 80), binary=None, **how):
        terminal = self.enterContext(
            Terminal(binary or serialterm_binary(), *arguments, size=size, **how))
        return terminal, Screen(terminal, size)

    def wait_for_device(self, screen, serial, text=""):
        """Waits until a device is listed with a text in its row; returns the row.

        The terminal may receive a row in two pieces, so a test that reads the end of a row names it.
        """
        screen.wait_for(
            lambda lines: any(
                line.startswith("  ") and f" {serial} " in line and text in line for line in lines),
            f"{serial} is listed with {text!r}")
        return screen.row_of(f" {serial} ")

    def test_two_are_listed_with_what_they_are(self):
        (_, first), (_, second) = self.plug(0, "AAA"), self.plug(1, "BBB")
        terminal, screen = self.start()
        screen.wait_for_text("device:")
        for serial, device in (("AAA", first), ("BBB", second)):
            row = self.wait_for_device(screen, serial, "UART")
            self.assertEqual(
                screen.lines[row].split()[:7],
                [device.path, "0403:6001", serial, "FTDI", "FT232R", "USB", "UART"])
            self.assertFalse(screen.is_dimmed(row))
        terminal.send(b"\x1b")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(terminal.settings, terminal.original_settings)

    def test_the_chosen_one_is_opened(self):
        self.plug(0, "AAA")
        _, device = self.plug(1, "BBB")
        terminal, screen = self.start()
        self.wait_for_device(screen, "BBB")
        terminal.send(b"BBB\r")
        screen.wait_for_text(f"{device.path} at 115200 8N1")
        screen.wait_until_gone("device:")
        terminal.send(b"hello")
        self.assertEqual(device.read_exactly(5), b"hello")
        device.write(b"answer")
        screen.wait_for_text("answer")
        self.assertEqual(terminal.leave()[0], 0)

    def test_the_list_follows_the_devices_while_it_is_open(self):
        first, _ = self.plug(0, "AAA")
        self.plug(1, "BBB")
        terminal, screen = self.start()
        self.wait_for_device(screen, "BBB")
        for _ in range(2):
            third, _ = self.plug(2, "CCC")
            self.wait_for_device(screen, "CCC")
            self.bed.unplug(third)
            screen.wait_until_gone("CCC")
        self.bed.unplug(first)
        screen.wait_until_gone("AAA")
        # With only one left, the user still has to choose, because the list is open.
        self.wait_for_device(screen, "BBB")
        terminal.send(b"\r")
        screen.wait_for_text("at 115200 8N1")

    def test_the_selection_stays_with_its_device(self):
        first, _ = self.plug(0, "AAA")
        _, device = self.plug(1, "BBB")
        terminal, screen = self.start()
        self.wait_for_device(screen, "BBB")
        terminal.send(b"\x1b[B")
        screen.wait_for(lambda _: screen.is_reversed(screen.row_of("BBB")), "BBB is selected")
        self.bed.unplug(first)
        screen.wait_until_gone("AAA")
        self.assertTrue(screen.is_reversed(screen.row_of("BBB")))
        terminal.send(b"\r")
        screen.wait_for_text(f"{device.path} at")

    def test_one_alone_is_connected_to(self):
        _, device = self.plug(0, "AAA")
        _, screen = self.start()
        screen.wait_for_text(f"{device.path} at 115200 8N1")

    def test_a_uart_of_the_board_is_not_connected_to_unasked(self):
        uart = self.enterContext(Device())
        self.bed.add_uart(0, uart.path)
        for words in ((), ("latest",)):
            with self.subTest(words):
                terminal, screen = self.start(*words)
                screen.wait_for_text("device:")
                self.assertIsNotNone(screen.row_of(uart.path), screen.text)
                said = screen.row_of("no USB or other hot-pluggable device is present")
                self.assertEqual(said is not None, words == ("latest",), screen.text)
                self.assertFalse(uart.exclusive)
                terminal.send(b"\x1b")
                self.assertEqual(terminal.wait(), 0)
        terminal, screen = self.start("latest")
        screen.wait_for_text("device:")
        terminal.send(b"\r")
        screen.wait_for_text(f"{uart.path} at 115200 8N1")
        self.assertTrue(uart.exclusive)

    def test_latest_without_a_terminal_lists_what_there_is(self):
        uart = self.enterContext(Device())
        self.bed.add_uart(0, uart.path)
        for words in (["connect", "latest"], ["send", "latest", "x"], ["run", "latest", "-"],
                      ["connect", "latest", "--json"], ["release", "latest", "--", "true"]):
            with self.subTest(words):
                result = serialterm(*words)
                self.assertEqual(result.status, 3, result)
                self.assertIn(b"no USB or other hot-pluggable serial device", result.stderr)
                self.assertIn(uart.path.encode(), result.stderr)
        self.assertFalse(uart.exclusive)

    def test_latest_is_the_adapter_and_not_the_uart_that_was_found_later(self):
        _, device = self.plug(0, "AAA")
        uart = self.enterContext(Device())
        self.bed.add_uart(0, uart.path)
        _, screen = self.start("latest")
        screen.wait_for_text(f"{device.path} at 115200 8N1")
        self.assertFalse(uart.exclusive)

    def test_adapters_are_listed_before_uarts(self):
        uart = self.enterContext(Device())
        self.bed.add_uart(0, uart.path)
        self.plug(1, "AAA")
        _, screen = self.start()
        row = self.wait_for_device(screen, "AAA")
        self.assertTrue(screen.is_reversed(row))
        self.assertGreater(screen.row_of(uart.path), row)

    def test_with_none_the_simulation_is_offered_and_a_device_comes_in_its_place(self):
        terminal, screen = self.start()
        screen.wait_for_text("loopback:board")
        for words in ("no device is there yet. Plug one in", "'serialterm doctor' says why"):
            self.assertIsNotNone(screen.row_of(words), screen.text)
        self.plug(0, "AAA")
        self.wait_for_device(screen, "AAA")
        self.assertIsNone(screen.row_of("loopback:board"))
        terminal.send(b"\x1b")
        self.assertEqual(terminal.wait(), 0)

    def test_with_none_the_simulation_is_one_key_away(self):
        terminal, screen = self.start()
        screen.wait_for_text("loopback:board")
        terminal.send(b"\r")
        screen.wait_for_text("loopback:board at 115200 8N1. ctrl-t q quits")
        screen.wait_for_text("board>")
        self.assertEqual(terminal.leave()[0], 0)

    def test_commands_are_off_for_want_of_a_device(self):
        self.plug(0, "AAA"), self.plug(1, "BBB")
        terminal, screen = self.start()
        self.wait_for_device(screen, "BBB")
        terminal.send(b"\x14:")
        screen.wait_for_text("command:")
        terminal.send(b"send-file\r")
        screen.wait_for_text("(off: no device)")
        terminal.send(b"\x1b")
        self.wait_for_device(screen, "BBB")
        terminal.send(b"\x14B")
        screen.wait_for_text("Not available: no device.")
        self.wait_for_device(screen, "BBB")
        terminal.send(b"\x14q")
        self.assertEqual(terminal.wait(), 0)

    def test_several_of_a_kind_are_asked_about_too(self):
        self.plug(0, "AAA"), self.plug(1, "BBB")
        terminal, screen = self.start("usb:0403:6001")
        self.wait_for_device(screen, "AAA")
        terminal.send(b"AAA\r")
        screen.wait_for_text("at 115200 8N1")

    def labgrid(self):
        """Has a labgrid-client on PATH; returns its folder, and the variables."""
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        client = folder / "labgrid-client"
        client.write_text(LABGRID_CLIENT.format(folder=folder))
        client.chmod(0o755)
        (folder / "places").write_text(
            place("mine", "lab-pc/ana") + place("other", "max-pc/max") + place("free", "None"))
        return folder, {
            "PATH": f"{folder}:{os.environ['PATH']}", "LG_COORDINATOR": "127.0.0.1:1",
            "LG_HOSTNAME": "lab-pc", "LG_USERNAME": "ana"}

    def processes(self, folder):
        """Waits until both questions to labgrid-client were started; returns their processes."""
        def started():
            numbers = contents(folder / "started").split()
            return [int(number) for number in numbers] if len(numbers) == 2 else None
        return wait_until(started, "labgrid-client is asked")

    def end_of(self, processes):
        wait_until(
            lambda: not any(Path(f"/proc/{number}").exists() for number in processes),
            "labgrid-client has ended")

    def test_acquired_places_come_into_the_open_list(self):
        first, _ = self.plug(0, "AAA")
        folder, variables = self.labgrid()
        terminal, screen = self.start(variables=variables)
        row = self.wait_for_device(screen, "AAA")
        self.assertIsNone(screen.row_of("labgrid:"), screen.text)
        (folder / "answers").touch()
        screen.wait_for_text("labgrid:mine")
        self.assertTrue(screen.is_reversed(row))
        self.assertGreater(screen.row_of("labgrid:mine"), row)
        for name in ("other", "free"):
            self.assertIsNone(screen.row_of(f"labgrid:{name}"), screen.text)
        self.bed.unplug(first)
        screen.wait_until_gone("AAA")
        self.assertTrue(screen.is_reversed(screen.row_of("labgrid:mine")))
        self.assertIsNone(screen.row_of("loopback:board"))
        terminal.send(b"\x1b")
        self.assertEqual(terminal.wait(), 0)

    def test_a_labgrid_client_that_hangs_delays_nothing_and_is_ended(self):
        _, device = self.plug(0, "AAA")
        folder, variables = self.labgrid()
        terminal, screen = self.start(variables=variables)
        # The only one, which would be connected to without a coordinator.
        self.wait_for_device(screen, "AAA")
        processes = self.processes(folder)
        terminal.send(b"\r")
        screen.wait_for_text(f"{device.path} at 115200 8N1")
        self.end_of(processes)
        self.assertEqual(terminal.leave()[0], 0)

    def test_leaving_the_list_ends_labgrid_client(self):
        folder, variables = self.labgrid()
        for how in (b"\x1b", b"\x14q", signal.SIGTERM):
            with self.subTest(how):
                (folder / "started").unlink(missing_ok=True)
                terminal, screen = self.start(variables=variables)
                screen.wait_for_text("loopback:board")
                self.assertIsNotNone(screen.row_of("your places of labgrid are listed"), screen.text)
                processes = self.processes(folder)
                if isinstance(how, bytes):
                    terminal.send(how)
                else:
                    os.kill(terminal.pid, how)
                terminal.wait()
                self.end_of(processes)

    def test_a_labgrid_client_that_fails_says_nothing(self):
        self.plug(0, "AAA")
        folder, variables = self.labgrid()
        client = folder / "labgrid-client"
        client.write_text("#!/bin/sh\necho the coordinator is out >&2\nexit 1\n")
        terminal, screen = self.start(variables=variables)
        self.wait_for_device(screen, "AAA")
        # Enter waits for the answer, which the list then does not have.
        terminal.send(b"labgrid:mine\r")
        screen.wait_for_text("nothing matches")
        self.assertNotIn("coordinator", screen.everything)
        terminal.send(b"\x1b")
        self.assertEqual(terminal.wait(), 0)

    def test_without_a_coordinator_labgrid_client_is_not_asked(self):
        _, device = self.plug(0, "AAA")
        folder, variables = self.labgrid()
        del variables["LG_COORDINATOR"]
        terminal, screen = self.start(variables=variables)
        screen.wait_for_text(f"{device.path} at 115200 8N1")
        self.assertEqual(terminal.leave()[0], 0)
        # With one, but for something else than no TARGET.
        variables["LG_COORDINATOR"] = "127.0.0.1:1"
        terminal, screen = self.start("latest", variables=variables)
        screen.wait_for_text(f"{device.path} at 115200 8N1")
        self.assertEqual(terminal.leave()[0], 0)
        self.assertFalse((folder / "started").exists())

    def test_without_a_terminal_a_device_must_be_named(self):
        self.plug(0, "AAA"), self.plug(1, "BBB")
        for words in (["connect"], ["connect", "--json"], ["connect", "--exec", "true"]):
            result = serialterm(*words)
            self.assertEqual(result.status, 2, result)
            self.assertIn(b"name a TARGET: there is no terminal to ask on", result.stderr)

    def test_on_a_terminal_that_only_prints_it_is_a_numbered_list(self):
        self.plug(0, "AAA")
        _, device = self.plug(1, "BBB")
        terminal, screen = self.start(variables={"TERM": "dumb"})
        terminal.expect(b"2) " + device.path.encode())
        terminal.send(b"2\r")
        terminal.expect(device.path.encode() + b" at 115200")
        self.assertNotIn(b"\x1b", terminal.output)

    @unittest.skipIf(os.geteuid() != 0, "needs root, to be another user")
    def test_one_that_may_not_be_opened_is_dimmed_and_says_why(self):
        self.plug(0, "AAA")
        _, second = self.plug(1, "BBB")
        os.chmod(second.path, 0o600)
        with PublicCopy() as binary:
            terminal, screen = self.start(binary=binary, user="nobody")
            row = self.wait_for_device(screen, "BBB", "(off: permission denied")
            self.assertTrue(screen.is_dimmed(row))
            terminal.send(b"BBB\r")
            screen.wait_for(
                lambda lines: any(line.startswith("device: BBB") and "permission denied" in line
                                  for line in lines), "the reason in the first line")

    def test_one_more_device_is_opened_from_the_palette(self):
        _, first = self.plug(0, "AAA")
        _, second = self.plug(1, "BBB")
        terminal, screen = self.start(first.path)
        screen.wait_for_text(f"{first.path} at 115200 8N1")
        terminal.send(b"\x14:connect-to\r")
        screen.wait_for_text("device to connect to:")
        self.wait_for_device(screen, "BBB")
        self.assertIsNone(screen.row_of(" AAA "))
        terminal.send(b"\r")
        screen.wait_for_text(f"{second.path} at 115200 8N1")
        names = [device.path.rpartition("/")[2] for device in (first, second)]
        # One may have more digits.
        width = max(map(len, names))
        for device, name, text in zip((first, second), names, ("from the first", "from the second"), strict=True):
            device.write(text.encode() + b"\r\n")
            screen.wait_for_text(f"{name:{width}} | {text}")
        terminal.send(b"x")
        self.assertEqual(second.read_exactly(1), b"x")
        terminal.send(b"\x14:connect-to")
        screen.wait_for_text("(off: no free port)")
        terminal.send(b"\x1b\x14q")
        self.assertEqual(terminal.wait(), 0)
        self.assertEqual(first.rest(), b"")

    def test_one_more_device_has_its_own_profile(self):
        _, first = self.plug(0, "AAA")
        _, second = self.plug(1, "BBB")
        with tempfile.TemporaryDirectory() as folder:
            configuration = os.path.join(folder, "config.toml")
            with open(configuration, "w", encoding="utf-8") as file:
                file.write('[profile.sensor]\nmatch = "serial:BBB"\nbaud = 9600\nstop-bits = 1\n')
            terminal, screen = self.start(
                first.path, "--config", configuration, "--stop-bits", "2", "--log",
                os.path.join(folder, "first.log"))
            screen.wait_for_text(f"{first.path} at 115200 8N2")
            terminal.send(b"\x14:connect-to\r")
            self.wait_for_device(screen, "BBB")
            terminal.send(b"\r")
            # The command line counts more than the profile.
            screen.wait_for_text(f"{second.path} at 9600 8N2")
            second.write(b"from the second\r\n")
            screen.wait_for_text("sensor | from the second")
            terminal.send(b"\x14q")
            self.assertEqual(terminal.wait(), 0)
            # The log is that of the first.
            with open(os.path.join(folder, "first.log"), "rb") as log:
                self.assertEqual(log.read(), b"")

    def test_one_more_device_joins_the_log_of_all(self):
        devices = [self.plug(number, name)[1] for number, name in enumerate(("AAA", "BBB", "CCC"))]
        with tempfile.TemporaryDirectory() as folder:
            log = os.path.join(folder, "all.jsonl")
            terminal, screen = self.start(devices[0].path, devices[1].path, "--log", log)
            screen.wait_for_text("2 ports.")
            terminal.send(b"\x14:connect-to\r")
            screen.wait_for_text("device to connect to:")
            self.wait_for_device(screen, "CCC")
            terminal.send(b"\r")
            screen.wait_for_text(f"{devices[2].path} at 115200 8N1")
            for number in (2, 0):
                devices[number].write(b"from %d\r\n" % number)
                screen.wait_for_text(f"from {number}")
            terminal.send(b"\x14q")
            self.assertEqual(terminal.wait(), 0)
            with open(log, encoding="utf-8") as file:
                entries = [json.loads(line) for line in file]
        names = [device.path.rpartition("/")[2] for device in devices]
        self.assertEqual(
            [(entry["port"], entry.get("event"), entry.get("text")) for entry in entries],
            [(name, "opened", None) for name in names]
            + [(names[2], None, "from 2\r\n"), (names[0], None, "from 0\r\n")])

    def test_the_document_shows_it(self):
        self.assertEqual(shot(self.bed), shots.documented()[shots.CHOOSER])


if __name__ == "__main__":
    print(shot(Bed()))
