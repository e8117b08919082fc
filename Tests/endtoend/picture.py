"""Draws screens as an SVG picture: `scripts/screens` makes those in README.md and docs."""

from typing import NamedTuple
from xml.sax.saxutils import escape

# Pixels.
CELL, LINE, FONT, MARGIN, CAPTION = 8.4, 18, 14, 14, 26


class Frame(NamedTuple):
    """A screen: its caption, and the runs of equal text of each row (see `Screen.runs`)."""

    caption: str
    rows: list


class Theme(NamedTuple):
    """The colours."""

    page: str
    window: str
    border: str
    text: str
    dim: str
    caption: str
    # By pyte's names.
    colours: dict


# Colours of the palette of 256, which pyte names by their values, as colours of the themes.
PALETTE = {"005fff": "blue", "af5f00": "brown", "008700": "green", "d700d7": "magenta",
           "d70000": "red", "008787": "cyan"}

THEMES = {
    "light": Theme(
        "none", "#ffffff", "#d0d7de", "#1f2328", "#9198a1", "#59636e",
        {"red": "#cf222e", "green": "#116329", "brown": "#9a6700", "blue": "#0969da",
         "magenta": "#8250df", "cyan": "#1b7c83"}),
    "dark": Theme(
        "none", "#0d1117", "#3d444d", "#f0f6fc", "#656c76", "#9198a1",
        {"red": "#ff7b72", "green": "#3fb950", "brown": "#d29922", "blue": "#58a6ff",
         "magenta": "#bc8cff", "cyan": "#39c5cf"}),
}


def svg(frames, theme, title):
    """All frames, below each other."""
    columns = max(start + len(run.text) for frame in frames for row in frame.rows
                  for start, run in places(row))
    width = round(columns * CELL) + 2 * MARGIN
    parts, top = [], 0
    for frame in frames:
        height = len(frame.rows) * LINE + 2 * MARGIN
        parts.append(
            f'<text x="{MARGIN}" y="{top + 18}" fill="{theme.caption}" '
            f'font-family="sans-serif">{escape(frame.caption)}</text>')
        top += CAPTION
        parts.append(
            f'<rect x="0.5" y="{top + 0.5}" width="{width - 1}" height="{height - 1}" rx="6" '
            f'fill="{theme.window}" stroke="{theme.border}"/>')
        for number, row in enumerate(frame.rows):
            parts += row_parts(row, top + MARGIN + number * LINE, theme)
        top += height + MARGIN
    top -= MARGIN
    return "\n".join([
        (f'<svg xmlns="http://www.w3.org/2000/svg" role="img" viewBox="0 0 {width} {top}" '
         f'width="{width}" height="{top}" font-family="monospace" font-size="{FONT}">'),
        f"<title>{escape(title)}</title>", *parts, "</svg>", ""])


def places(row):
    """The runs of a row, with the column that each begins in."""
    start = 0
    for run in row:
        yield start, run
        start += len(run.text)


def row_parts(row, top, theme):
    """The elements of one row of a screen."""
    for start, run in places(row):
        width = f"{len(run.text) * CELL:.1f}"
        left = f"{MARGIN + start * CELL:.1f}"
        colour = theme.dim if run.dim else theme.colours.get(
            PALETTE.get(run.colour, run.colour), theme.text)
        if run.reverse:
            yield (f'<rect x="{left}" y="{top}" width="{width}" height="{LINE}" '
                   f'fill="{colour}" shape-rendering="crispEdges"/>')
            colour = theme.window
        if run.text.strip():
            weight = ' font-weight="bold"' if run.bold else ""
            # The length keeps the columns aligned with any font of the viewer.
            yield (f'<text x="{left}" y="{top + FONT}" fill="{colour}"{weight} '
                   f'textLength="{width}" lengthAdjust="spacingAndGlyphs" '
                   f'xml:space="preserve">{escape(run.text)}</text>')
