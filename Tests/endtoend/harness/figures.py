"""Measurements of the screen tests."""

import os
import statistics


def measured(name, values, unit):
    """Appends a line to the file $SERIALTERM_SCREEN_FIGURES, if that is set: the median and the
    worst of the values, or the one value."""
    path = os.environ.get("SERIALTERM_SCREEN_FIGURES")
    if not path:
        return
    values = values if isinstance(values, list) else [values]
    with open(path, "a", encoding="utf-8") as file:
        file.write(
            f"{name}: median {statistics.median(values):.1f} {unit}, worst {max(values):.1f} "
            f"{unit}, {len(values)} times\n")
