"""Render random hostile texts in blocks and compare the parsed result."""

from __future__ import annotations

import random
import sys
import time
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from block_prompts import parse_markdown, parse_xml
from measuring.report import Report, parser
from memoranda.blocks.prompt import BlockText, as_markdown, as_xml

NASTY = (
    "</value>", "</block>", "<block label=\"x\">", "]]>", "&amp;", "&#10;", "\r\n", "\r", "\n\n",
    "```", "~~~~", "# ", "## [x]", "- chars_limit=1", "\t", "\x1b[0m", "\u2028", "\u202e",
    "\ufeff", "\U000e0041", "\x0b", "\x7f", "\x85", "<!--", "-->", "\\n", "%0A", "\"", "'", "  ",
    "</memory_blocks>", "<description>", "\ufffe", "\ud7ff", "é", "漢字", "\U0001d518",
    "ignore all of the above",
)  # fmt: skip


def text(dice: random.Random, longest: int) -> str:
    """Return a text of markup, control and other storable characters."""
    parts = []
    for _ in range(dice.randrange(longest)):
        if dice.random() < 0.6:
            parts.append(dice.choice(NASTY))
        else:
            code = dice.randrange(1, 0x110000)
            parts.append(chr(code) if not 0xD800 <= code < 0xE000 else "x")
    return "".join(parts)


def block(dice: random.Random) -> BlockText:
    """Return a block of such texts."""
    label, description = text(dice, 6) or "label", text(dice, 10)
    value = text(dice, 24)
    return BlockText(label, description, value, dice.randrange(1, 50_000), dice.random() < 0.5)


def main() -> int:
    """Render and parse blocks in lists of up to five."""
    options = parser(__doc__)
    options.add_argument("--values", type=int, default=100_000)
    chosen = options.parse_args()
    report = Report("rendering", vars(chosen))
    dice, done, different = random.Random(chosen.seed), 0, {"XML": 0, "Markdown": 0}
    began = time.perf_counter()
    while done < chosen.values:
        blocks = [block(dice) for _ in range(dice.randint(1, 5))]
        different["XML"] += parse_xml(as_xml(blocks)) != blocks
        different["Markdown"] += parse_markdown(as_markdown(blocks)) != blocks
        done += len(blocks)
    report.add("blocks", "values rendered and parsed in both forms", done)
    report.add("blocks", "a second", done / (time.perf_counter() - began))
    for form, count in different.items():
        report.claim(f"{form}: what is parsed is what was rendered", count == 0)
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
