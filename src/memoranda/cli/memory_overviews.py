"""Commands for overviews: the memories of each workspace and of the team."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from memoranda.banks.model import GLOBAL
from memoranda.cli.open_memory import opened
from memoranda.cli.options import one_of, page_options, stated
from memoranda.cli.output import Output, command, day, write
from memoranda.memories.model import Category, Visibility
from memoranda.page import cursor_after, every
from memoranda.text import clip, one_line

if TYPE_CHECKING:
    from memoranda.banks.model import Bank, BankDetail
    from memoranda.memories.model import Memory
    from memoranda.tasks.model import Task

MAXIMUM = 1_000
"""Maximum number of memories read at once."""
GOAL = 80
"""Maximum number of characters of a goal in a list."""

category_option = click.option("--category", type=one_of(Category), help="Category of the memory.")


@click.command(epilog="Example: memoranda list --format md")
@page_options
@command
def list_command(out: Output, data_dir: str | None, limit: int, cursor: str | None) -> None:
    _list(out, data_dir, limit, cursor)


@click.group()
def project_command() -> None:
    """Show and add memories of one workspace."""


@project_command.command("list", epilog="Example: memoranda project list")
@page_options
@command
def project_list(out: Output, data_dir: str | None, limit: int, cursor: str | None) -> None:
    """Count the memories of each workspace, sorted by workspace name."""
    # skips the row of the team, which comes first
    _list(out, data_dir, limit, cursor or cursor_after(""))


@project_command.command("show", epilog="Example: memoranda project show shop")
@click.argument("name")
@command
def project_show(out: Output, data_dir: str | None, name: str) -> None:
    _show(out, data_dir, name)


@project_command.command(
    "add-pattern", epilog='Example: memoranda project add-pattern shop "Errors are values"'
)
@click.argument("name")
@click.argument("content")
@click.option("--title", help="Title. Default: the first line of the content.")
@click.option("--tag", "tags", multiple=True, help="Tag. Repeatable.")
@click.option("--avoid", is_flag=True, help="Mark the pattern as an anti-pattern.")
@command
def project_add_pattern(
    out: Output, data_dir: str | None, name: str, content: str, avoid: bool, **options: Any
) -> None:
    """Add a pattern to a workspace.

    Pass - as CONTENT to read standard input.
    """
    category = Category.ANTI_PATTERN if avoid else Category.PATTERN
    _add(out, data_dir, name, content, category, options)


@project_command.command(
    "add-decision", epilog='Example: memoranda project add-decision shop "SQLite, not files"'
)
@click.argument("name")
@click.argument("content")
@click.option("--title", help="Title. Default: the first line of the content.")
@click.option("--tag", "tags", multiple=True, help="Tag. Repeatable.")
@command
def project_add_decision(
    out: Output, data_dir: str | None, name: str, content: str, **options: Any
) -> None:
    """Add a decision, with its reason, to a workspace.

    Pass - as CONTENT to read standard input.
    """
    _add(out, data_dir, name, content, Category.DECISION, options)


@project_command.command("export", epilog="Example: memoranda project export shop --format md")
@click.argument("name")
@category_option
@command
def project_export(out: Output, data_dir: str | None, name: str, category: str | None) -> None:
    chosen = Category(category) if category else None
    with opened(data_dir, fresh=True) as memory:
        memories = list(every(memory.banks.entries, name, category=chosen, limit=MAXIMUM))
    if out.format == "json":
        out.json(memories)
    else:
        write(_document(name, memories))


@click.group()
def global_command() -> None:
    """Show and add memories of the whole team."""


@global_command.command("show", epilog="Example: memoranda global show")
@command
def global_show(out: Output, data_dir: str | None) -> None:
    """Show the team's counts and newest memories by category."""
    _show(out, data_dir, GLOBAL)


@global_command.command(
    "add-learning", epilog='Example: memoranda global add-learning "Pin what is fast-moving"'
)
@click.argument("content")
@click.option(
    "--category", type=one_of(Category), default="insight", help="Category of the memory."
)
@click.option("--title", help="Title. Default: the first line of the content.")
@click.option("--tag", "tags", multiple=True, help="Tag. Repeatable.")
@command
def global_add_learning(
    out: Output, data_dir: str | None, content: str, category: str, **options: Any
) -> None:
    """Add a memory that applies to every workspace.

    Pass - as CONTENT to read standard input.
    """
    _add(out, data_dir, GLOBAL, content, Category(category), options)


@global_command.command("list-learnings", epilog="Example: memoranda global list-learnings")
@category_option
@page_options
@command
def global_list_learnings(
    out: Output, data_dir: str | None, category: str | None, **paging: Any
) -> None:
    """List the memories of the whole team, newest first."""
    chosen = Category(category) if category else None
    with opened(data_dir, fresh=True) as memory:
        page = memory.banks.entries(GLOBAL, category=chosen, **paging)
    rows = [(m.id, m.category, day(m.created_at), m.title) for m in page]
    out.rows(page, ("id", "category", "since", "title"), rows)


@global_command.command("stats", epilog="Example: memoranda global stats")
@command
def global_stats(out: Output, data_dir: str | None) -> None:
    """Count all memories by category and status."""
    from memoranda.cli.memories import show_counts

    with opened(data_dir, fresh=True) as memory:
        show_counts(out, memory.memories.stats(workspace="all"))


def _list(out: Output, data_dir: str | None, limit: int, cursor: str | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.banks.list(cursor=cursor, limit=limit)
    rows = [
        (b.name, sum(b.memories.values()), b.pending, b.tasks, day(b.last_at) if b.last_at else "")
        for b in page
    ]
    out.rows(page, ("workspace", "memories", "pending", "tasks", "last change"), rows)


def _show(out: Output, data_dir: str | None, name: str) -> None:
    with opened(data_dir, fresh=True) as memory:
        detail = memory.banks.show(name)
    lines = _markdown_lines(detail) if out.format == "md" else _sheet_lines(detail)
    out.text(detail, "\n".join(lines))


def _markdown_lines(sheet: BankDetail) -> Iterator[str]:
    heading, _, facts = _heading(sheet.bank).rpartition(": ")
    yield f"# {heading}\n\n{facts}"
    for category, entries in sheet.entries.items():
        yield f"\n## {category} ({sheet.bank.memories[category]})\n"
        yield from (f"- `{memory.id}` {one_line(memory.title)}" for memory in entries)
    if sheet.tasks:
        yield f"\n## tasks ({sheet.bank.tasks})\n"
        yield from (
            f"- {task.number}: {task.status}, {day(task.last_event_at)}, {_goal(task)}"
            for task in sheet.tasks
        )


def _sheet_lines(sheet: BankDetail) -> Iterator[str]:
    yield _heading(sheet.bank)
    for category, entries in sheet.entries.items():
        yield f"\n{category} ({sheet.bank.memories[category]})"
        yield from (f"  {memory.id}  {memory.title}" for memory in entries)
    if sheet.tasks:
        yield f"\ntasks ({sheet.bank.tasks})"
        yield from (
            f"  {task.number}  {task.status}  {day(task.last_event_at)}  {_goal(task)}"
            for task in sheet.tasks
        )


def _heading(bank: Bank) -> str:
    since = f", last change {day(bank.last_at)}" if bank.last_at else ""
    waits = f", {bank.pending} pending" if bank.pending else ""
    total = _count(sum(bank.memories.values()), "memory", "memories")
    return f"{bank.name}: {total}{waits}, {_count(bank.tasks, 'task', 'tasks')}{since}"


def _count(number: int, one: str, many: str) -> str:
    return f"{number} {one if number == 1 else many}"


def _goal(task: Task) -> str:
    return clip(one_line(task.title), GOAL)


def _add(
    out: Output,
    data_dir: str | None,
    name: str,
    content: str,
    category: Category,
    options: dict[str, Any],
) -> None:
    from memoranda.memories.memory_service import NewMemory

    shared = name == GLOBAL
    visibility = Visibility.TEAM if shared else Visibility.WORKSPACE
    statement = NewMemory(
        stated(content, "a memory"), category=category, visibility=visibility, **options
    )
    with opened(data_dir, fresh=True) as memory:
        stored = memory.remember(statement, workspace=None if shared else name)
    out.text(stored, f"{stored.id}  kept in {name} as {stored.category}: {stored.title}")


def _document(name: str, memories: list[Memory]) -> str:
    parts = [f"# {name}"]
    for category in Category:
        entries = [item for item in memories if item.category is category]
        if entries:
            parts.append(f"## {category.replace('_', ' ').capitalize()}")
            parts += [f"### {memory.title}\n\n{memory.content}" for memory in entries]
    return "\n\n".join(parts)
