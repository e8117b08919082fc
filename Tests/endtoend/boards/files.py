"""The files on the board, and settings with which programs show nothing that changes."""

import contextlib
import os
import subprocess
from pathlib import Path

# Rows with colours, tabs and wide characters, some wider than the screen.
TEXT = "".join(
    f"row {row} \x1b[3{row % 8}mcolour\x1b[0m\ttab \u4e16\u754c {'wide ' * (row % 40)}\n" for row in range(1, 201))
CODE = "#include <stdio.h>\n/* a comment */\n" + "".join(
    f'int f{number}() {{ return {number}; }} // "text"\n' for number in range(90))

# One dialog after the other. In this locale their lines are special graphics.
DIALOGS = """\
export LC_ALL=C
items=$(for i in 1 2 3 4 5 6 7 8 9; do echo item$i text$i; done)
dialog --title Choose --menu "What to do?" 15 50 6 $items 2>/dev/null
dialog --checklist "Which ones?" 12 40 4 a first on b second off c third off 2>/dev/null
dialog --inputbox "A name" 8 40 start 2>/dev/null
dialog --textbox code.c 20 70
dialog --yesno "Sure?" 7 30
clear
"""

# Names and numbers, no meters, and no updates.
HTOP = """\
fields=0 1
sort_key=0
sort_direction=1
header_layout=one_100
column_meters_0=Blank
column_meter_modes_0=2
left_meters=Blank
left_meter_modes=2
delay=6000
"""

# Neither a hint, of which there are many, nor the room on the disk.
MC = """\
[Midnight-Commander]
auto_save_setup=false
confirm_exit=false
use_internal_view=true
[Layout]
message_visible=false
free_space=false
xterm_title=false
"""

# Without a rule that takes what comes fast for a paste.
TMUX = """\
set -g assume-paste-time 0
set -g status-right ''
set -g automatic-rename off
set -g default-command 'PS1="$ " bash --noprofile --norc -i'
"""

STARTS = {
    "start-htop": 'cp htop.rc "$HOME" && HTOPRC="$HOME/htop.rc" exec htop -p {pids}\n',
    "start-mc": 'mkdir -p "$HOME/.config/mc" && cp mc.ini "$HOME/.config/mc/ini" && exec mc -u . many\n',
}


def make(folder, pids=()):
    """Makes the files, which have a fixed time."""
    folder = Path(folder)
    (folder / "many").mkdir()
    files = {
        "text": TEXT, "code.c": CODE, "dialogs": DIALOGS, "htop.rc": HTOP, "mc.ini": MC, "tmux.conf": TMUX, **STARTS}
    files.update((f"many/file{number:02}", "x\n" * number) for number in range(40))
    for name, text in files.items():
        (folder / name).write_text(text.format(pids=",".join(map(str, pids))) if name == "start-htop" else text)
    for path in (*folder.rglob("*"), folder, folder.parent):
        os.utime(path, (1_700_000_000,) * 2)


@contextlib.contextmanager
def sensors(count=40):
    """Runs programs for a list of them, which do nothing. Their numbers, which are in their order."""
    names = [f"sensor-{number:02}" for number in range(count)]
    with contextlib.ExitStack() as stack:
        def start():
            programs = [stack.enter_context(subprocess.Popen([name, "infinity"], executable="/bin/sleep"))
                        for name in names]
            stack.callback(lambda: [program.kill() for program in programs])
            return programs

        programs = start()
        # The numbers begin again behind the highest one (pid_max).
        if programs[0].pid > programs[-1].pid:
            programs = start()
        yield [program.pid for program in programs]
