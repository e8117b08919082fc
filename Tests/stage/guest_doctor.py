"""`serialterm doctor` and `serialterm rules` with real ports, and whether their suggestions work:
with a real udevd, a real kernel, and users without permission."""

import array
import fcntl
import json
import os
import stat
import subprocess
from pathlib import Path

from Tests.endtoend.harness import PublicCopy, serialterm, serialterm_binary, wait_until
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.test_doctor import Impostor, findings
from Tests.stage.chip import Chip
from Tests.stage.guest_list import StageCase

RULES = Path("/run/udev/rules.d")
# From <linux/usbdevice_fs.h>.
USBDEVFS_CLAIMINTERFACE = 0x8004550F
# Like the rules of brltty.
BRLTTY_RULES = """
SUBSYSTEM!="usb", GOTO="brltty_end"
ENV{PRODUCT}=="403/6001/*", ENV{BRLTTY_BRAILLE_DRIVER}="at"
LABEL="brltty_end"
"""


def udevadm(*arguments):
    """Runs udevadm, which is in the initial root of the guest; returns its output."""
    return subprocess.run(
        ["chroot", "/proc/1/root", "udevadm", *arguments], check=True, stdout=subprocess.PIPE,
        text=True).stdout


class DoctorCase(StageCase):
    def use_rules(self, name, text):
        """Installs udev rules until the end of the test."""
        RULES.mkdir(parents=True, exist_ok=True)
        (RULES / name).write_text(text)
        udevadm("control", "--reload")
        self.addCleanup(udevadm, "control", "--reload")
        self.addCleanup((RULES / name).unlink)

    def use_shipped_rules(self):
        name = "60-serialterm.rules"
        self.use_rules(name, (REPOSITORY / "udev-rules" / name).read_text())

    def properties(self, path):
        lines = udevadm("info", "--query=property", f"--path={path}").splitlines()
        return dict(line.split("=", 1) for line in lines)

    def usb_device(self, node):
        """The sysfs folder of the USB device of a port."""
        folder = Path(f"/sys/class/tty/{os.path.basename(node)}/device").resolve()
        return next(parent for parent in folder.parents if (parent / "idVendor").exists())


class DoctorTests(DoctorCase):
    def setUp(self):
        # The host's root may be a container's. Writes stay in the guest.
        Path("/.dockerenv").unlink(missing_ok=True)
        self.port = self.adapter(0, "DOC0")
        self.node = self.port.node

    def mend(self, finding):
        """Runs the commands of a finding as root."""
        for command in finding["mend"]:
            if command.startswith("serialterm "):
                continue  # Only shows information.
            subprocess.run(["sh", "-c", command.replace("sudo ", "")], check=True, timeout=60)

    def test_nothing_is_wrong_with_an_adapter_that_was_just_plugged_in(self):
        self.assertEqual(findings(self.node), {})

    def test_user_who_is_not_in_the_group(self):
        binary = self.enterContext(PublicCopy())
        denied = findings(self.node, user="nobody", binary=binary)["permission-denied"]
        self.assertEqual(denied["mend"][0], "sudo usermod -aG dialout nobody")

    def test_user_who_was_put_into_the_group_and_has_not_logged_in_since(self):
        binary = self.enterContext(PublicCopy())
        groups = Path("/etc/group")
        before = groups.read_text()
        self.addCleanup(groups.write_text, before)
        groups.write_text("".join(
            line + ("," if line.rpartition(":")[2] else "") + "nobody\n"
            if line.startswith("dialout:") else f"{line}\n" for line in before.splitlines()))
        self.assertEqual(list(findings(self.node, user="nobody", binary=binary)), ["login-needed"])

    def test_modem_manager_is_told_and_the_shipped_rules_keep_it_off(self):
        with Impostor("ModemManager"):
            self.assertEqual(list(findings(self.node)), ["modemmanager"])
            self.use_shipped_rules()
            self.port.unplug()
            self.port.plug()
            self.assertEqual(findings(self.port.node), {})
        properties = self.properties(f"/class/tty/{os.path.basename(self.port.node)}")
        self.assertIn("uaccess", properties["TAGS"])

    def test_command_that_is_printed_keeps_modem_manager_off(self):
        with Impostor("ModemManager"):
            echo, trigger = findings(self.node)["modemmanager"]["mend"]
            rule = echo.split("'")[1]
            self.assertIn("udevadm trigger", trigger)
            self.use_rules("61-no-modem.rules", rule + "\n")
            self.port.unplug()
            self.port.plug()
            self.assertEqual(findings(self.port.node), {})

    def test_login_prompt(self):
        with Impostor("agetty", "115200", os.path.basename(self.node)):
            self.assertEqual(list(findings(self.node)), ["getty"])

    def test_autosuspend_is_told_and_the_command_mends_it(self):
        control = self.usb_device(self.node) / "power/control"
        control.write_text("auto")
        self.mend(findings(self.node)["autosuspend"])
        self.assertEqual(findings(self.node), {})

    def test_node_that_was_removed_is_told_and_the_command_makes_it(self):
        before = os.stat(self.node)
        os.unlink(self.node)
        found = findings(self.node)
        self.assertEqual(list(found), ["no-node"])
        self.mend(found["no-node"])
        # The kernel deletes only nodes that it has created: this one would outlive the adapter.
        self.addCleanup(os.unlink, self.node)
        after = os.stat(self.node)
        self.assertEqual(
            (after.st_rdev, after.st_mode, after.st_gid),
            (before.st_rdev, before.st_mode, before.st_gid))
        self.assertEqual(findings(self.node), {})

    def test_unplugged_adapter_is_told_with_the_kernels_last_words(self):
        self.port.unplug()
        why = findings(self.node)["no-such-device"]["why"]
        self.assertRegex(why, r"'usb [-\d.]+: USB disconnect, device number")

    def test_machine_without_udevd(self):
        hidden = subprocess.run(
            ["unshare", "--mount", "sh", "-c", 'mount -t tmpfs none /run/udev && exec "$@"', "sh",
             serialterm_binary(), "doctor", "--json", "usb:ffff:fffe"],
            stdout=subprocess.PIPE, check=False)
        found = {finding["code"]: finding for finding in json.loads(hidden.stdout)}
        self.assertEqual(list(found), ["no-such-device", "no-udevd"])
        self.assertEqual(found["no-udevd"]["mend"], ["sudo systemctl start systemd-udevd"])
        self.assertNotIn("no-udevd", findings("usb:ffff:fffe"))

    def test_node_that_outlives_its_device_is_told_and_the_command_removes_it(self):
        by_hand = "/dev/ttyUSB7"
        os.mknod(by_hand, 0o660 | stat.S_IFCHR, os.makedev(188, 7))
        self.addCleanup(lambda: os.path.lexists(by_hand) and os.unlink(by_hand))
        found = findings(by_hand)
        self.assertEqual(list(found), ["no-such-device"])
        self.assertIn("left over", found["no-such-device"]["why"])
        self.assertEqual(serialterm("connect", by_hand, "--linger", "0").status, 3)
        self.mend(found["no-such-device"])
        self.assertFalse(os.path.lexists(by_hand))

    def test_chip_that_its_driver_has_let_go_is_told_and_the_command_gives_it_back(self):
        interface = f"{self.usb_device(self.node).name}:1.0"
        Path("/sys/bus/usb/drivers/ftdi_sio/unbind").write_text(interface)
        found = findings()["driver-missing"]
        self.assertIn("0403:6001", found["what"])
        self.mend(found)
        wait_until(lambda: os.path.exists(self.port.link), "the port is back")
        self.assertEqual(findings(self.port.node), {})

    def test_chip_that_a_program_has_taken(self):
        device = self.usb_device(self.node)
        Path("/sys/bus/usb/drivers/ftdi_sio/unbind").write_text(f"{device.name}:1.0")
        bus, number = (int((device / name).read_text()) for name in ("busnum", "devnum"))
        node = os.open(f"/dev/bus/usb/{bus:03}/{number:03}", os.O_RDWR)
        self.addCleanup(os.close, node)
        fcntl.ioctl(node, USBDEVFS_CLAIMINTERFACE, array.array("I", [0]))
        self.assertIn("taken-by-a-program", findings())
        with Impostor("brltty"):
            self.assertIn("brltty", findings())


class PortTests(DoctorCase):
    def test_console_of_the_kernel(self):
        self.assertIn("kernel-console", findings("ttyS0"))

    def test_port_without_a_uart(self):
        self.assertEqual(list(findings("/dev/ttyS3")), ["no-hardware"])


class RulesTests(DoctorCase):
    def test_rule_gives_the_adapter_its_name_wherever_it_is_plugged_in(self):
        adapter = self.adapter(0, "NAMED0")
        printed = serialterm("rules", adapter.node, "--name", "board")
        self.assertEqual(printed.status, 0, printed)
        rule = printed.stdout.decode()
        self.use_rules("70-board.rules", rule)
        # `settle` waits for the queue of udevd, --settle for these very events.
        triggered = udevadm("trigger", "--verbose", "--settle", f"--name-match={adapter.node}")
        self.assertTrue(os.path.exists("/dev/board"), (
            triggered, rule, os.listdir(RULES), self.properties(f"/class/tty/{os.path.basename(adapter.node)}")))
        adapter.unplug()
        stranger = self.adapter(1, "STRANGER1")
        self.assertFalse(os.path.lexists("/dev/board"))
        adapter.plug()
        # udev creates the links of a device one after the other.
        wait_until(lambda: os.path.exists("/dev/board"), "/dev/board exists")
        self.assertEqual(os.path.realpath("/dev/board"), adapter.node)
        self.assertNotEqual(adapter.node, stranger.node)
        self.assertEqual(serialterm("connect", "/dev/board", "--linger", "0").status, 0)

    def test_udev_has_nothing_to_say_against_the_shipped_rules(self):
        self.use_shipped_rules()
        adapter = self.adapter(0, "RULES0")
        for path in (Path("/sys/class/tty", os.path.basename(adapter.node)).resolve(),
                     self.usb_device(adapter.node)):
            said = subprocess.run(
                ["chroot", "/proc/1/root", "udevadm", "test", "--action=add", path],
                stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True).stdout
            about = [line for line in said.splitlines() if "60-serialterm.rules" in line]
            self.assertTrue(about, said)
            for line in about:
                self.assertNotRegex(line, "(?i)invalid|unknown|ignor|fail|error|must|no effect")

    def test_shipped_rules_keep_brltty_off_plain_bridges_only(self):
        self.use_rules("85-brltty.rules", BRLTTY_RULES)
        display = self.adapter(0, "DISPLAY0")
        self.assertEqual(list(findings(display.node)), ["brltty"])
        self.use_shipped_rules()
        self.assertEqual(findings(display.node), {})
        display.unplug()
        display.plug()
        device = str(self.usb_device(display.node)).removeprefix("/sys")
        wait_until(lambda: "BRLTTY_BRAILLE_DRIVER" in self.properties(device), "a display is found")
        with Chip("BRIDGE1") as chip:
            device = str(self.usb_device(chip.node)).removeprefix("/sys")
            self.assertNotIn("BRLTTY_BRAILLE_DRIVER", self.properties(device))
