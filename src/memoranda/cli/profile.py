"""Commands for the profile, part of every context, and its optimiser."""

from __future__ import annotations

import shlex
import sys
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs, write
from memoranda.cli.proposals import show_change, visible
from memoranda.exceptions import InvalidInput
from memoranda.memories.model import MemoryStatus
from memoranda.profile.model import CATEGORIES, ChangeStatus
from memoranda.text import clip, one_line

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.profile.model import Profile, ProfileChange, ProfileNews, ProfileSuggestion

HASH = 12
"""Number of characters shown of a hash."""
LINE = 90
"""Maximum number of characters of a memory in a table."""
BAR = 40
NAMES = [category.value for category in CATEGORIES]


@click.group()
def profile_command() -> None:
    """Manage the profile, which every context includes."""


profiles = OperationCommands(profile_command, "profile")


@profile_command.command("show", epilog="Example: memoranda profile show --workspace shop")
@workspace_option
@page_options
@command
def profile_show(out: Output, data_dir: str | None, workspace: str | None, **paging: Any) -> None:
    with opened(data_dir, fresh=True) as memory:
        profile = memory.profile.show(workspace=place(memory, workspace), **paging)
    if out.format == "json":
        out.json(profile)
        return
    write(_bar(profile))
    rows = [
        (m.id, m.category, m.tokens, _marks(m.critical, m.protected, m.workspace is None),
         clip(one_line(m.content), LINE))
        for m in profile.memories
    ]  # fmt: skip
    out.rows(profile.memories, ("id", "category", "tokens", "", "memory"), rows)


@profile_command.command(
    "add", epilog='Example: memoranda profile add "Reply in French" --category communication_style'
)
@click.argument("content")
@workspace_option
@click.option(
    "--category", type=click.Choice(NAMES), default=NAMES[0], help="Category of the memory."
)
@click.option("--protected", is_flag=True, help="Never merge, shorten or archive the memory.")
@command
def profile_add(
    out: Output, data_dir: str | None, content: str, workspace: str | None, **options: Any
) -> None:
    """Pass - as CONTENT to read standard input."""
    text = stated(content, "a memory")
    with opened(data_dir) as memory:
        stored = memory.profile.add(text, workspace=place(memory, workspace), **options)
    out.text(stored, f"{stored.id}  {stored.status} as {stored.category}: {stored.title}")


@profile_command.command(
    "edit", epilog="Example: memoranda profile edit 01a2042c-5b1e-7000 --content 'Reply in German'"
)
@click.argument("id")
@click.option("--title", help="New title.")
@click.option("--content", help="The new text, or - to read standard input.")
@click.option("--category", type=click.Choice(NAMES), help="Category of the memory.")
@click.option(
    "--critical/--not-critical", default=None, help="Include the memory in every context."
)
@click.option("--protected/--unprotected", default=None, help="Never merge or archive the memory.")
@click.option("--reason", default="", help="Why.")
@command
def profile_edit(out: Output, data_dir: str | None, id: str, reason: str, **options: Any) -> None:
    """An agent's change is a proposal."""
    from memoranda.memories.model import Category
    from memoranda.proposals.model import MemoryEdit

    content, category = options.pop("content"), options.pop("category")
    edit = MemoryEdit(
        content=stated(content) if content is not None else None,
        category=Category(category) if category else None,
        **options,
    )
    with opened(data_dir) as memory:
        changed = memory.profile.edit(id, edit, reason=reason)
        show_change(out, memory, changed, f"changed: {changed.memory.title}")


@profile_command.command("remove", epilog="Example: memoranda profile remove 01a2042c-5b1e-7000")
@click.argument("id")
@click.option("--reason", default="", help="Why.")
@command
def profile_remove(out: Output, data_dir: str | None, id: str, reason: str) -> None:
    """To restore the memory, use `memory restore`."""
    with opened(data_dir) as memory:
        changed = memory.profile.remove(id, reason=reason)
        show_change(out, memory, changed, f"archived: {changed.memory.title}")


@profile_command.command(
    "merge", epilog="Example: memoranda profile merge 01a2042c-5b1e-7000 01a2077f-2d90-7000"
)
@click.argument("ids", nargs=-1, required=True)
@command
def profile_merge(out: Output, data_dir: str | None, ids: tuple[str, ...]) -> None:
    with opened(data_dir) as memory:
        change = memory.profile.merge(ids)
    _show_applied(out, change)


@profiles.view("agent-file", "profile agent-file > agent.md", form="verbatim", key="text")
def _agent_file(text: str) -> str:
    return text.rstrip("\n")


@profiles.view(
    "history",
    "profile history",
    columns=("id", "status", "time", "by", "tokens before", "freed", "memories"),
)
def _change_row(change: ProfileChange) -> Row:
    memories = sum(len(suggestion.steps) for suggestion in change.suggestions)
    at = day(change.applied_at or change.created_at)
    return change.id, change.status, at, change.applied_by, change.used, change.freed, memories


@profiles.view(
    "news",
    "profile news --channel mail",
    click.option("--channel", default="news", help="Channel to notify; each is notified once."),
    columns=("profile of", "tokens", "limit", "could be freed", "preview"),
)
def _news_row(found: ProfileNews) -> Row:
    return found.workspace or "team", found.used, found.limit, found.freed, found.change


@click.group(invoke_without_command=True, epilog="Example: memoranda optimize --apply 1,3")
@workspace_option
@click.option("--target", type=int, help="Maximum tokens of the profile.")
@click.option("--apply", "apply", metavar="all|1,3", help="Suggestions to apply: numbers, or all.")
@click.option("--shown", metavar="HASH", help="Hash from the preview.")
@click.option("--undo", metavar="ID", help="Undo an earlier change.")
@command
def optimize_command(
    out: Output,
    data_dir: str | None,
    workspace: str | None,
    target: int | None,
    apply: str | None,
    shown: str | None,
    undo: str | None,
) -> None:
    """Make the profile smaller: preview, apply and undo changes."""
    if click.get_current_context().invoked_subcommand:
        return
    if undo:
        _undo(out, data_dir, undo)
    elif apply:
        _apply(out, data_dir, (workspace, target), apply, shown)
    else:
        _preview(out, data_dir, workspace, target)


@optimize_command.command("preview", epilog="Example: memoranda optimize preview --target 6000")
@workspace_option
@click.option("--target", type=int, help="Maximum tokens of the profile.")
@command
def optimize_preview(
    out: Output, data_dir: str | None, workspace: str | None, target: int | None
) -> None:
    """To apply them, pass the hash of this preview to `optimize apply --shown`."""
    _preview(out, data_dir, workspace, target)


@optimize_command.command(
    "apply", epilog="Example: memoranda optimize apply all --shown 9f86d081884c"
)
@click.argument("suggestions", metavar="all|1,3")
@workspace_option
@click.option("--shown", metavar="HASH", help="Hash from the preview.")
@command
def optimize_apply(
    out: Output, data_dir: str | None, suggestions: str, workspace: str | None, shown: str | None
) -> None:
    """Without --shown, the suggestions are shown and must be confirmed first.

    Confirmation needs a terminal.
    """
    _apply(out, data_dir, (workspace, None), suggestions, shown)


@optimize_command.command("undo", epilog="Example: memoranda optimize undo 01a2042c-5b1e-7000")
@click.argument("id")
@command
def optimize_undo(out: Output, data_dir: str | None, id: str) -> None:
    _undo(out, data_dir, id)


def _preview(out: Output, data_dir: str | None, workspace: str | None, target: int | None) -> None:
    with opened(data_dir, fresh=True) as memory:
        change = _seen(memory, place(memory, workspace), target)
    if out.format == "json":
        out.json({"change": change, "freed": change.freed})
    elif not change.suggestions:
        write(f"nothing to do: {change.used:,} of {change.limit:,} tokens")
        _write_short(change)
    else:
        out.rows(change, ("no.", "what", "frees", "memory", "why"), _rows(change))
        write(_summary(change, workspace, target))


def _apply(
    out: Output,
    data_dir: str | None,
    where: tuple[str | None, int | None],
    chosen: str,
    shown: str | None,
) -> None:
    numbers = _numbers(chosen)
    with opened(data_dir) as memory:
        workspace = place(memory, where[0])
        if shown is None:
            change = _seen(memory, workspace, where[1])
            shown = change.hash
            _confirm(out, change)
        done = memory.profile.apply(shown, numbers, workspace=workspace)
    _show_applied(out, done)


def _undo(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir) as memory:
        change = memory.profile.undo(id)
    out.text(change, f"{change.id}  undone: {_memories(change)} memories restored")


def _seen(memory: Memoranda, workspace: str | None, target: int | None) -> ProfileChange:
    if target is None:
        return memory.profile.optimize(workspace=workspace)
    return memory.profile.optimize(workspace=workspace, target=target)


def _confirm(out: Output, change: ProfileChange) -> None:
    """Show the planned change; continue only if a person confirms."""
    if not sys.stdin.isatty():
        raise InvalidInput(
            "cannot ask for confirmation without a terminal; review the preview, then add --shown"
            " HASH"
        )
    Output("table").rows(change, ("no.", "what", "frees", "memory", "why"), _rows(change))
    if not click.confirm("Apply this?", err=out.format == "json"):
        raise InvalidInput("nothing was changed")


def _numbers(chosen: str) -> list[int] | None:
    if chosen == "all":
        return None
    parts = [part.strip() for part in chosen.split(",")]
    if not all(part.isdecimal() and len(part) < 6 for part in parts):
        raise InvalidInput(f"{chosen!r} is neither 'all' nor numbers such as 1,3")
    return [int(part) for part in parts]


def _rows(change: ProfileChange) -> list[tuple[object, ...]]:
    return [
        (
            suggestion.number,
            suggestion.kind,
            suggestion.freed,
            _suggestion_text(suggestion),
            suggestion.reason,
        )
        for suggestion in change.suggestions
    ]


def _suggestion_text(suggestion: ProfileSuggestion) -> str:
    """Return the subject of a suggestion, or the resulting text."""
    states = [step.after for step in suggestion.steps if step.after]
    stays = [state for state in states if state.status is MemoryStatus.APPROVED]
    first = (stays or states)[0]
    others = f" (and {len(states) - 1} more)" if len(states) > 1 else ""
    return visible(clip(one_line(first.content), LINE)) + others


def _show_applied(out: Output, change: ProfileChange) -> None:
    left = change.used - change.freed
    message = f"{change.used:,} tokens are {left:,}; to undo: memoranda optimize --undo {change.id}"
    out.text(change, f"{_memories(change)} memories changed: {message}")


def _memories(change: ProfileChange) -> int:
    assert change.status is not ChangeStatus.PREVIEW
    return sum(len(suggestion.steps) for suggestion in change.suggestions)


def _summary(change: ProfileChange, workspace: str | None, target: int | None) -> str:
    where = f" --workspace {shlex.quote(workspace)}" if workspace else ""
    where += f" --target {target}" if target is not None else ""
    return pairs(
        {
            "tokens": f"{change.used:,} of {change.limit:,}, then {change.used - change.freed:,}",
            "target": f"{change.target:,}" + (f", not met: {change.short}" if change.short else ""),
            "hash": change.hash[:HASH],
            "do it": f"memoranda optimize{where} --apply all --shown {change.hash[:HASH]}",
        }
    )


def _write_short(change: ProfileChange) -> None:
    if change.short:
        write(f"the target of {change.target:,} is not met: {change.short}")


def _bar(found: Profile) -> str:
    filled = min(BAR, round(found.share * BAR))
    bar = "#" * filled + "-" * (BAR - filled)
    text = f"[{bar}] {found.used:,} of {found.limit:,} tokens, {found.share:.0%}"
    parts: dict[str, object] = {
        name: f"{tokens:,}" for name, tokens in found.categories.items() if tokens
    }
    hint = "\nmemoranda optimize shows what could be freed" if found.crowded else ""
    return f"{text}\n{pairs(parts)}{hint}\n" if parts else f"{text}{hint}"


def _marks(critical: bool, protected: bool, everywhere: bool) -> str:
    marks = {"critical": critical, "protected": protected, "team": everywhere}
    return " ".join(name for name, applies in marks.items() if applies)
