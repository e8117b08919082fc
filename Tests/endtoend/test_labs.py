"""Programs of test labs with `serialterm connect --console` as their console: the real ones."""

import json
import os
import re
import shutil
import tempfile
import unittest
from pathlib import Path

from Tests.endtoend.harness import TIMEOUT, run, serialterm_binary, slow, wait_until
from Tests.endtoend.harness.loopback import Loopback
from Tests.endtoend.harness.program import REPOSITORY
from Tests.endtoend.servers import PYTHON as DEBIANS_PYTHON
from Tests.endtoend.servers import ServeWithBacklog, conserver, free_port, labgrid, login
from Tests.endtoend.servers.login import LoginShell
from Tests.endtoend.transfers import contents, uboot
from Tests.endtoend.transfers.uboot import SwitchedUBoot

PYTHON = shutil.which("labgrid-client")
PYTHON = str(Path(PYTHON).parent / "python3") if PYTHON else None
# Unpacked there by scripts/test.
LAVA = REPOSITORY / ".build/lava/usr"

LABGRID = """
from labgrid import Target
from labgrid.driver import ExternalConsoleDriver
target = Target("board")
console = ExternalConsoleDriver(target, "console", cmd={command!r})
target.activate(console)
for number in range(20):
    console.sendline(f"echo number {{number}}")
    console.expect(f"\\nnumber {{number}}\\r", timeout=60)
console.sendline("version")
_, _, match, _ = console.expect(r"firmware (\\S+)\\r", timeout=60)
print(match.group(1).decode())
target.deactivate(console)
print("closed")
"""

PEXPECT = """
import pexpect
board = pexpect.spawn({command!r}, timeout=60)
board.send("\\r")
board.expect_exact("> ")
for number in range(20):
    board.send(f"echo number {{number}}\\r")
    board.expect(f"\\nnumber {{number}}\\r")
board.send("version\\r")
board.expect(r"firmware (\\S+)\\r")
print(board.match.group(1).decode())
board.close()
print("closed")
"""

# What labgrid does with a board is in its environment, as in a lab.
LABGRID_UBOOT = ("""
targets:
  main:
    drivers:
      ExternalConsoleDriver:
        cmd: '{command}'
      ExternalPowerDriver:
        cmd_on: '{power} on'
        cmd_off: '{power} off'
        cmd_cycle: '{power} cycle'
      UBootDriver:
        prompt: '=> '
      ShellDriver:
        prompt: '# '
        login_prompt: ' login: '
        username: root
      UBootStrategy: {{}}
""", """
from labgrid import Environment
target = Environment("environment.yaml").get_target("main")
strategy = target.get_driver("UBootStrategy")
strategy.transition("uboot")
uboot = target.get_driver("UBootDriver")
for number in range(20):
    assert uboot.run_check(f"echo number {number}") == [f"number {number}"]
assert uboot.run("false")[2] == 1
uboot.run_check("setenv answer 42")
assert uboot.run_check("printenv answer") == ["answer=42"]
uboot.reset()
assert uboot.run("printenv answer")[2] == 1
print(uboot.run_check("version")[0])
strategy.transition("off")
print("closed")
""")

LABGRID_SHELL = ("""
targets:
  main:
    drivers:
      ExternalConsoleDriver:
        cmd: '{command}'
      ShellDriver:
        prompt: 'root@board:~# '
        login_prompt: 'board login: '
        username: root
        password: secret
""", """
from labgrid import Environment
target = Environment("environment.yaml").get_target("main")
shell = target.get_driver("ShellDriver")
for number in range(20):
    assert shell.run_check(f"echo number {number}") == [f"number {number}"]
assert shell.run("exit_status() { return 7; }; exit_status")[2] == 7
# XMODEM, which needs every byte as it is.
data = open("data", "rb").read()
shell.put("data", "copied")
shell.get("copied", "returned")
assert open("returned", "rb").read() == data
out, _, status = shell.run_script(b"#!/bin/sh\\necho ran; exit 3\\n")
assert (out, status) == (["ran"], 3)
print(shell.run_check("echo $HOME")[0])
target.deactivate(target.get_driver("ExternalConsoleDriver"))
print("closed")
""")


def in_folder(folder, files):
    for name, text in files.items():
        (folder / name).write_text(text)


@slow
@unittest.skipUnless(PYTHON, "labgrid is not installed: it is in PyPI")
class ConsoleOfOthersTests(unittest.TestCase):
    def setUp(self):
        self.board = self.enterContext(Loopback("--board"))
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))

    def talk(self, script):
        command = f"{serialterm_binary()} connect {self.board.node} --console"
        file = self.folder / "script.py"
        file.write_text(script.format(command=command))
        ended = run(PYTHON, str(file), timeout=2 * TIMEOUT)
        self.assertEqual(ended.status, 0, ended.stderr.decode()[-3500:])
        self.assertRegex(ended.stdout, rb"^[0-9.]+\nclosed\n$")

    def test_labgrid_runs_it_in_its_external_console_driver(self):
        self.talk(LABGRID)

    def test_pexpect_runs_it_at_a_pseudo_terminal(self):
        self.talk(PEXPECT)


class LabgridTest(unittest.TestCase):
    """labgrid with an environment of its own."""

    variables = {}

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        (self.folder / "data").write_bytes(bytes(range(256)) + contents.random_bytes(3_000))

    def perform(self, what, target, **words):
        environment, script = what
        command = f"{serialterm_binary()} connect {target} --console"
        in_folder(self.folder, {
            "environment.yaml": environment.format(command=command, **words), "script.py": script})
        ended = run(
            "sh", "-c", 'cd "$0" && exec "$1" script.py', str(self.folder), PYTHON, timeout=2 * TIMEOUT,
            variables=self.variables)
        self.assertEqual(ended.status, 0, ended.stderr.decode()[-3500:])
        said, closed = ended.stdout.decode().splitlines()
        self.assertEqual(closed, "closed")
        return said


@slow
@unittest.skipUnless(PYTHON, "labgrid is not installed: it is in PyPI")
class LabgridDriverTests(LabgridTest):
    """Drivers of labgrid over its ExternalConsoleDriver."""

    @unittest.skipIf(uboot.missing(), uboot.missing())
    def test_the_driver_and_the_strategy_of_u_boot(self):
        board = self.enterContext(SwitchedUBoot(self.folder, "-nic", "none"))
        self.assertRegex(self.perform(LABGRID_UBOOT, board.node, power=board.power), "^U-Boot 20")

    @unittest.skipIf(login.missing(), login.missing())
    def test_the_driver_of_a_shell_with_a_login_and_files(self):
        shell = self.enterContext(LoginShell(self.folder))
        self.assertEqual(self.perform(LABGRID_SHELL, shell.node), str(self.folder))


@slow
@unittest.skipIf(labgrid.missing(), labgrid.missing())
@unittest.skipIf(uboot.missing(), uboot.missing())
@unittest.skipIf(login.missing(), login.missing())
class LabgridPlaceTests(LabgridTest):
    """The same over `labgrid:PLACE`, with a coordinator, an exporter and its ser2net."""

    @classmethod
    def setUpClass(cls):
        folder = cls.enterClassContext(tempfile.TemporaryDirectory())
        cls.board = cls.enterClassContext(SwitchedUBoot(folder, "-nic", "none"))
        cls.shell = cls.enterClassContext(LoginShell(folder))
        cls.home = folder
        ports = {"uboot": cls.board.node, "shell": cls.shell.node}
        cls.variables = cls.enterClassContext(labgrid.Labgrid(json.dumps({"g1": {
            name: {"cls": "RawSerialPort", "port": node, "speed": 115200}
            for name, node in ports.items()}}))).variables

    def test_the_driver_and_the_strategy_of_u_boot(self):
        said = self.perform(LABGRID_UBOOT, "labgrid:board/uboot", power=self.board.power)
        self.assertRegex(said, "^U-Boot 20")

    def test_the_driver_of_a_shell_with_a_login_and_files(self):
        self.assertEqual(self.perform(LABGRID_SHELL, "labgrid:board/shell"), self.home)


LAVA_DEVICE = """
commands:
  {connection}
  hard_reset: {power} cycle
  power_on: {power} on
  power_off: {power} off
actions:
  boot:
    connections: {{serial: }}
    methods:
      u-boot:
        parameters: {{bootloader_prompt: '=> ', interrupt_prompt: Hit any key, interrupt_char: ' '}}
constants:
  spawn_maxread: 4096
  boot_retry: 1
  failure_retry: 1
  default-shell-prompt: 'lava-test: # '
  u-boot:
    interrupt-prompt: Hit any key
    interrupt-character: ' '
    interrupt-newline: false
    error-messages: [Resetting CPU, Must RESET board to recover]
"""

LAVA_JOB = """
job_name: console
timeouts:
  job: {minutes: 2}
  action: {minutes: 1}
  connection: {minutes: 1}
actions:
- boot:
    method: bootloader
    bootloader: u-boot
    commands: [setenv greeting hello, echo set]
    prompts: ['=> ']
- test:
    interactive:
    - name: board
      prompts: ['\\n=> ']
      script:
      - {name: wait, command: }
      - name: greeting
        command: echo ${greeting} world
        successes: [{message: '\\nhello world\\r'}]
      - name: version
        command: version
        successes: [{message: '\\nU-Boot 20'}]
      - name: unknown
        command: nothing like this
        successes: [{message: Unknown command 'nothing'}]
"""


def missing_lava():
    """Why LAVA cannot be tested; empty if it can."""
    if not (LAVA / "bin/lava-run").exists():
        return "lava-dispatcher is not in .build/lava: scripts/test unpacks Debian's package there"
    return "" if os.geteuid() == 0 else "lava-run needs root"


@slow
@unittest.skipIf(missing_lava(), missing_lava())
@unittest.skipIf(uboot.missing(), uboot.missing())
class LavaTests(unittest.TestCase):
    """LAVA's dispatcher runs a job. Its class for connections starts the console."""

    def setUp(self):
        self.folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        self.board = self.enterContext(SwitchedUBoot(self.folder, "-nic", "none"))

    def job(self, connection):
        in_folder(self.folder, {
            "device.yaml": LAVA_DEVICE.format(connection=connection, power=self.board.power),
            "job.yaml": LAVA_JOB,
            "dispatcher.yaml": "dispatcher_ip: 127.0.0.1\n",
            # Only images of disks need this library; its package brings a hundred others.
            "guestfs.py": ""})
        ended = run(
            DEBIANS_PYTHON, str(LAVA / "bin/lava-run"), "--job-id", "1", "--output-dir",
            str(self.folder / "output"), "--device", str(self.folder / "device.yaml"), "--dispatcher",
            str(self.folder / "dispatcher.yaml"), str(self.folder / "job.yaml"), timeout=2 * TIMEOUT,
            variables={"PYTHONPATH": f"{self.folder}:{LAVA}/lib/python3/dist-packages"})
        said = [json.loads(line) for line in ended.stderr.splitlines()]
        self.assertEqual(ended.status, 0, said[-20:])
        results = {
            line["msg"]["case"]: line["msg"]["result"] for line in said if line["lvl"] == "results"}
        self.assertEqual(set(results.values()), {"pass"}, results)
        self.assertLessEqual({"greeting", "version", "unknown", "0_board", "job"}, results.keys())
        self.assertIn("Disconnecting from shell: Finalise", [line["msg"] for line in said])
        # What LAVA takes for the board's output is that and nothing else.
        return "\n".join(line["msg"] for line in said if line["lvl"] == "target")

    def test_a_job_runs_with_a_connection_command(self):
        said = self.job(f"connect: {serialterm_binary()} connect {self.board.node} --console")
        self.assertRegex(said, r"^\nU-Boot SPL 20")
        self.assertNotIn("serialterm", said)

    def test_a_job_runs_with_a_list_of_connections_over_the_network(self):
        """LAVA switches the board on before the console is connected: the server has the boot's text."""
        port = free_port()
        self.enterContext(ServeWithBacklog.running(self.board.node, port, self.folder))
        said = self.job(
            "connections: {uart0: {tags: [primary, shell], connect: "
            f"'{serialterm_binary()} connect rfc2217://127.0.0.1:{port} --console'}}}}")
        self.assertRegex(said, r"^\nU-Boot SPL 20")
        self.assertNotIn("serialterm", said)


ROBOT = """
*** Settings ***
Library    Process
Library    OperatingSystem

*** Test Cases ***
The Board Answers And A Signal Ends It
    ${console}=    Start Process    @{CONSOLE}    stdin=PIPE    stdout=${OUT}    stderr=${ERRORS}
    FOR    ${number}    IN RANGE    20
        Say    ${console}    echo number ${number}
        Answer    number ${number}
    END
    Process Should Be Running    ${console}
    ${ended}=    Terminate Process    ${console}
    Should Be Equal As Integers    ${ended.rc}    143
    File Should Be Empty    ${ERRORS}

The End Of Its Input Ends It
    ${console}=    Start Process    @{CONSOLE}    stdin=PIPE    stdout=${OUT}    stderr=${ERRORS}
    Say    ${console}    version
    Answer    serialterm board, firmware
    Evaluate    $console.stdin.close()
    ${ended}=    Wait For Process    ${console}    timeout=60s
    Should Be Equal As Integers    ${ended.rc}    0
    File Should Be Empty    ${ERRORS}

*** Keywords ***
Say
    [Arguments]    ${console}    ${words}
    Evaluate    $console.stdin.write($words.encode() + b"\\\\r")
    Evaluate    $console.stdin.flush()

Answer
    [Arguments]    ${words}
    Wait Until Keyword Succeeds    60s    50ms    Has Line    ${words}

Has Line
    [Arguments]    ${words}
    ${said}=    Get File    ${OUT}
    Should Match Regexp    ${said}    \\\\n${words}
"""


@slow
@unittest.skipUnless(shutil.which("robot"), "robotframework is not installed: it is in PyPI")
class RobotTests(unittest.TestCase):
    def test_its_library_for_processes_runs_it(self):
        board = self.enterContext(Loopback("--board"))
        folder = Path(self.enterContext(tempfile.TemporaryDirectory()))
        suite = folder / "board.robot"
        console = "    ".join([serialterm_binary(), "connect", board.node, "--console"])
        suite.write_text(ROBOT + f"""
*** Variables ***
@{{CONSOLE}}    {console}
${{OUT}}    {folder}/out
${{ERRORS}}    {folder}/errors
""")
        ended = run(
            "robot", "--output", "NONE", "--log", "NONE", "--report", "NONE", str(suite), timeout=2 * TIMEOUT)
        self.assertEqual(ended.status, 0, ended.stdout.decode())
        self.assertIn(b"2 tests, 2 passed", ended.stdout)


@slow
@unittest.skipIf(conserver.missing(), conserver.missing())
class ConserverTests(unittest.TestCase):
    def test_it_runs_the_console_at_a_pseudo_terminal(self):
        board = self.enterContext(Loopback("--board"))
        command = f"{serialterm_binary()} connect {board.node} --console"
        server = self.enterContext(conserver.Conserver(f'type exec; exec "{command}";'))
        console = server.console()
        for number in range(20):
            console.send(b"echo number %d\r" % number)
            console.expect(b"\nnumber %d\r" % number)
        wait_until(
            lambda: b"\nnumber 19" in server.log.read_bytes(), "conserver has logged the last one")
        # A message would begin with the name of the program and a colon.
        self.assertNotIn(b"serialterm:", server.log.read_bytes())


class PageTests(unittest.TestCase):
    def test_the_page_has_the_versions_that_are_tested(self):
        rows = dict(re.findall(r"(?m)^\| (\S.*?) (\d+\.[0-9.]+) \|", (REPOSITORY / "docs/labs.md").read_text()))
        installed = dict(re.findall(r"(\w+)==([0-9.]+)", (REPOSITORY / "scripts/test").read_text()))
        self.assertEqual(rows["labgrid"], installed["labgrid"])
        self.assertEqual(rows["Robot Framework"], installed["robotframework"])
        version = LAVA / "lib/python3/dist-packages/lava_common/VERSION"
        if version.exists():
            self.assertEqual(rows["LAVA"], version.read_text().strip())


if __name__ == "__main__":
    unittest.main()
