"""Carrying out an import: read once, told in batches, counted."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path

from memoranda.archive.imported import Imported
from memoranda.archive.importer import RefusedRow
from memoranda.capture.event import Event
from memoranda.capture.intake import IntakeReport
from memoranda.exceptions import InvalidInput, NotFound
from memoranda.integrations.imports.forms import READERS, form_of, reader_of
from memoranda.integrations.imports.material import ImportContext, ImportedEvent, ImportedItem
from memoranda.memory import Memoranda

BATCH = 512
"""Events that are handed over at once."""

Progress = Callable[[int], None]
"""Called with how many things have been read."""


@dataclass(slots=True)
class ForeignReport:
    """What became of a file of another system."""

    path: str
    form: str
    dry_run: bool
    intake: IntakeReport = field(default_factory=IntakeReport)
    """Of what happened there."""
    added: dict[str, int] = field(default_factory=dict)
    """Memories and blocks, by kind; of a dry run, those that would be."""
    there: dict[str, int] = field(default_factory=dict)
    """Those that came with an import before."""
    refusals: list[RefusedRow] = field(default_factory=list)
    left_out: Counter[str] = field(default_factory=Counter)
    """What could not be taken, by reason."""
    failures: dict[str, str] = field(default_factory=dict)
    """Files of a folder that could not be read, and why."""


def import_foreign(
    memory: Memoranda,
    path: Path,
    *,
    form: str | None = None,
    workspace: str | None = None,
    trust: bool = False,
    dry_run: bool = False,
    progress: Progress | None = None,
) -> ForeignReport:
    """Take in what another system remembered. Doing it again adds what is new there.

    Cut off half-way, doing it again goes on. The file is read only.

    Args:
        form: one of `forms.READERS`; None to tell it by the file.
        workspace: where all of it belongs, whatever the file says.
        trust: memories are approved at once, else they wait for a person.
        dry_run: only say what would be done.

    Raises:
        NotFound: there is no such file.
        InvalidInput: it is in no form that is known, or excluded by the settings.
        CorruptData: it is damaged; what was read before is kept.
    """
    if form is not None and not path.exists():
        raise NotFound(f"no file {path}")
    require_admitted(memory, path)
    known = form or form_of(path)
    if known is None:
        raise InvalidInput(f"{path} is in no form that is known; known: {', '.join(READERS)}")
    report = ForeignReport(str(path), known, dry_run)
    reading = ImportContext(
        workspace, report.left_out, report.failures, partial(is_excluded, memory)
    )
    told: list[Imported] = []
    material = _watched(reader_of(known)(path, reading), progress)
    for place, events in _batches(material, told):
        given = memory.look(events, workspace=place) if dry_run else memory.take(
            events, workspace=place, actor="import"
        )  # fmt: skip
        report.intake.add(given)
    if told:
        found = memory.import_memories(told, known, path=path, trust=trust, dry_run=dry_run)
        shown = ("memories", "blocks")
        report.added = {kind: count for kind, count in found.added.items() if kind in shown}
        report.there = {kind: count for kind, count in found.there.items() if kind in shown}
        report.refusals = found.refusals
    return report


def require_admitted(memory: Memoranda, path: Path) -> None:
    """Refuse a file that the settings keep out, by the name it was given or the one it has.

    Raises:
        InvalidInput: it is excluded; nothing of it was read.
    """
    if is_excluded(memory, path) or is_excluded(memory, path.resolve()):
        raise InvalidInput(f"{path} is excluded by exclude_paths; nothing of it was read")


def is_excluded(memory: Memoranda, path: Path) -> bool:
    """Say whether the settings keep a file out of all that is stored (``exclude_paths``)."""
    return memory.privacy_test("", path=str(path)).excluded


def _batches(
    material: Iterator[ImportedItem], told: list[Imported]
) -> Iterator[tuple[str | None, list[Event]]]:
    """Yield events of one workspace together; put what is no event aside."""
    place: str | None = None
    batch: list[Event] = []
    for one in material:
        if not isinstance(one, ImportedEvent):
            told.append(one)
            continue
        if batch and (one.workspace != place or len(batch) == BATCH):
            yield place, batch
            batch = []
        place = one.workspace
        batch.append(one.event)
    if batch:
        yield place, batch


def _watched(material: Iterator[ImportedItem], progress: Progress | None) -> Iterator[ImportedItem]:
    for number, one in enumerate(material, 1):
        if progress:
            progress(number)
        yield one
