"""Screens of the program, for docs/commands.md as text, and for README.md and other pages as pictures:
`scripts/screens` writes them, a test compares them with what the program shows."""

import contextlib
import datetime
import math
import os
import random
import re
import secrets
import struct
import tempfile
import time
from pathlib import Path

from Tests.endtoend import picture
from Tests.endtoend.harness import Device, Terminal, pace, serialterm_binary
from Tests.endtoend.harness.program import run
from Tests.endtoend.harness.screen import Screen

DOCUMENTS = Path(__file__).resolve().parents[2] / "docs"
DOCUMENT = DOCUMENTS / "commands.md"
BEGIN, END = "<!-- made by scripts/screens -->", "<!-- end -->"
PREFIX = b"\x14"
# A device's node, and a path of the same length that can be made without asking anybody.
NODE, LENGTH = "/dev/ttyUSB0", 7
GREETING = "ctrl-t ? for help."


class Session:
    """A session with a device that sends a few lines."""

    def __init__(self, *options, size=(16, 80), **how):
        self._stack = contextlib.ExitStack()
        # Only letters, because screens are normalised by replacing digits.
        name = "".join(secrets.choice("abcdefghijklmnopqrstuvwxyz") for _ in range(LENGTH))
        self.path = f"/tmp/{name}"
        self.device = self._stack.enter_context(Device(link=self.path))
        self.terminal = self._stack.enter_context(
            Terminal(serialterm_binary(), "connect", self.path, *options, size=size, **how))
        self.screen = Screen(self.terminal, size)
        self.screen.wait_for_text(GREETING)

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self._stack.close()
        # The device has taken its own away if it was unplugged.
        with contextlib.suppress(FileNotFoundError):
            os.unlink(self.path)

    def say(self, text):
        self.device.write(text.replace("\n", "\r\n").encode())
        self.screen.wait_for_text(text.rstrip().rpartition("\n")[2])

    def press(self, keys, shown):
        self.terminal.send(PREFIX + keys)
        self.screen.wait_for_text(shown)

    def shot(self):
        return normal(self.screen.text.replace(self.path, NODE))

    def frame(self, caption):
        rows = [[run._replace(text=run.text.replace(self.path, NODE)) for run in row]
                for row in self.screen.runs]
        return picture.Frame(caption, rows)


def normal(text):
    """A screen without what differs from one time to the next."""
    text = re.sub(r"\d\d:\d\d:\d\d\.\d{3}", "07:31:00.123", text)
    text = re.sub(r"in \d+ B/s out \d+ B/s", "in 59 B/s out 5 B/s", text)
    return re.sub(r"[\d,]+ of 400,000 bytes", "65,536 of 400,000 bytes", text)


def palette():
    with Session() as session:
        session.say("ready\n> ")
        session.press(b":", "command:")
        return session.shot()


def unplugged():
    with Session() as session:
        session.say("ready\n> ")
        session.press(b":", "command:")
        session.device.hang_up()
        session.screen.wait_for_text("(off: no device")
        return session.shot()


def released():
    with Session() as session:
        session.say("ready\n> ")
        session.press(b"r", "takes it back")
        session.press(b":", "command:")
        return session.shot()


def read_only():
    with Session("--read-only") as session:
        session.say("ready\n> ")
        session.press(b":", "command:")
        return session.shot()


def transferring():
    with Session() as session, tempfile.TemporaryDirectory() as folder:
        image = Path(folder) / "image.bin"
        image.write_bytes(b"x" * 400_000)
        session.press(b"x", "file to send:")
        session.terminal.send(str(image).encode())
        session.screen.wait_for(
            lambda lines: sum("image.bin" in line for line in lines) == 2, "the file in the list")
        session.terminal.send(b"\r")
        session.screen.wait_for_text("how to send")
        session.terminal.send(b"\r")
        session.screen.wait_for_text("ctrl-c stops.")
        session.press(b":", "command:")
        session.screen.wait_for_text("400,000 bytes")
        return session.shot()


def status_line():
    with Session("--status", size=(8, 80)) as session:
        session.say("ready\n> ")
        session.screen.wait_for(
            lambda lines: "in 0 B/s out 0 B/s" in lines[-1], "the rates have fallen")
        return session.shot()


def hexadecimal():
    with Session("--hex") as session:
        session.device.write(b"hello world\r\n")
        session.screen.wait_for_text("world")
        return session.shot()


def timestamps():
    with Session("--timestamps") as session:
        session.say("ready\ntemperature 21\n")
        return session.shot()


def line_input():
    with tempfile.TemporaryDirectory() as folder, Session(
            "--input-mode", "line", variables={"XDG_STATE_HOME": folder}) as session:
        session.say("ready\n")
        session.terminal.send(b"set mode fast")
        session.screen.wait_for_text("set mode fast")
        return session.shot()


BOOT = "ready\n" + "".join(
    f"{level} ({number}) wifi: {text}\n" for number, (level, text) in enumerate((
        ("I", "scan started"), ("I", "found 3 networks"), ("W", "signal is weak"),
        ("I", "connecting"), ("E", "error 0x3007, trying again"), ("I", "connecting"),
        ("I", "connected"), ("E", "error 0x300a, no address"), ("I", "address 192.0.2.7"))))


def searching():
    with Session() as session:
        session.say(BOOT)
        session.press(b"/", "search:")
        session.terminal.send(b"error|weak")
        session.screen.wait_for_text("error|weak")
        session.screen.wait_for_text("3 matches")
        return session.shot()


def around_a_match():
    with Session() as session:
        session.say(BOOT)
        session.press(b"/", "search:")
        session.terminal.send(b"error")
        session.screen.wait_for_text("2 matches")
        session.terminal.send(b"\x1b[A\r")
        session.screen.wait_for_text("match 1 of 2")
        return session.shot()


def plain():
    with Session("--plain") as session:
        session.press(b"S", "2) 2")
        session.screen.wait_for(lambda lines: "stop bits:" in lines, "the prompt")
        return session.shot()


@contextlib.contextmanager
def three_boards(size=(14, 88)):
    """Three boards in one session: the user types to the first one, and all of them report their activity."""
    with contextlib.ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory()))
        names = ("ttyACM0", "ttyUSB0", "ttyUSB1")
        gateway, sensor, motor = (
            stack.enter_context(Device(link=folder / name)) for name in names)
        terminal = stack.enter_context(
            Terminal(
                serialterm_binary(), "connect", *(str(folder / name) for name in names), "--status",
                size=size))
        screen = Screen(terminal, size)
        screen.wait_for_text("switches to the next one")
        for device, text in (
                (gateway, "gateway 2.1\r\n"), (sensor, "sensor: calibrated\r\n"),
                (motor, "motor: homing\r\n"), (gateway, "gw> ")):
            device.write(text.encode())
            screen.wait_for_text(text.strip())
        terminal.send(b"route")
        if gateway.read_exactly(5) != b"route":
            raise AssertionError("the focused port did not get what was typed")
        gateway.write(b"route")
        screen.wait_for_text("gw> route")
        for device, text in ((motor, "motor: at 0.00"), (sensor, "sensor: 21.5 C")):
            device.write(text.encode() + b"\r\n")
            screen.wait_for_text(text)
        yield screen, str(folder)


def several_ports():
    with three_boards() as (screen, folder):
        return normal(screen.text.replace(folder, "/dev"))


def commands():
    with Session(size=(24, 80)) as session:
        session.press(b"?", "Space: next")
        return session.shot()


def all_commands():
    with Session(size=(40, 120)) as session:
        session.press(b"?", "Escape: close")
        return session.shot()


def unplugging():
    """The palette's search, before and after the device goes."""
    with Session(size=(20, 80)) as session:
        session.say("ready\n> ")
        session.press(b":", "command:")
        session.terminal.send(b"set the")
        session.screen.wait_for_text("command: set the")
        before = session.frame("ctrl-t : and “set the” typed:")
        session.device.hang_up()
        session.screen.wait_for_text("(off: no device")
        return [before, session.frame("The device is unplugged, the list is still open:")]


def listing():
    """The first page of the list of commands, which has those that have a key and are available."""
    with Session(size=(24, 80)) as session:
        session.press(b"?", "Space: next")
        return [session.frame("ctrl-t ?")]


def ports_frame():
    with three_boards() as (screen, folder):
        rows = [[run._replace(text=normal(run.text.replace(folder, "/dev"))) for run in row]
                for row in screen.runs]
        return picture.Frame("serialterm ttyACM0 ttyUSB0 ttyUSB1 --status", rows)


@contextlib.contextmanager
def two_people(size=(11, 80)):
    """A session and a user who has joined it, asks for the pen, gets it and types."""
    with Session("--as", "max", size=size) as session:
        session.say("board ready\n> ")
        terminal = Terminal(
            serialterm_binary(), "attach", str(session.terminal.pid), "--as", "anna", size=size)
        with terminal:
            screen = Screen(terminal, size)
            screen.wait_for_text("ctrl-t w asks for it")
            screen.wait_for_text("board ready")
            session.screen.wait_for_text("anna is here")
            terminal.send(PREFIX + b"w")
            session.screen.wait_for_text("ctrl-t w gives it")
            session.press(b"w", "give it to anna")
            session.terminal.send(b"\r")
            screen.wait_for_text("you have the pen")
            terminal.send(b"led on\r")
            if session.device.read_exactly(7) != b"led on\r":
                raise AssertionError("the device did not get what was typed")
            session.device.write(b"> led on\r\n> ")
            for one in (session.screen, screen):
                one.wait_for_text("led on")
            yield session, screen


def without_numbers(text, path):
    """A row with the same node and the same process in every picture: their lengths differ."""
    same = re.sub(r"session \d+", "session 4711", text.replace(path, NODE))
    return text if same == text else same.rstrip().ljust(80)


def sharing_frames():
    with two_people() as (session, screen):
        # The process has another number each time.
        rows = [[run._replace(text=without_numbers(run.text, session.path)) for run in row]
                for row in screen.runs]
        return [
            session.frame("max: serialterm connect ttyUSB0"),
            picture.Frame("anna, in another terminal: serialterm attach", rows)]


def readings(count):
    """The lines of a sensor that warms up, with some noise."""
    noise = random.Random(7)
    for number in range(count):
        temperature = 31 - 6 * math.exp(-number / 60) + noise.uniform(-0.15, 0.15)
        humidity = 41 + 3 * math.sin(number / 23) + noise.uniform(-0.3, 0.3)
        yield f"temp:{temperature:.2f}C\thumidity:{humidity:.1f}%"


def plot_frame(size=(24, 88)):
    """A plot above the text. Its times are those of the lines, so that it is never the same."""
    with Session(size=size) as session:
        started = time.monotonic()
        for number, line in enumerate(readings(200)):
            pace(started, number, 50)
            session.device.write(f"{line}\r\n".encode())
        session.press(b"y", "ctrl-t y: keys of the plot")
        return session.frame("ctrl-t y, while a sensor sends its readings:")


def chart():
    """The picture that `serialterm plot` makes of a log."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "sensor.txt"
        start = datetime.datetime(2026, 11, 21, 7, 31, tzinfo=datetime.timezone.utc)
        lines = []
        for number, line in enumerate(readings(600)):
            moment = start + datetime.timedelta(milliseconds=200 * number)
            lines.append(f"[{moment.isoformat(timespec='microseconds')}] {line}\n")
        log.write_text("".join(lines))
        image = Path(folder) / "sensor.svg"
        done = run(
            serialterm_binary(), "plot", str(log), "--svg", str(image), variables={"TZ": "UTC"})
        if done.status != 0:
            raise AssertionError(f"no picture of the log: {done}")
        return image.read_text()


CRASH = """\
I (3017) weather: reading sensor
Guru Meditation Error: Core  0 panic'ed (LoadProhibited).
PC      : 0x400d1f2c  PS      : 0x00060630  A0      : 0x800d204c
EXCVADDR: 0x00000000  LBEG    : 0x4000c2e0  LEND    : 0x4000c2f6

Backtrace: 0x400d1f29:0x3ffb5a80 0x400d2049:0x3ffb5ab0
Rebooting...
"""
# What addr2line of the toolchain says about the addresses.
SENSOR = "read_sensor\n/home/ana/weather/main/sensor.c:42\napp_main\n/home/ana/weather/main/main.c:18\n"
TASK = "main_task\n/opt/esp-idf/components/freertos/app_startup.c:208\n"


def firmware(folder):
    """An ELF file for Xtensa with code from 0x400d0000 on, and an addr2line that knows three addresses. The same
    on each computer, unlike what a compiler makes."""
    names = b"\0.text\0.debug_line\0.shstrtab\0"
    sections = [
        (0, 0, 0, 0, 0, 0), (1, 1, 6, 0x400D0000, 0, 0x20000), (7, 1, 0, 0, 0, 0), (19, 3, 0, 0, 52, len(names))]
    table = b"".join(struct.pack("<10I", *section, 0, 0, 1, 0) for section in sections)
    header = b"\x7fELF\1\1\1" + bytes(9) + struct.pack(
        "<HHIIIIIHHHHHH", 2, 94, 1, 0, 0, 52 + len(names), 0, 52, 32, 0, 40, len(sections), 3)
    elf, program = Path(folder) / "weather.elf", Path(folder) / "addr2line"
    elf.write_bytes(header + names + table)
    program.write_text(f"""#!/bin/sh
while read address && read mark; do
  echo $address
  case $address in
    0x400d1f*) printf {SENSOR!r} ;;
    *) printf {TASK!r} ;;
  esac
  printf '%s\\n??\\n??:0\\n' $mark
done
""")
    program.chmod(0o755)
    return elf, program


def crash_frames(size=(15, 80)):
    """A crash without and with the source lines of its addresses."""
    frames = []
    with tempfile.TemporaryDirectory() as folder:
        elf, program = firmware(folder)
        for caption, options, last in (
                ("A crash:", (), "Rebooting..."),
                ("The same with --elf build:", ("--elf", str(elf), "--addr2line", str(program)), "main_task at")):
            with Session(*options, size=size) as session:
                # Known addresses have their notes right below their lines.
                for address in ("0x400d1f2c", "0x400d1f29", "0x400d2049"):
                    if options:
                        session.device.write(f"{address}\r\n".encode())
                if options:
                    session.screen.wait_for_text("main_task at")
                    session.terminal.send(PREFIX + b"l")
                    session.screen.wait_until_gone("main_task at")
                session.say(CRASH)
                session.screen.wait_for_text(last)
                frames.append(session.frame(caption))
    return frames


def varying_pictures():
    """The pictures that are different each time they are made, by their files."""
    frame = plot_frame()
    return {
        DOCUMENTS / f"plot-{name}.svg": picture.svg([frame], theme, "A plot above the text")
        for name, theme in picture.THEMES.items()}


def pictures():
    """The other pictures of the documents, by their files."""
    titles = {
        "palette": (
            unplugging(), "The command palette before and after the device is unplugged"),
        "commands": (listing(), "The list of commands by their groups"),
        "ports": ([ports_frame()], "Three devices in one session, line by line"),
        "sharing": (sharing_frames(), "Two people at one board"),
        "symbols": (crash_frames(), "A crash without and with source lines"),
    }
    drawn = {
        DOCUMENTS / f"{file}-{name}.svg": picture.svg(frames, theme, title)
        for file, (frames, title) in titles.items() for name, theme in picture.THEMES.items()}
    return drawn | {DOCUMENTS / "plot-chart.svg": chart()}


# The screens that can be made anywhere, by their headings.
SHOTS = {
    "The port is open": palette, "The device is unplugged while the list is open": unplugged,
    "The port is released": released, "Nothing may be sent": read_only,
    "A file is being sent": transferring, "The status line": status_line, "Hex": hexadecimal,
    "Timestamps": timestamps, "Line input": line_input,
    "Searching": searching, "All lines around a match": around_a_match,
    "Three devices": several_ports, "The list of commands": commands,
    "The list of commands on a large screen": all_commands,
    "A question with --plain": plain,
}
# The one that needs pretended devices, see Tests/stage/mock_chooser.py.
CHOOSER = "No device was named"


def documented():
    """The screens in the document, by their headings."""
    part = DOCUMENT.read_text().partition(BEGIN)[2].partition(END)[0]
    return dict(re.findall(r"(?ms)^### (.*?)\n\n```text\n(.*?)\n```$", part))


def section(shots):
    """The part of the document that shows them."""
    return "\n\n".join(f"### {title}\n\n```text\n{text}\n```" for title, text in shots.items())
