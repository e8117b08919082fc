"""The faults with which every terminal program can be tested. Each takes a program and returns the
outcome in a few words; `good` is whether that is what serialterm promises.

    outcome = FAULTS["stalled"].put(program)

The sleeps are intervals of measurement: other programs say nothing that could be waited for.
"""

import contextlib
import os
import re
import select
import signal
import statistics
import tempfile
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from Tests.endtoend.harness import (
    Deadline, Device, Pipes, Terminal, contents, pace, shell_status, unread, wait_until)

from . import processes
from .words import number, text

# The seconds that serialterm promises for everything that is timed here.
PROMISED = 0.5
# The pasted and piped data: its size in bytes, and the rate in bytes per second.
SIZE, RATE = 200_000, 50_000
# The size of the text that is typed to a device that takes nothing, in bytes.
UNSENT = 30_000
# The size of the data piped to a device that is unplugged half-way. Programs read all of it ahead.
CUT = 60_000
# The number of times that a device is plugged in again, and its output.
REPLUGS, WORD = 10, re.compile(rb"<\d{4}>")


class Outcome(NamedTuple):
    """The reaction of a program."""

    text: str
    # Whether it is what serialterm promises, apart from how long it took.
    is_right: bool
    # How long it took, if there is a promise for that.
    seconds: float = None

    @property
    def good(self):
        return self.is_right and (self.seconds is None or self.seconds <= PROMISED)


class Fault(NamedTuple):
    """A fault: its title in the table, and the function that tests a program with it."""

    title: str
    put: Callable


@contextlib.contextmanager
def place():
    """A folder with a device in it."""
    with tempfile.TemporaryDirectory() as folder, Device(Path(folder) / "port") as device:
        yield Path(folder), device


@contextlib.contextmanager
def running(program, device, kind=Terminal, **options):
    """The program on a terminal, with its port open and its screen drawn."""
    with kind(*program.arguments(device.path, **options)) as terminal:
        terminal.expect(program.ready)
        settle(terminal)
        yield terminal


def settle(terminal):
    """Waits until the program writes nothing for 0.2 s: some programs continue to set up after
    they report that they are ready, and do not report the end of that."""
    seen = -1
    while seen != len(terminal.output):
        seen = len(terminal.output)
        time.sleep(0.2)


def quit_keys(program, terminal):
    """Types the keys that quit. Waits before keys that confirm, until the program has asked."""
    for index, keys in enumerate(program.quit):
        if index:
            time.sleep(0.3)
        with contextlib.suppress(AssertionError, OSError):  # It reads no keys, or has ended.
            terminal.send(keys, program.patience)


def read_at(device, count, rate, quiet):
    """Reads up to `count` bytes at a rate, until nothing comes for `quiet` seconds."""
    data, started = b"", time.monotonic()
    while len(data) < count and select.select([device.descriptor], [], [], quiet)[0]:
        try:
            data += os.read(device.descriptor, 256)
        except OSError:
            break
        pace(started, len(data), rate)
    return data


def write_some(device, data, quiet):
    """Writes data until all of it, or nothing for `quiet` seconds, is accepted; returns the number of bytes."""
    view = memoryview(data)
    os.set_blocking(device.descriptor, False)
    while view and select.select([], [device.descriptor], [], quiet)[1]:
        with contextlib.suppress(BlockingIOError):
            view = view[os.write(device.descriptor, view):]
    return len(data) - len(view)


def status_in_words(status):
    return f"ended by {signal.Signals(-status).name}" if status < 0 else f"exit {status}"


def delivered(received, data):
    """Describes how much of the data was received."""
    if received == data:
        return "all of it"
    if data.startswith(received):
        return f"{len(received):,} bytes, then nothing"
    return f"{len(received):,} of {len(data):,} bytes, with holes"


# MARK: The faults


def paste(program):
    data = text(SIZE)
    with place() as (_, device), running(program, device) as terminal:
        def typing():
            with contextlib.suppress(AssertionError, OSError):
                terminal.send(data, SIZE / RATE + 2 * program.patience)

        typist = threading.Thread(target=typing)
        typist.start()
        try:
            received = read_at(device, SIZE, RATE, program.patience)
        finally:
            if len(received) < SIZE:
                terminal.signal(signal.SIGKILL)
            typist.join()
        return Outcome(delivered(received, data), received == data)


def pipe(program):
    data = text(SIZE)
    with place() as (_, device), Pipes(*program.arguments(device.path)) as pipes:
        pipes.send(data, then_close=True)
        received = read_at(device, SIZE, RATE, program.patience)
        ended = processes.seconds_to_end(pipes, limit=program.patience)
        status = pipes.process.poll()
        end = "does not end" if ended is None else status_in_words(status)
        return Outcome(
            f"{delivered(received, data)}, {end}", received == data and status == 0)


def quitting(program):
    with place() as (_, device), running(program, device) as terminal:
        started = time.monotonic()
        quit_keys(program, terminal)
        return leaving(program, terminal, started)


def stalled(program):
    with place() as (_, device), running(program, device) as terminal:
        terminal.stall()
        write_some(device, text(230_000), 1)
        started = time.monotonic()
        quit_keys(program, terminal)
        return leaving(program, terminal, started)


def terminated_while_stalled(program):
    with place() as (_, device), running(program, device) as terminal:
        terminal.stall()
        write_some(device, text(230_000), 1)
        started = time.monotonic()
        terminal.signal(signal.SIGTERM)
        return leaving(program, terminal, started)


def leaving(program, terminal, started):
    seconds = processes.seconds_to_end(terminal, started, program.patience)
    if seconds is None:
        return still_running(program)
    restored = terminal.settings == terminal.original_settings
    how = "" if restored else ", terminal left raw"
    return Outcome(f"{seconds:.2f} s{how}", restored, seconds)


def still_running(program):
    return Outcome(f"still runs after {program.patience} s", False)


def log(program):
    data = text(230_000)
    with place() as (folder, device), \
            running(program, device, log=folder / "log") as terminal:
        terminal.stall()
        write_some(device, data, program.patience)
        path = folder / "log"
        with contextlib.suppress(AssertionError):
            wait_until(lambda: data in contents(path), "all of it is logged", program.patience)
        kept = contents(path)
        # Some programs first write a separate line.
        count = len(data) if data in kept else len(kept)
        return Outcome(f"{100 * min(count, len(data)) // len(data)} %", data in kept)


def last(program):
    data = text(20_000)
    with place() as (folder, device), \
            running(program, device, log=folder / "log") as terminal:
        with contextlib.suppress(AssertionError):
            # The kernel drops what is unread. How soon a program reads depends on the machine.
            device.write_until_read(data, program.patience)
        time.sleep(0.05)  # The time until the device is unplugged.
        device.hang_up()
        # Some programs end now. The others wait for the device; quitting lets them write their log.
        if processes.seconds_to_end(terminal, limit=0.5) is None:
            quit_keys(program, terminal)
            processes.seconds_to_end(terminal, limit=program.patience)
        kept = (folder / "log").read_bytes()
        return Outcome(
            "all of it" if data in kept else f"{min(len(kept), len(data)):,} bytes", data in kept)


def terminated(program):
    with place() as (_, device), running(program, device) as terminal:
        terminal.signal(signal.SIGTERM)
        seconds = processes.seconds_to_end(terminal, limit=program.patience)
        if seconds is None:
            return still_running(program)
        outcome = after(terminal, terminal.wait(0), (143,))
        late = f", after {seconds:.1f} s" if seconds > PROMISED else ""
        return Outcome(outcome.text + late, outcome.is_right, seconds)


def killed(program):
    return ended_by(signal.SIGKILL, program)


def crashed(program):
    return ended_by(signal.SIGSEGV, program)


def ended_by(number, program):
    with place() as (_, device), running(program, device) as terminal:
        terminal.signal(number)
        status = terminal.wait()
        with contextlib.suppress(AssertionError):
            wait_until(
                lambda: terminal.settings == terminal.original_settings, "restored", program.patience)
        return after(terminal, status, (128 + number,))


def after(terminal, status, expected):
    restored = terminal.settings == terminal.original_settings
    return Outcome(
        f"{'restored' if restored else 'left raw'}, {status_in_words(status)}",
        restored and shell_status(status) in expected)


def others(program):
    """Whether the shell that started the program, or another process of its group, ends too."""
    ended = []
    ways = (("quitting", None), ("SIGTERM", signal.SIGTERM), ("SIGINT", signal.SIGINT),
            ("unplugging", None))
    for way, number in ways:
        script = 'sleep 600 & echo "sibling $!"; "$0" "$@"; echo "ended $?"; read -r _'
        with place() as (_, device):
            arguments = program.arguments(device.path)
            with Terminal("sh", "-c", script, *arguments) as shell:
                sibling = int(shell.expect(re.compile(rb"sibling (\d+)")).group(1))
                shell.expect(program.ready)
                settle(shell)
                pid = next(
                    pid for pid in processes.in_session(shell.pid)
                    if pid != sibling and processes.parent_of(pid) == shell.pid)
                ends = True
                if way == "quitting":
                    quit_keys(program, shell)
                elif way == "unplugging":
                    device.hang_up()
                    # Some programs wait for the device, which is fine here.
                    try:
                        wait_until(lambda: processes.state_of(pid) in (None, "Z"), "ends", 0.5)
                    except AssertionError:
                        ends = False
                else:
                    os.kill(pid, number)
                if ends:
                    with contextlib.suppress(AssertionError):
                        shell.expect(b"ended", program.patience)
                if not shell.running:
                    ended.append(f"{way} ends the shell")
                elif processes.state_of(sibling) in (None, "Z"):
                    ended.append(f"{way} ends a sibling")
    return Outcome("; ".join(ended) or "nobody else ends", not ended)


def unplugged(program):
    with place() as (_, device), running(program, device) as terminal:
        before = len(terminal.output)
        started = time.monotonic()
        device.hang_up()
        said = terminal.transcript.wait_beyond(before, program.patience)
        seconds = processes.seconds_to_end(terminal, started, 1)
        if seconds is not None:
            result = after(terminal, terminal.wait(0), range(256))
            return Outcome(f"ends after {1000 * seconds:.0f} ms, {result.text}", False)
        when = terminal.transcript.arrival(before) - started if said else None
        # Something else on the machine may give it something to do once.
        for _ in range(3):
            used = processes.processor_seconds(terminal.pid)
            time.sleep(1)  # The interval over which processor time is measured.
            share = 100 * (processes.processor_seconds(terminal.pid) - used)
            if share < 1:
                break
        device.plug(says=b"first words\r\n")
        is_back = goes_on(program, device, terminal)
        end = "goes on" if is_back else "does not go on"
        heard = b"first words" in terminal.output
        if is_back and not heard:
            end += ", the device's first words are lost"
        how = f"said after {1000 * when:.0f} ms" if said else "says nothing"
        return Outcome(
            f"{how}, waits ({share:.1f} % CPU), {end}", said and is_back and heard and share < 1)


def replugged(program):
    """A device that sends a numbered word every millisecond as soon as it is plugged in: the delay
    until the first is shown, and the number that are lost."""
    delays, lost = [], []
    with place() as (_, device), running(program, device) as terminal:
        for index in range(REPLUGS):
            before = len(terminal.output)
            device.hang_up()
            # Long enough to be noticed, and ending at any point of a second.
            time.sleep(0.5 + 0.1 * index)
            terminal.transcript.wait_beyond(before, program.patience)
            seen = len(terminal.output)
            started = time.monotonic()
            device.plug(says=b"<0000>")
            count = speak_until_heard(program, device, terminal, seen)
            words = list(WORD.finditer(terminal.output, seen))
            if not words:
                return Outcome("does not come back", False)
            first = words[0].start()
            delays.append(1000 * (terminal.transcript.arrival(first) - started))
            lost.append(count - len(words))
    missing = f"{statistics.median(lost):,.0f} words lost" if any(lost) else "nothing lost"
    return Outcome(
        f"{statistics.median(delays):.0f} ms, worst {max(delays):.0f} ms; {missing}",
        not any(lost), max(delays) / 1000)


def speak_until_heard(program, device, terminal, seen):
    """Sends words until 100 after the first one that is shown; returns how many were sent."""
    count, heard_at, deadline = 1, None, Deadline(program.patience)
    started = time.monotonic()
    while not deadline.passed and (heard_at is None or count < heard_at + 100):
        with contextlib.suppress(AssertionError):
            device.write(b"<%04d>" % count, deadline.left)
            count += 1
        pace(started, count, 1000)
        if heard_at is None and WORD.search(terminal.output, seen):
            heard_at = count
    if heard_at is not None:
        with contextlib.suppress(AssertionError):
            wait_until(
                lambda: b"<%04d>" % (count - 1) in terminal.output[seen:], "all is shown", program.patience)
    return count


def goes_on(program, device, terminal):
    """Whether output of a device that was plugged in again is shown. The device repeats it, because a program may
    lose output from before the open."""
    deadline = Deadline(program.patience)
    while not deadline.passed:
        with contextlib.suppress(AssertionError):
            device.write(b"here again\r\n", deadline.left)
            terminal.expect(b"here again", 0.2)
            return True
    return False


def held(program):
    with place() as (_, device), running(program, device, soft_flow=True) as terminal:
        device.write(b"\x13stopped")
        terminal.expect(b"stopped")
        terminal.send(b"hello")
        try:
            terminal.expect(b"held", program.patience)
            shown = True
        except AssertionError:
            shown = False
        started = time.monotonic()
        quit_keys(program, terminal)
        outcome = leaving(program, terminal, started)
        return Outcome(
            f"{'shown' if shown else 'not shown'}; {outcome.text}", shown and outcome.is_right, outcome.seconds)


def left_unsent(program, leave):
    """Types to a device that takes nothing, and quits: whether the exact number of unsent bytes is
    reported, and an exit status that is not 0."""
    with place() as (_, device), running(program, device) as terminal:
        with contextlib.suppress(AssertionError, OSError):  # Some stop reading the keyboard.
            terminal.send(text(UNSENT), program.patience)
            processes.wait_until_keys_are_read(terminal.pid, program.patience)
        settle(terminal)
        seen = len(terminal.output)
        leave(program, terminal)
        if processes.seconds_to_end(terminal, limit=program.patience) is None:
            return still_running(program)
        status = terminal.wait(0)
        count = reported(terminal.output[seen:])
        # poll(2) of a pseudo-terminal completes what is on its way, so nothing comes later.
        taken = len(read_at(device, UNSENT, 10_000_000, quiet=0))
        return unsent_outcome(count, UNSENT - taken, status)


def quit_unsent(program):
    return left_unsent(program, quit_keys)


def terminated_unsent(program):
    return left_unsent(program, lambda _, terminal: terminal.signal(signal.SIGTERM))


def cut(program):
    """A pipe whose device is unplugged in the middle, and does not come back."""
    data = text(CUT)
    with place() as (_, device), \
            Pipes(*program.arguments(device.path, reconnect=False)) as pipes:
        # Fits into the pipe.
        pipes.process.stdin.write(data)
        taken = len(read_at(device, CUT // 2, 10_000_000, program.patience))
        with contextlib.suppress(AssertionError):
            wait_until(lambda: not unread(pipes.process.stdin), "all of it is read ahead", program.patience)
        with processes.stopped(pipes.pid):
            # The kernel's buffer for the device is also read, and nothing can be added to it.
            taken += len(read_at(device, CUT, 10_000_000, quiet=0))
            device.hang_up()
        if processes.seconds_to_end(pipes, limit=program.patience) is None:
            return still_running(program)
        # The last words may not have been read yet.
        pipes.stderr.expect_end()
        count = reported(pipes.stderr.data + pipes.stdout.data)
        return unsent_outcome(count, CUT - taken, pipes.process.poll())


def reported(output):
    """The number of unsent bytes that a program reports; None if it reports none."""
    found = re.findall(rb"([\d,]+)(?: of [\d,]+)? (?:more )?bytes[^\n]*?not sent", output)
    return number(found[-1]) if found else None


def unsent_outcome(count, expected, status):
    if count is None:
        return Outcome(f"says nothing, {status_in_words(status)}", False)
    is_exact = count == expected
    how = "exact count" if is_exact else f"says {count:,} of {expected:,}"
    return Outcome(f"{how}, {status_in_words(status)}", is_exact and status != 0)


FAULTS = {
    "paste": Fault("200 kB pasted, device takes 50 kB/s", paste),
    "pipe": Fault("200 kB piped, device takes 50 kB/s", pipe),
    "quit": Fault("quit keys, nothing wrong", quitting),
    "stalled": Fault("quit keys, user's terminal stalled, 230 kB came", stalled),
    "stalled-term": Fault("SIGTERM, user's terminal stalled", terminated_while_stalled),
    "log": Fault("log of 230 kB, user's terminal stalled", log),
    "last": Fault("20 kB, unplugged 50 ms later: in the log", last),
    "unsent": Fault("30 kB typed, device takes nothing; quit keys: what was not sent", quit_unsent),
    "unsent-term": Fault("the same; SIGTERM", terminated_unsent),
    "cut": Fault("60 kB piped, unplugged half-way: what was not sent", cut),
    "held": Fault("XOFF for ever: shown; quit keys", held),
    "term": Fault("SIGTERM: the user's terminal", terminated),
    "crash": Fault("SIGSEGV: the user's terminal", crashed),
    "kill": Fault("SIGKILL: the user's terminal", killed),
    "others": Fault("others in its process group", others),
    "replugged": Fault(
        f"plugged in again {REPLUGS} times, talking: first words shown after", replugged),
    "unplugged": Fault("unplugged while idle, plugged in again", unplugged),
}


def put(program, name):
    """Tests a program with a fault. If that is not possible, the outcome is the reason."""
    if name in program.lacks:
        return Outcome(f"n/a: {program.lacks[name]}", False)
    try:
        return FAULTS[name].put(program)
    except (AssertionError, OSError) as error:
        return Outcome(f"n/a: {str(error).splitlines()[0][:120]}", False)
