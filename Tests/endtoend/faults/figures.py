"""Measurements of the tests, for the table in docs/reliability.md."""

import json
import os
import statistics


def record(row, name, values, unit, at_most=None, typical=None):
    """Appends a figure of a row of the fault matrix, or of a page of the documentation, to the file
    $SERIALTERM_FIGURES, if that is set: one value, or the median and the worst of a list.

    `at_most` is the promised time, in the same unit, and `typical` the one for the median. No test fails because of
    them: `scripts/bench promises` compares them with the figures, with nothing else running."""
    path = os.environ.get("SERIALTERM_FIGURES")
    if not path:
        return
    values = values if isinstance(values, list) else [values]
    figure = {
        "row": row, "name": name, "unit": unit, "samples": len(values),
        "median": statistics.median(values), "worst": max(values), "at_most": at_most, "typical": typical}
    with open(path, "a", encoding="utf-8") as file:
        file.write(json.dumps(figure) + "\n")


def recorded(path):
    """The figures in a file, sorted by row, then by page, then in the order of their first appearance. Of several
    with the same name, the one with the most samples counts, and of those the last."""
    figures = {}
    with open(path, encoding="utf-8") as file:
        for figure in map(json.loads, file):
            key = figure["row"], figure["name"]
            if key not in figures or figures[key]["samples"] <= figure["samples"]:
                figures[key] = figure
    return sorted(figures.values(), key=lambda figure: (isinstance(figure["row"], str), figure["row"]))
