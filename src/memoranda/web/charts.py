"""Charts drawn on the server as SVG, each with a text alternative.

No script or library is used. Colours come from classes, and sizes are attributes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup, escape

WIDTH = 1_000
"""Width of a chart in its own units, regardless of its size on screen."""
MAX_POINTS = 400
FEW = 14
"""Minimum number of columns that a chart has space for.

A single column therefore does not fill the chart.
"""


@dataclass(frozen=True, slots=True)
class Band:
    """A segment of a bar: its label, width and CSS class."""

    label: str
    weight: float
    kind: str = ""


def bands(pieces: Sequence[Band], about: str) -> Markup:
    """Draw segments side by side, each as wide as its share."""
    whole = sum(band.weight for band in pieces) or 1
    drawn, at = [], 0.0
    for piece in pieces:
        width = piece.weight / whole * WIDTH
        drawn.append(
            Markup('<rect class="band {}" x="{}" width="{}" height="14"><title>{}</title></rect>')
            .format(piece.kind, _n(at), _n(max(width - 2, 1)), piece.label)
        )  # fmt: skip
        at += width
    return _picture(drawn, 14, about, "bands")


def bar(part: float, whole: float, about: str, kind: str = "") -> Markup:
    """Draw a bar that shows the used part of a total.

    A part greater than the total fills the bar, by default with the class ``bad``.
    """
    filled = min(1.0, part / whole) if whole > 0 else 0.0
    kind = kind or ("bad" if whole > 0 and part > whole else "warn" if filled > 0.8 else "good")
    drawn = [
        Markup('<rect class="track" width="{}" height="9" rx="4"/>').format(WIDTH),
        Markup('<rect class="fill {}" width="{}" height="9"/>').format(kind, _n(filled * WIDTH)),
    ]
    return _picture(drawn, 9, about, "bar")


def columns(values: Sequence[tuple[str, float]], about: str, height: int = 120) -> Markup:
    """Draw a column for each value, the highest at full height.

    Labels are titles.
    """
    shown = values[-MAX_POINTS:]
    top = max((value for _, value in shown), default=0) or 1
    step = WIDTH / max(len(shown), FEW)
    drawn = []
    for number, (label, value) in enumerate(shown):
        tall = max(value / top * (height - 4), 1 if value else 0)
        drawn.append(
            Markup('<rect class="column" x="{}" y="{}" width="{}" height="{}">'
                   '<title>{}</title></rect>')
            .format(_n(number * step), _n(height - tall), _n(step * 0.8), _n(tall), label)
        )  # fmt: skip
    return _picture(drawn, height, about, "columns")


def line(values: Sequence[tuple[str, float]], about: str, height: int = 120) -> Markup:
    """Draw a line through successive values, from the lowest to the highest.

    If all values are equal, the line is in the middle.
    """
    shown = values[-MAX_POINTS:]
    numbers = [value for _, value in shown]
    low, high = min(numbers, default=0), max(numbers, default=1)
    step, reach = WIDTH / max(len(shown) - 1, 1), high - low
    points = " ".join(
        f"{_n(at * step)},"
        f"{_n(height - 4 - ((value - low) / reach if reach else 0.5) * (height - 8))}"
        for at, value in enumerate(numbers)
    )
    drawn = [Markup('<polyline class="line" points="{}"/>').format(points)]
    return _picture(drawn, height, about, "lines")


def _picture(shapes: Sequence[Markup], height: int, about: str, kind: str) -> Markup:
    return Markup(
        '<svg class="picture {}" role="img" aria-label="{}" viewBox="0 0 {} {}" '
        'preserveAspectRatio="none" height="{}">{}</svg>'
    ).format(kind, escape(about), WIDTH, height, height, Markup("").join(shapes))


def _n(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
