"""A report as blocks that can be written as Markdown and as HTML."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

STYLE = """
:root { color-scheme: light dark; --page: #fcfcfb; --ink: #1f1f1d; --faint: #74736e;
  --line: #e3e2dd; --series-1: #2a78d6; --series-2: #eb6834; --series-3: #1baf7a;
  --series-4: #4a3aa7; --series-5: #eda100; --series-6: #e34948; --series-7: #008300;
  --series-8: #e87ba4; }
@media (prefers-color-scheme: dark) { :root { --page: #1a1a19; --ink: #eeede8; --faint: #9a9993;
  --line: #383835; --series-1: #3987e5; --series-2: #d95926; --series-3: #199e70;
  --series-4: #9085e9; --series-5: #c98500; --series-6: #e66767; --series-7: #4da34d;
  --series-8: #d55181; } }
body { margin: 2rem auto; max-width: 60rem; padding: 0 1rem; background: var(--page);
  color: var(--ink); font: 15px/1.5 system-ui, sans-serif; }
h2 { margin-top: 2.5rem; border-bottom: 1px solid var(--line); padding-bottom: 0.2rem; }
p, figcaption { color: var(--faint); }
figure { margin: 1rem 0 1.5rem; } svg { width: 100%; max-width: 720px; height: auto; }
svg text { fill: var(--ink); font: 12px system-ui, sans-serif; }
.grid { stroke: var(--line); } .range { stroke: var(--ink); stroke-width: 1.5; opacity: 0.7; }
.dot { stroke: var(--page); stroke-width: 2; }
.legend { display: flex; flex-wrap: wrap; gap: 0.2rem 1.2rem; list-style: none; padding: 0;
  margin: 0 0 0.4rem; font-size: 13px; }
.swatch { display: inline-block; width: 11px; height: 11px; border-radius: 3px;
  margin-right: 6px; }
.wide { overflow-x: auto; } table { border-collapse: collapse; font-size: 13px; margin: 0.5rem 0; }
th, td { text-align: left; padding: 0.25rem 1rem 0.25rem 0; border-bottom: 1px solid var(--line);
  vertical-align: top; } th { color: var(--faint); font-weight: 600; }
td.number { font-variant-numeric: tabular-nums; white-space: nowrap; }
"""


@dataclass(frozen=True, slots=True)
class Heading:
    """A heading of some level."""

    level: int
    text: str

    def markdown(self) -> str:
        """Return it as Markdown."""
        return f"{'#' * self.level} {self.text}"

    def html(self) -> str:
        """Return it as HTML."""
        return f"<h{self.level}>{escape(self.text)}</h{self.level}>"


@dataclass(frozen=True, slots=True)
class Table:
    """Cells under heads."""

    heads: Sequence[str]
    rows: Sequence[Sequence[str]]

    def markdown(self) -> str:
        """Return it as Markdown."""
        return "\n".join(
            "| " + " | ".join(cell.replace("|", "\\|") for cell in row) + " |"
            for row in (self.heads, ["---"] * len(self.heads), *self.rows)
        )

    def html(self) -> str:
        """Return it as HTML."""
        heads = "".join(f"<th>{escape(head)}</th>" for head in self.heads)
        rows = "\n".join(f"<tr>{''.join(map(_cell, row))}</tr>" for row in self.rows)
        return f'<div class="wide"><table><tr>{heads}</tr>\n{rows}</table></div>'


@dataclass(frozen=True, slots=True)
class Plot:
    """A picture, next to a table with the same values."""

    caption: str
    drawn: str

    def markdown(self) -> str:
        """Return nothing: Markdown has only the table."""
        return ""

    def html(self) -> str:
        """Return it as HTML."""
        return f"<figure><figcaption>{escape(self.caption)}</figcaption>{self.drawn}</figure>"


Block = Heading | Table | Plot


def page(blocks: Sequence[Block]) -> str:
    """Return a self-contained HTML page."""
    body = "\n".join(block.html() for block in blocks)
    return (
        '<!doctype html>\n<html lang="en">\n<meta charset="utf-8">\n'
        '<meta name="viewport" content="width=device-width">\n<title>Benchmarks</title>\n'
        f"<style>{STYLE}</style>\n<body>\n{body}\n</body>\n</html>\n"
    )


def _cell(text: str) -> str:
    kind = ' class="number"' if text[:1].isdigit() else ""
    return f"<td{kind}>{escape(text)}</td>"
