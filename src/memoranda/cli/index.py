"""Commands that rebuild embeddings and search indexes."""

from __future__ import annotations

from typing import TYPE_CHECKING

import click

from memoranda.cli.open_memory import elsewhere, opened
from memoranda.cli.output import Output, command, pairs
from memoranda.cli.progress import progress_bar

if TYPE_CHECKING:
    from memoranda.search.index import IndexReport


@click.command(epilog="Example: memoranda reembed")
@command
def reembed_command(out: Output, data_dir: str | None) -> None:
    """Search then uses vectors as well as text. It can be interrupted and resumed."""
    with opened(data_dir, fresh=True) as memory, progress_bar("passages", "each") as progress:
        _show(out, memory.index.reembed(progress=None if elsewhere(memory) else progress))


@click.command(epilog="Example: memoranda rebuild-index")
@command
def rebuild_index_command(out: Output, data_dir: str | None) -> None:
    with opened(data_dir, fresh=True) as memory, progress_bar("passages", "each") as progress:
        _show(out, memory.index.rebuild(progress=None if elsewhere(memory) else progress))


def _show(out: Output, report: IndexReport) -> None:
    labels: dict[str, object] = {
        "model": report.model or "none; search uses text only",
        "passages": report.passages,
        "waiting": report.waiting,
    }
    out.text(report, pairs(labels))
