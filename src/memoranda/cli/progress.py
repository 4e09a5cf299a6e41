"""Progress of long commands: a bar on a terminal, or else regular lines.

Both are written to standard error, so that they do not mix with a command's result.
"""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread

from memoranda.cli.output import remark
from memoranda.text import clip

LINE_SECONDS = 5.0
"""Seconds between progress lines if standard error is not a terminal."""

Progress = Callable[[int, int], None]
"""Called with the completed and the total amount; 0 for an unknown total."""
RowProgress = Callable[[str, int], None]
"""Called with the name of a step and the number of completed rows."""


class ProgressLines:
    """Prints a progress line every few seconds, even without progress."""

    def __init__(self, name: str, unit: str) -> None:
        self._name = name
        self._unit = unit
        self._began = self._updated = time.monotonic()
        self._done, self._total = 0, 0
        self._ended = Event()

    def update(self, done: int, total: int = 0) -> None:
        """Record the completed and the total amount."""
        if done < self._done:  # each phase counts from 0
            self._began = self._updated
        self._done, self._total, self._updated = done, total, time.monotonic()

    def rows(self, name: str, done: int) -> None:
        """Record the number of completed rows of a kind."""
        if name != self._name:
            self._name, self._began = name, self._updated
        self._done, self._updated = done, time.monotonic()

    @contextmanager
    def running(self) -> Iterator[ProgressLines]:
        """Print lines until the block ends."""
        printer = Thread(target=self._print, daemon=True)
        printer.start()
        try:
            yield self
        finally:
            self._ended.set()
            printer.join()

    def _print(self) -> None:
        while not self._ended.wait(LINE_SECONDS):
            remark(self._line())

    def _line(self) -> str:
        done, total, passed = self._done, self._total, time.monotonic() - self._began
        if not done:
            return f"{self._name}: {_duration(passed)} passed"
        amount = f"{done:,} of {total:,} {self._unit}" if total else f"{done:,} {self._unit}"
        rate = done / max(passed, 0.001)
        left = f", {_duration((total - done) / rate)} left" if total else ""
        return f"{self._name}: {amount}, {rate:,.0f}/s, {_duration(passed)} passed{left}"


def _duration(seconds: float) -> str:
    whole = round(seconds)
    return f"{whole // 60} min {whole % 60:02} s" if whole >= 60 else f"{whole} s"


@contextmanager
def progress_bar(name: str, unit: str) -> Iterator[Progress]:
    """Show the progress of bytes or other units.

    Yields a function to call with the completed and the total amount.
    """
    if not sys.stderr.isatty():
        with ProgressLines(name, unit).running() as lines:
            yield lines.update
        return
    from rich.console import Console
    from rich.progress import (
        BarColumn,
        DownloadColumn,
        MofNCompleteColumn,
        Progress as Bars,
        ProgressColumn,
        Task,
        TextColumn,
        TimeRemainingColumn,
        TransferSpeedColumn,
    )
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Number of units per second."""

        def render(self, task: Task) -> Text:
            return Text(f"{task.speed:,.0f}/s" if task.speed else "?/s")

    in_bytes = unit == "bytes"
    amount = DownloadColumn() if in_bytes else MofNCompleteColumn()
    rate = TransferSpeedColumn() if in_bytes else RateColumn()
    columns = (TextColumn(clip(name, 24)), BarColumn(16), amount, rate, TimeRemainingColumn())
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task(name, total=None)
        yield lambda done, total: bars.update(bar, completed=done, total=total or None)


@contextmanager
def row_progress() -> Iterator[RowProgress]:
    """Show the number of completed rows by kind, if there is no total."""
    if not sys.stderr.isatty():
        with ProgressLines("preparing", "rows").running() as lines:
            yield lines.rows
        return
    from rich.console import Console
    from rich.progress import Progress as Bars, SpinnerColumn, TextColumn

    columns = (SpinnerColumn(), TextColumn("{task.description} {task.completed:,} rows"))
    with Bars(*columns, console=Console(stderr=True), transient=True) as bars:
        bar = bars.add_task("", total=None)
        yield lambda kind, rows: bars.update(bar, description=kind, completed=rows)
