"""The power switch of an emulated machine of qemu: SOCKET on|off|cycle, where the socket is that of `-qmp`. Without
power, the machine stands still before its first instruction."""

import json
import socket
import sys

COMMANDS = {"on": ["cont"], "off": ["stop", "system_reset"], "cycle": ["system_reset", "cont"]}


def perform(path, commands):
    with socket.socket(socket.AF_UNIX) as qemu:
        qemu.connect(path)
        lines = qemu.makefile("rw", encoding="utf-8")
        lines.readline()  # The greeting.
        for command in ("qmp_capabilities", *commands):
            lines.write(json.dumps({"execute": command}) + "\n")
            lines.flush()
            answer = json.loads(lines.readline())
            while "event" in answer:
                answer = json.loads(lines.readline())
            if "return" not in answer:
                sys.exit(f"{command}: {answer}")


if __name__ == "__main__":
    perform(sys.argv[1], COMMANDS[sys.argv[2]])
