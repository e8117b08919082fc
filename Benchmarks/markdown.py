"""Tables of figures in the documents."""

import platform
import sys
from pathlib import Path


def table(head, rows):
    """A table in Markdown."""
    return "".join(f"| {' | '.join(line)} |\n" for line in (head, ["---"] * len(head), *rows))


def machine():
    """The machine that the figures come from."""
    cores = Path("/proc/cpuinfo").read_text().count("processor\t")
    return f"Linux {platform.release().split('-')[0]}, {platform.machine()}, {cores} cores"


def write(document, name, text):
    """Replaces the text between the two markers in a document."""
    begin, end = f"<!-- {name}: begin -->\n", f"<!-- {name}: end -->\n"
    before, found, rest = document.read_text().partition(begin)
    _, found_end, after = rest.partition(end)
    if not (found and found_end):
        sys.exit(f"{document}: no markers {begin.strip()} and {end.strip()}")
    document.write_text(f"{before}{begin}\n{text}\n{end}{after}")
