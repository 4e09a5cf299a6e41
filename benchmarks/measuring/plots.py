"""Plots as SVG, drawn without a plotting library.

Their colours are variables of the surrounding page: ``--series-1`` to ``--series-8``, ``--ink``,
``--faint`` for secondary text, and ``--line``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from html import escape

COLOURS = 8
WIDTH, HEIGHT = 720, 300
LEFT, TOP, BOTTOM = 48, 14, 44
LABELS = 190
"""Space for names at the ends of lines."""
APART = 15
"""Minimum distance of two names."""


@dataclass(frozen=True, slots=True)
class Bar:
    """A value and, if known, its interval."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """Points of one series, from left to right."""

    name: str
    points: Sequence[tuple[float, float]]
    floor: bool = False
    """Whether it is the baseline of the others."""


def bars(
    groups: Sequence[str], series: Sequence[tuple[str, Sequence[Bar | None]]], names: Sequence[str]
) -> str:
    """Draw grouped bars from 0 to 1; each series has a bar or None per group.

    A series has the colour of its position in ``names``.
    """
    up = _scale(0, 1, HEIGHT - BOTTOM, TOP)
    room = (WIDTH - LEFT - 8) / len(groups)
    width = min(40.0, room * 0.84 / len(series))
    parts = list(_across_lines([0, 0.2, 0.4, 0.6, 0.8, 1], up, WIDTH - 8))
    for number, group in enumerate(groups):
        middle = LEFT + room * (number + 0.5)
        parts.append(_text(middle, HEIGHT - BOTTOM + 20, group, "middle"))
        for place, (name, values) in enumerate(series):
            if (bar := values[number]) is not None:
                left = middle + (place - len(series) / 2) * width
                colour = _colour(names.index(name))
                parts.append(_bar(bar, left, width, up, colour, f"{name}, {group}"))
    return _svg(parts, "bars of " + ", ".join(groups))


def lines(
    drawn: Sequence[Line],
    names: Sequence[str],
    across: str,
    upward: str,
    most: float | None = None,
) -> str:
    """Draw lines over a logarithmic axis, with ticks at the points.

    ``across`` and ``upward`` are the titles of the axes, ``most`` the end of the vertical one. A
    line has the colour of its position in ``names``, unless it is a floor.
    """
    xs = sorted({x for line in drawn for x, _ in line.points})
    ticks = _ticks(most or max(y for line in drawn for _, y in line.points))
    up = _scale(0, ticks[-1], HEIGHT - BOTTOM, TOP + 18)
    right = WIDTH - LABELS
    over = _scale(math.log(xs[0]), math.log(xs[-1]), LEFT + 24, right - 12)
    parts = [*_across_lines(ticks, up, right), _text(LEFT - 40, TOP, upward, "start")]
    parts += [_text(over(math.log(x)), HEIGHT - BOTTOM + 18, f"{x:,.0f}", "middle") for x in xs]
    parts.append(_text((LEFT + right) / 2, HEIGHT - 6, across, "middle"))
    ends = _spread([up(line.points[-1][1]) for line in drawn])
    for line, end in zip(drawn, ends, strict=True):
        colour = "var(--faint)" if line.floor else _colour(names.index(line.name))
        spots = [(over(math.log(x)), up(y)) for x, y in line.points]
        parts.append(_path(spots, colour, line.floor))
        parts += [
            _dot(spot, colour, f"{line.name}: {_number(y)} at {x:,.0f}")
            for spot, (x, y) in zip(spots, line.points, strict=True)
        ]
        parts.append(_label(spots[-1], right + 6, end, colour, line.name))
    return _svg(parts, f"{upward} against {across}")


def legend(shown: Sequence[str], names: Sequence[str]) -> str:
    """Return an HTML list of names with the colours that `bars` uses."""
    colours = {name: _colour(place) for place, name in enumerate(names)}
    items = (
        f'<li><span class="swatch" style="background:{colours[name]}"></span>{escape(name)}</li>'
        for name in shown
    )
    return f'<ul class="legend">{"".join(items)}</ul>'


def _svg(parts: Sequence[str], title: str) -> str:
    drawn = "\n".join(parts)
    return (
        f'<svg viewBox="0 0 {WIDTH} {HEIGHT}" role="img" aria-label="{escape(title)}">\n'
        f"{drawn}\n</svg>"
    )


def _scale(low: float, high: float, start: float, end: float) -> Callable[[float], float]:
    """Map values to positions linearly; a single value maps to the middle."""
    if high == low:
        return lambda value: (start + end) / 2
    return lambda value: start + (value - low) / (high - low) * (end - start)


def _ticks(most: float) -> list[float]:
    """Return four to six round ticks from 0 up to at least the highest value."""
    rough = (most or 1) / 5
    power = 10 ** math.floor(math.log10(rough))
    step = next(factor * power for factor in (1, 2, 2.5, 5, 10) if factor * power >= rough * 0.999)
    return [round(step * number, 10) for number in range(math.ceil(most / step - 0.001) + 1)]


def _spread(places: Sequence[float]) -> list[float]:
    """Move labels apart, within the plot, keeping their order."""
    order = sorted(range(len(places)), key=places.__getitem__)
    moved = list(places)
    above = -math.inf
    for number in order:
        above = moved[number] = max(moved[number], above + APART)
    below = HEIGHT - BOTTOM + 4.0 + APART
    for number in reversed(order):
        below = moved[number] = min(moved[number], below - APART)
    return moved


def _across_lines(
    ticks: Sequence[float], up: Callable[[float], float], right: float
) -> Iterator[str]:
    for tick in ticks:
        y = up(tick)
        yield f'<line class="grid" x1="{LEFT}" x2="{right:.1f}" y1="{y:.1f}" y2="{y:.1f}"/>'
        yield _text(LEFT - 8, y + 4, _number(tick), "end")


def _bar(
    bar: Bar, left: float, width: float, up: Callable[[float], float], colour: str, name: str
) -> str:
    y, base, middle = up(bar.value), up(0), left + width / 2
    known = bar.low is not None and bar.high is not None
    result = f" [{bar.low:.3f}, {bar.high:.3f}]" if known else ""
    parts = [
        f"<g><title>{escape(name)}: {bar.value:.3f}{result}</title>",
        f'<rect x="{left + 1:.1f}" y="{y:.1f}" width="{width - 2:.1f}" '
        f'height="{base - y:.1f}" rx="2" fill="{colour}"/>',
    ]
    if bar.low is not None and bar.high is not None:
        parts.append(
            f'<line class="range" x1="{middle:.1f}" x2="{middle:.1f}" '
            f'y1="{up(bar.low):.1f}" y2="{up(bar.high):.1f}"/>'
        )
    if width >= 22:
        above = up(bar.high if bar.high is not None else bar.value) - 5
        parts.append(_text(middle, above, f"{bar.value:.2f}".lstrip("0"), "middle"))
    return "".join(parts) + "</g>"


def _path(spots: Sequence[tuple[float, float]], colour: str, dashed: bool) -> str:
    points = " ".join(f"{x:.1f},{y:.1f}" for x, y in spots)
    dashes = ' stroke-dasharray="5 4"' if dashed else ""
    return f'<polyline points="{points}" fill="none" stroke="{colour}" stroke-width="2"{dashes}/>'


def _dot(spot: tuple[float, float], colour: str, text: str) -> str:
    x, y = spot
    return (
        f'<circle class="dot" cx="{x:.1f}" cy="{y:.1f}" r="4" fill="{colour}">'
        f"<title>{escape(text)}</title></circle>"
    )


def _label(spot: tuple[float, float], left: float, y: float, colour: str, name: str) -> str:
    x, from_y = spot
    return (
        f'<line x1="{x + 6:.1f}" y1="{from_y:.1f}" x2="{left - 2:.1f}" y2="{y:.1f}" '
        f'stroke="{colour}" stroke-width="1" opacity="0.6"/>' + _text(left, y + 4, name, "start")
    )


def _text(x: float, y: float, text: str, anchor: str) -> str:
    return f'<text x="{x:.1f}" y="{y:.1f}" text-anchor="{anchor}">{escape(text)}</text>'


def _number(value: float) -> str:
    return f"{value:,.0f}" if value >= 10 and value == round(value) else f"{value:,.3g}"


def _colour(place: int) -> str:
    return f"var(--series-{place + 1})" if place < COLOURS else "var(--faint)"
