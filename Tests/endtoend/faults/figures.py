"""Measurements of the tests, for the table in docs/reliability.md."""

import json
import os
import statistics


def under_load(limit):
    """The limit of a promise in a test that runs beside others: four times the promise, which is for a quiet machine.
    While figures are recorded, which is done on one, the promise itself."""
    return limit if os.environ.get("SERIALTERM_FIGURES") else 4 * limit


def record(row, name, values, unit):
    """Appends a figure of a row of the fault matrix to the file $SERIALTERM_FIGURES, if that is
    set: one value, or the median and the worst of a list."""
    path = os.environ.get("SERIALTERM_FIGURES")
    if not path:
        return
    values = values if isinstance(values, list) else [values]
    figure = {
        "row": row, "name": name, "unit": unit, "samples": len(values),
        "median": statistics.median(values), "worst": max(values)}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(figure) + "\n")


def recorded(path):
    """The figures in a file, sorted by row, then in the order of their first appearance. Of several
    with the same name, the one with the most samples counts, and of those the last."""
    figures = {}
    with open(path, encoding="utf-8") as file:
        for figure in map(json.loads, file):
            key = figure["row"], figure["name"]
            if key not in figures or figures[key]["samples"] <= figure["samples"]:
                figures[key] = figure
    return sorted(figures.values(), key=lambda figure: figure["row"])
