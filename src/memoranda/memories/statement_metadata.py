"""Metadata of a statement: validity, references, links and later jobs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import TYPE_CHECKING, TypeVar

from memoranda.calls.argument_check import stated_time
from memoranda.clock import LATEST
from memoranda.exceptions import InvalidInput
from memoranda.ids import IdSource
from memoranda.jobs import table as jobs
from memoranda.jobs.model import Job, JobKind
from memoranda.memories import link_table as memory_links, table as memories
from memoranda.memories.link_model import LinkKind, LinkTo, MemoryLink, Reference, ReferenceKind
from memoranda.memories.model import Memory
from memoranda.mirror import table as mirrors
from memoranda.scope import Scope
from memoranda.store.database import Transaction
from memoranda.text import normalise, one_line

if TYPE_CHECKING:
    from memoranda.ports import Sanitiser

MAX_REFERENCES = 20
MAX_LINKS = 20
MAX_LENGTH = 500
"""Maximum length of a reference in characters."""

Named = TypeVar("Named", bound=StrEnum)


@dataclass(frozen=True, slots=True)
class Relations:
    """References and links in the form in which they are stored."""

    references: tuple[Reference, ...]
    links: tuple[LinkTo, ...]


def check_validity(valid_from: int | None, valid_until: int | None) -> None:
    """Validate a time span.

    Raises:
        InvalidInput: the time span ends before it begins, or a time is out of range.
    """
    for name, time in (("valid_from", valid_from), ("valid_until", valid_until)):
        stated_time(time, name)
        if time is not None and not 0 <= time <= LATEST:
            raise InvalidInput("validity must be between 1970 and 9999, in microseconds")
    if valid_from is not None and valid_until is not None and valid_until <= valid_from:
        raise InvalidInput("valid_until must be later than valid_from")


def cleaned(
    sanitiser: Sanitiser, references: Sequence[Reference], links: Sequence[LinkTo]
) -> Relations:
    """Return references and links without secrets and duplicates.

    Raises:
        InvalidInput: there are too many references or links, a reference is empty or too long, or a
            kind is unknown or is ``supersedes``, which changes the other memory.
    """
    if len(references) > MAX_REFERENCES or len(links) > MAX_LINKS:
        raise InvalidInput(
            f"a memory may have at most {MAX_REFERENCES} references and {MAX_LINKS} links"
        )
    clean_references = [
        Reference(_kind(ReferenceKind, reference.kind), reference.value) for reference in references
    ]
    named = [LinkTo(_kind(LinkKind, to.kind), normalise(to.other)) for to in links]
    if any(link_to.kind is LinkKind.SUPERSEDES for link_to in named):
        raise InvalidInput(
            "use `memoranda memory supersede OLD NEW` to replace one memory with another"
        )
    values = [
        Reference(clean_reference.kind, _value(sanitiser, clean_reference.value))
        for clean_reference in clean_references
    ]
    return Relations(tuple(dict.fromkeys(values)), tuple(dict.fromkeys(named)))


def _kind(kinds: type[Named], value: str) -> Named:
    try:
        return kinds(value)
    except ValueError:
        raise InvalidInput(f"{value!r} is not one of {', '.join(kinds)}") from None


def _value(sanitiser: Sanitiser, text: str) -> str:
    value = one_line(sanitiser.clean(normalise(text)))
    if not value or len(value) > MAX_LENGTH:
        raise InvalidInput(f"a reference must have between 1 and {MAX_LENGTH} characters")
    return value


def attach(
    tx: Transaction, memory: Memory, relations: Relations, scope: Scope, actor: str, now: int
) -> None:
    """Add references and links to a memory.

    Raises:
        InvalidInput: a link leads to the memory itself, or to a memory that is not visible in the
            scope.
    """
    memory_links.put_references(tx, memory.team, memory.id, relations.references)
    ids = [to.other for to in relations.links]
    stored = memories.by_ids(tx, memory.team, ids, scope.agent) if ids else {}
    for link in relations.links:
        if link.other not in stored or link.other == memory.id:
            raise InvalidInput(f"no other memory {link.other!r} in this scope to link to")
        memory_link = MemoryLink(memory.team, memory.id, link.kind, link.other, "", actor, now)
        memory_links.put(tx, memory_link)


def enqueue_validity_jobs(tx: Transaction, memory: Memory, ids: IdSource, now: int) -> None:
    """Schedule context updates for the start and end of a memory's validity."""
    for time in (memory.valid_from, memory.valid_until):
        if time is not None and time > now:
            kind, id = JobKind.TURN_MEMORIES, ids.new()
            job = Job.waiting(memory.team, id, kind, str(time), time)
            jobs.enqueue(tx, job, now)


def enqueue_change_jobs(tx: Transaction, team: str, ids: IdSource, now: int) -> None:
    """Queue search and mirror updates for a transaction's memories."""
    jobs.enqueue(tx, Job.waiting(team, ids.new(), JobKind.INDEX_MEMORIES, "", now), now)
    mirrors.touch(tx, team, ids.new(), now)
