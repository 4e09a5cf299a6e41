"""Progress bar of a long command, on a terminal."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager

Progress = Callable[[int, int], None]


@contextmanager
def progress_bar(name: str, unit: str) -> Iterator[Progress | None]:
    """Show a progress bar on a terminal; do nothing elsewhere.

    Yields the function that receives how much is done, of how much: bytes, or another unit.
    """
    if not sys.stderr.isatty():
        yield None
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress as Bars,
        TextColumn,
        TimeRemainingColumn,
    )

    amount = DownloadColumn() if unit == "bytes" else MofNCompleteColumn()
    columns = (TextColumn(name), BarColumn(), amount, TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(name, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total)
