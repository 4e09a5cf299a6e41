"""Text output of the memory tool: numbered lines and folder listings."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from memoranda.blocks.model import Block

DEPTH = 2
"""Number of folder levels that are listed."""
WIDTH = 6
"""Width of a line number; there are at most 999,999 lines."""


def with_numbers(lines: Sequence[str], first: int) -> str:
    """Return lines with their numbers, starting at ``first``."""
    return "\n".join(f"{n:>{WIDTH}}\t{line}" for n, line in enumerate(lines, first))


def numbered(path: str, value: str, line_range: Sequence[int] | None) -> str:
    """Return a file, or selected lines of it, with line numbers."""
    lines, first = value.split("\n"), 1
    if line_range and len(line_range) == 2:
        first = max(1, line_range[0])
        lines = lines[first - 1 : len(lines) if line_range[1] == -1 else line_range[1]]
    return f"Here's the content of {path} with line numbers:\n" + with_numbers(lines, first)


def listed(path: str, there: str, below: Mapping[str, Block]) -> str:
    """Return the listing of a folder.

    Sizes are in bytes of UTF-8; the size of a folder is that of everything in it.
    """
    sizes: dict[str, int] = {}
    for label, block in below.items():
        parts = label[len(there) + 1 :].split("/")
        size = len(block.value.encode())
        for depth in range(1, min(len(parts), DEPTH) + 1):
            if parts[depth - 1].startswith("."):
                break
            name = "/".join(parts[:depth]) + ("/" if depth < len(parts) else "")
            sizes[name] = sizes.get(name, 0) + size
    whole = sum(len(block.value.encode()) for block in below.values())
    head = f"Here're the files and directories up to {DEPTH} levels deep in {path},"
    rows = [f"{head} excluding hidden items:", f"{_readable(whole)}\t{path}"]
    ordered = sorted(sizes, key=lambda name: name.removesuffix("/").split("/"))
    rows += [f"{_readable(sizes[name])}\t{path}/{name}" for name in ordered]
    return "\n".join(rows)


def _readable(size: int) -> str:
    """Format a number of bytes as du -h does: 0B, 12B, 4K, 1.5K."""
    unit, scaled = 0, float(size)
    while scaled >= 1024 and unit < 3:
        unit, scaled = unit + 1, scaled / 1024
    return f"{scaled:.0f}{'BKMG'[unit]}" if scaled == int(scaled) else f"{scaled:.1f}{'BKMG'[unit]}"
