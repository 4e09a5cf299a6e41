"""Commands for stored memories: list, change, supersede and restore."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import MomentParam, one_of, page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs, remark
from memoranda.cli.proposals import change_line, show_change
from memoranda.clock import SystemClock
from memoranda.exceptions import InvalidInput
from memoranda.json_data import parse_exact_json
from memoranda.memories.link_model import LinkedMemory, LinkKind, MemoryDetail
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.text import counted

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.memories.count_table import MemoryCount
    from memoranda.memories.link_model import MemoryConflict
    from memoranda.proposals.model import MemoryVersion


@click.group()
def memory_command() -> None:
    """Manage memories: durable pieces of knowledge."""


memories = OperationCommands(memory_command, "memory")


@memory_command.command("list", epilog="Example: memoranda memory list --status pending")
@workspace_option
@click.option("--status", type=one_of(MemoryStatus), help="Only memories with this status.")
@click.option("--category", type=one_of(Category), help="Category.")
@click.option("--critical", is_flag=True, help="Only critical memories.")
@click.option("--as-of", type=MomentParam(), help="Only memories valid at this time.")
@click.option("--ever", "--all", is_flag=True, help="Include memories that are no longer valid.")
@page_options
@command
def memory_list(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    status: str | None,
    category: str | None,
    **filters: Any,
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.memories.list(
            workspace=place(memory, workspace),
            status=MemoryStatus(status) if status else None,
            category=Category(category) if category else None,
            **filters,
        )
        ended = 0
        if not filters["ever"] and filters["as_of"] is None and filters["cursor"] is None:
            ended = _ended(memory.memories.stats(workspace=place(memory, workspace)), category)
    rows = [
        (m.id, m.category, m.status, "critical" if m.critical else "", span(m), m.title)
        for m in page
    ]
    out.rows(page, ("id", "category", "status", "", "valid", "title"), rows)
    if ended and out.format != "json" and status in (None, MemoryStatus.APPROVED):
        hidden = counted(ended, "memory", "memories")
        remark(f"note: {hidden} no longer valid and not listed; to list them, add --ever")


def _ended(counts: Sequence[MemoryCount], category: str | None) -> int:
    """Return how many approved memories of a category are no longer valid."""
    return sum(one.memories for one in counts
               if one.status == "ended" and category in (None, one.category))  # fmt: skip


@memory_command.command(
    "edit", epilog="Example: memoranda memory edit 01a2042c-5b1e-7000 --content 'Port 81'"
)
@click.argument("id")
@click.option("--title", help="New title.")
@click.option("--content", help="The new text, or - to read standard input.")
@click.option("--category", type=one_of(Category), help="Category.")
@click.option(
    "--tag", "tags", multiple=True, help="New tag; replaces the current ones. Repeatable."
)
@click.option(
    "--critical/--not-critical", default=None, help="Include the memory in every context."
)
@click.option(
    "--protected/--unprotected",
    default=None,
    help="Protect the memory from being archived or forgotten.",
)
@click.option("--valid-from", type=MomentParam(), help="Start of the memory's validity.")
@click.option("--valid-until", type=MomentParam(), help="End of the memory's validity.")
@click.option(
    "--confidence",
    type=click.FloatRange(0, 1),
    help="Confidence, 0 to 1; only a person may set it.",
)
@click.option("--reason", default="", help="Why.")
@command
def memory_edit(out: Output, data_dir: str | None, id: str, reason: str, **options: Any) -> None:
    """An agent's change is a proposal until a user approves it."""
    from memoranda.proposals.model import MemoryEdit

    content, category, tags = options.pop("content"), options.pop("category"), options.pop("tags")
    edit = MemoryEdit(
        content=stated(content) if content is not None else None,
        category=Category(category) if category else None,
        tags=tags or None,
        **options,
    )
    with opened(data_dir) as memory:
        changed = memory.memories.edit(id, edit, reason=reason)
        show_change(out, memory, changed, f"changed: {changed.memory.title}")


@memory_command.command("archive", epilog="Example: memoranda memory archive 01a2042c-5b1e-7000")
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option("--reason", default="", help="Why.")
@command
def memory_archive(out: Output, data_dir: str | None, ids: tuple[str, ...], reason: str) -> None:
    """`memory restore` restores an archived memory. If several memories are specified, either all
    of them are archived or none.
    """
    from memoranda.proposals.model import MemoryChange

    with opened(data_dir) as memory:
        if len(ids) == 1:
            changed = memory.memories.archive(ids[0], reason=reason)
            show_change(out, memory, changed, f"archived: {changed.memory.title}")
            return
        whole = dict.fromkeys(memory.memories.show(id).memory.id for id in ids)
        changes = [MemoryChange(id, archive=True) for id in whole]
        results = memory.memories.change_all(changes, reason=reason)
        lines = [
            change_line(memory, result, f"archived: {result.memory.title}") for result in results
        ]
    out.text(results, "\n".join(lines))


@memory_command.command(
    "change-all", epilog="Example: memoranda memory change-all - < changes.json"
)
@click.argument("changes")
@click.option("--reason", default="", help="Why.")
@command
def memory_change_all(out: Output, data_dir: str | None, changes: str, reason: str) -> None:
    """CHANGES is JSON: a list of at most 1,000 objects with `id` and either an `edit` or
    `"archive": true`. Use - to read the list from standard input.
    """
    from memoranda.calls.conversion import read
    from memoranda.proposals.model import MemoryChange

    wanted = read(list[MemoryChange], parse_exact_json(stated(changes)), "changes")
    with opened(data_dir) as memory:
        changed = memory.memories.change_all(wanted, reason=reason)
    rows = [
        (
            result.memory.id,
            f"pending approval as proposal {result.proposal.number}"
            if result.proposal
            else "changed",
        )
        for result in changed
    ]
    out.rows(changed, ("id", "became"), rows)


@memories.view(
    "conflicts",
    "memory conflicts --workspace shop",
    columns=("older", "says", "newer", "says", "difference"),
    fresh=True,
)
def _conflict_row(found: MemoryConflict) -> Row:
    """Use `memory supersede`, `edit` or `archive` to settle a conflict."""
    from memoranda.statements.conflict_result import reworded

    older, newer = found.older, found.newer
    return older.id, older.title, newer.id, newer.title, reworded(found.reason)


@memory_command.command(
    "supersede", epilog="Example: memoranda memory supersede 01a2042c-5b1e-7000 01a2f3d0-8c47-7000"
)
@click.argument("old")
@click.argument("new")
@click.option("--reason", default="", help="Why.")
@command
def memory_supersede(out: Output, data_dir: str | None, old: str, new: str, reason: str) -> None:
    """To revert the change, use `memory restore`."""
    with opened(data_dir) as memory:
        changed = memory.memories.supersede(old, new, reason=reason)
        show_change(out, memory, changed, f"superseded: {changed.memory.title}")


@memories.view(
    "history",
    "memory history 01a2042c-5b1e-7000",
    columns=("version", "until", "changed by", "why", "status", "title"),
)
def _version_row(found: MemoryVersion) -> Row:
    until, state = day(found.created_at), found.state
    return found.version, until, found.actor, found.reason, state.status, state.title


@memory_command.command("restore", epilog="Example: memoranda memory restore 01a2042c-5b1e-7000 2")
@click.argument("id")
@click.argument("version", type=click.IntRange(1), required=False)
@click.option("--reason", default="", help="Why.")
@command
def memory_restore(
    out: Output, data_dir: str | None, id: str, version: int | None, reason: str
) -> None:
    """To list the versions, use `memory history`."""
    if version is None:
        raise InvalidInput(
            f"specify the version too: memoranda memory restore {id} VERSION; "
            f"to list the versions: memoranda memory history {id}"
        )
    with opened(data_dir) as memory:
        found = memory.memories.restore(id, version, reason=reason)
    out.text(found, f"{found.id} restored to version {version}: {found.title}")


@memories.command("stats", "memory stats --workspace shop")
def memory_stats(out: Output, data_dir: str | None, workspace: str | None) -> None:
    show_counts(out, memories.call("stats", data_dir, {"workspace": workspace}, fresh=True))


def show_counts(out: Output, found: Sequence[MemoryCount]) -> None:
    """Show the number of memories of each kind."""
    rows = [
        (count.workspace or "(team)", count.category, count.status, count.memories, count.critical,
         count.uses, count.tokens)
        for count in found
    ]  # fmt: skip
    names = ("workspace", "category", "status", "memories", "critical", "uses", "tokens")
    out.rows(found, names, rows)


_INWARD = {
    LinkKind.RELATED: "related to",
    LinkKind.PARENT: "whole of",
    LinkKind.CONTRADICTS: "contradicted by",
    LinkKind.SUPERSEDES: "superseded by",
}
_OUTWARD = {
    LinkKind.RELATED: "related to",
    LinkKind.PARENT: "part of",
    LinkKind.CONTRADICTS: "contradicts",
    LinkKind.SUPERSEDES: "supersedes",
}


def span(memory: Memory) -> str:
    """Describe the period in which a memory is valid; empty if always."""
    since = f"since {day(memory.valid_from)}" if memory.valid_from is not None else ""
    until = f"until {day(memory.valid_until)}" if memory.valid_until is not None else ""
    ended = memory.valid_until is not None and memory.valid_until <= SystemClock().now()
    return " ".join(filter(None, (since, until, "(ended)" if ended else "")))


@memories.view("show", "memory show 01a2042c-5b1e-7000", form="recalled", fresh=True)
def _details(found: MemoryDetail) -> str:
    return described(found)


def described(found: MemoryDetail) -> str:
    """Describe everything that is known about a memory."""
    memory = found.memory
    shown: dict[str, object] = {
        "id": memory.id,
        "category": f"{memory.category} ({memory.kind}, {memory.status})",
        "tags": ", ".join(memory.tags) or "none",
        "said by": f"{memory.origin} ({memory.source}), trusted as {found.trust},"
        f" confidence {memory.confidence:.2f}",
        "written": day(memory.created_at),
        "valid": f"{'yes' if found.holds else 'no'}, {span(memory) or 'always'}",
        "critical": f"yes, {memory.critical_reason}" if memory.critical else _not_critical(memory),
        "uses": _uses(memory),
        "evidence": ", ".join(found.evidence) or "entered manually",
    }
    parts = [memory.content, pairs(shown), *_lists(found)]
    return "\n\n".join(parts)


def _not_critical(memory: Memory) -> str:
    return f"no, {memory.critical_reason}" if memory.critical_reason else "no"


def _uses(memory: Memory) -> str:
    last = f", last {day(memory.last_used)}" if memory.last_used is not None else ""
    return f"{memory.uses}{last}"


def _lists(found: MemoryDetail) -> Iterator[str]:
    encoding = found.encoding
    lists = {
        "entities": [f"{entity.name} ({entity.type})" for entity in encoding.entities],
        "facts": encoding.facts,
        "constraints": encoding.constraints,
        "tried": [
            f"{outcome.action} ⇒ {outcome.result} ({'worked' if outcome.worked else 'failed'})"
            for outcome in encoding.outcomes
        ],
        "keywords": [", ".join(encoding.keywords)] if encoding.keywords else [],
        "applies to": found.parts.applies_to,
        "references": [f"{reference.kind}: {reference.value}" for reference in found.references],
        "links": [_link(link) for link in found.links],
    }
    for name, lines in lists.items():
        if lines:
            yield "\n".join([f"{name}:", *(f"  {line}" for line in lines)])


def _link(one: LinkedMemory) -> str:
    name = (_OUTWARD if one.outward else _INWARD)[one.kind]
    notes = [one.reason] if one.reason else []
    notes += ["reverted"] if one.taken_back else []
    why = f" ({', '.join(notes)})" if notes else ""
    return f"{name} {one.memory.id}{why}: {one.memory.title}"
