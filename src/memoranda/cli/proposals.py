"""Commands for proposed changes of memories that await approval."""

from __future__ import annotations

import sys
from difflib import unified_diff
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.approval_rules import rules_command
from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs, write
from memoranda.exceptions import InvalidInput

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda import Memoranda
    from memoranda.proposals.model import ChangeResult, MemoryState, Notification, Proposal

HASH = 12
"""Number of characters shown of a hash."""
ALL = 1_000
"""Maximum number of proposals approved at once."""


@click.group()
def pending_command() -> None:
    """Approve or reject changes that agents propose; only people may."""


pending_command.add_command(rules_command, "rules")
pending = OperationCommands(pending_command, "pending")


@pending_command.command("list", epilog="Example: memoranda pending list --status rejected")
@workspace_option
@click.option(
    "--status",
    type=click.Choice(("pending", "approved", "rejected", "all")),
    default="pending",
    help="Only proposals with this status.",
)
@page_options
@command
def pending_list(
    out: Output, data_dir: str | None, workspace: str | None, status: str, **paging: Any
) -> None:
    from memoranda.proposals.model import ProposalStatus

    with opened(data_dir, fresh=True) as memory:
        page = memory.proposals.list(
            workspace=place(memory, workspace),
            status=None if status == "all" else ProposalStatus(status),
            **paging,
        )
    rows = [
        (p.number, p.kind, p.after.category, p.author, _status(p), p.after.title, p.id)
        for p in sorted(page, key=lambda proposal: proposal.number)
    ]
    out.rows(page, ("number", "change", "category", "by", "status", "title", "id"), rows)


@pending_command.command("show", epilog="Example: memoranda pending show 3")
@click.argument("id")
@command
def pending_show(out: Output, data_dir: str | None, id: str) -> None:
    """To approve it, pass the displayed hash to `pending approve --shown`."""
    with opened(data_dir) as memory:
        proposal = memory.proposals.show(id)
    out.recalled({"proposal": proposal, "hash": proposal.hash}, _shown(proposal))


@pending_command.command(
    "approve", epilog="Example: memoranda pending approve 3 --shown 9f86d081884c"
)
@click.argument("ids", nargs=-1, required=True, metavar="ID...")
@click.option(
    "--shown",
    multiple=True,
    metavar="HASH",
    help="Hash from `pending show`, one for each proposal.",
)
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@click.option(
    "--content", help="Approve the proposal with this text; - reads it from standard input."
)
@click.option("--note", default="", help="Why.")
@command
def pending_approve(
    out: Output,
    data_dir: str | None,
    ids: tuple[str, ...],
    shown: tuple[str, ...],
    yes: bool,
    content: str | None,
    note: str,
) -> None:
    """Without --shown or --yes, the proposal is shown and must be confirmed.

    Confirmation needs a terminal. To undo the approval of several proposals, run the command that
    `memoranda undo` shows.
    """
    from memoranda.proposals.model import MemoryEdit

    if content is not None and len(ids) > 1:
        raise InvalidInput("--content is the text of one proposal; approve the others without it")
    if shown and len(shown) != len(ids):
        raise InvalidInput("--shown is needed for each proposal, in the order of the proposals")
    edit = MemoryEdit(content=stated(content)) if content is not None else None
    message = "approved with your text" if edit else "approved"
    decided, lines = [], []
    with opened(data_dir) as memory:
        hashes = shown or _confirmed(memory, ids, yes=yes, edited=edit is not None)
        for id, hash in zip(ids, hashes, strict=True):
            decided.append(memory.proposals.approve(id, hash, note=note, edit=edit))
            title = memory.memories.show(decided[-1].memory).memory.title
            lines.append(f"proposal {decided[-1].number} {message}: {title}")
    out.text(decided if len(ids) > 1 else decided[0], "\n".join(lines))


def _confirmed(memory: Memoranda, ids: Sequence[str], *, yes: bool, edited: bool) -> Sequence[str]:
    """Show proposals and ask for confirmation unless ``yes``; return hashes.

    A superseded proposal must have been shown, unless the person ``edited`` it.
    """
    proposals = [memory.proposals.show(id) for id in ids]
    if yes:
        for one in proposals:
            if one.superseded and not edited:
                raise InvalidInput(
                    f"proposal {one.number} is superseded: {one.superseded}; nothing was approved."
                    f" Approve it with the right text (--content), or unchanged with"
                    f" --shown {one.hash[:HASH]}, or reject it"
                )
        return [one.hash for one in proposals]
    options = " ".join(f"--shown {proposal.hash[:HASH]}" for proposal in proposals)
    _confirm("\n\n".join(map(_shown, proposals)), options)
    return [item.hash for item in proposals]


@pending.view("reject", "pending reject 3 --note wrong")
def _rejected(decided: Proposal) -> str:
    return f"proposal {decided.number} rejected: {decided.after.title}"


@pending_command.command("approve-all", epilog="Example: memoranda pending approve-all --yes")
@workspace_option
@click.option("--yes", is_flag=True, help="Do not ask for confirmation.")
@command
def pending_approve_all(
    out: Output, data_dir: str | None, workspace: str | None, yes: bool
) -> None:
    with opened(data_dir) as memory:
        page = memory.proposals.list(workspace=place(memory, workspace), limit=ALL)
        if page.items and not yes:
            titles = "\n".join(f"{p.kind}  {p.agent or 'a person'}  {p.after.title}" for p in page)
            _confirm(titles, "--yes")
        decided = memory.proposals.approve_all(page.items)
    reasons = "".join(f"\n{proposal.id}  left: {proposal.reason}" for proposal in decided.left)
    left = f", {len(decided.left)} left" if decided.left else ""
    out.text(decided, f"{len(decided.approved)} approved{left}{reasons}")


@pending.view("count", "pending count", key="pending")
def _count(count: int) -> str:
    return str(count)


@pending.view(
    "news",
    "pending news --channel mail",
    click.option(
        "--channel", default="news", help="Channel to notify; each event is delivered once."
    ),
    columns=("what", "proposal", "time"),
)
def _news_row(found: Notification) -> Row:
    return found.notice, found.proposal, day(found.created_at)


@click.command(epilog="Example: memoranda promote 01a2042c-5b1e-7000 --reason 'holds everywhere'")
@click.argument("id")
@click.option(
    "--from", "origin", metavar="NAME", help="Only if the memory belongs to this workspace."
)
@click.option("--reason", default="", help="Reason, recorded in the history.")
@command
def promote_command(
    out: Output, data_dir: str | None, id: str, origin: str | None, reason: str
) -> None:
    with opened(data_dir) as memory:
        if origin:
            _require_workspace(memory, id, origin)
        changed = memory.memories.promote(id, reason=reason)
        show_change(out, memory, changed, "applies to the whole team")


@click.command(epilog="Example: memoranda demote 01a2042c-5b1e-7000 --workspace shop")
@click.argument("id")
@workspace_option
@click.option("--to", "target", metavar="NAME", help="Same as --workspace.")
@click.option("--reason", default="", help="Reason, recorded in the history.")
@command
def demote_command(
    out: Output,
    data_dir: str | None,
    id: str,
    workspace: str | None,
    target: str | None,
    reason: str,
) -> None:
    if target and workspace not in (None, target):
        raise InvalidInput("--to and --workspace specify different workspaces; omit one of them")
    workspace = target or workspace
    with opened(data_dir) as memory:
        changed = memory.memories.demote(id, place(memory, workspace), reason=reason)
        show_change(out, memory, changed, "applies to one workspace")


def _require_workspace(memory: Memoranda, id: str, name: str) -> None:
    """Require that a memory belongs to a workspace.

    Raises:
        InvalidInput: the memory belongs to another workspace, or to the whole team.
        NotFound: there is no such memory or workspace.
    """
    workspace = memory.workspaces.show(name).workspace
    found = memory.memories.show(id).memory
    if found.workspace != workspace.id:
        raise InvalidInput(f"memory {found.id} is not in the workspace {workspace.name}")


def show_change(out: Output, memory: Memoranda, changed: ChangeResult, done: str) -> None:
    """Show the result of a requested change, and how to revert it."""
    out.text(changed, change_line(memory, changed, done))


def change_line(memory: Memoranda, changed: ChangeResult, done: str) -> str:
    """Return the result of a requested change, and how to revert it."""
    waits, id = changed.proposal, changed.memory.id
    message = f"pending approval as proposal {waits.number}" if waits else done
    if not waits and (undo := undo_line(memory, id)):
        message += f"\n{undo}"
    return f"{changed.memory.id}  {message}"


def undo_line(memory: Memoranda, id: str) -> str:
    """Return the command that reverts a memory's last change; "" if none."""
    versions = memory.memories.history(id, limit=1).items
    return f"to undo: memoranda memory restore {id} {versions[0].version}" if versions else ""


def _status(found: Proposal) -> str:
    from memoranda.proposals.suspicion import is_suspicious

    marks = [found.status.value, *(["suspicious"] if is_suspicious(found) else [])]
    return ", ".join([*marks, *(["superseded"] if found.superseded else [])])


def _confirm(question: str, otherwise: str) -> None:
    """Show what will be approved; continue only if a person confirms."""
    if not sys.stdin.isatty():
        raise InvalidInput(
            f"cannot ask for confirmation without a terminal; review the proposals, then"
            f" add {otherwise}"
        )
    write(question)
    if not click.confirm("Approve?"):
        raise InvalidInput("nothing was approved")


def _shown(found: Proposal) -> str:
    labels: dict[str, object] = {
        "proposal": f"{found.number} ({found.kind}, {found.status})",
        "id": found.id,
        "memory": found.memory,
        "by": found.author,
        "since": day(found.created_at),
        "reason": found.reason or "none given",
        **({"superseded": found.superseded} if found.superseded else {}),
        "hash": found.hash[:HASH],
    }
    if found.decided_at is not None:
        labels["decided"] = f"{day(found.decided_at)} by {found.decided_by} {found.note}".rstrip()
    lines = unified_diff(
        _lines(found.before), _lines(found.after), "now", "then", lineterm="", n=99
    )
    return f"{pairs(labels)}\n\n" + "\n".join(lines)


def _lines(state: MemoryState) -> list[str]:
    marks = [name for name in ("critical", "protected") if getattr(state, name)]
    return [
        f"title: {state.title}",
        f"category: {state.category}  status: {state.status}  for: {state.visibility}",
        f"tags: {', '.join(state.tags)}  {' '.join(marks)}".rstrip(),
        *visible(state.content).split("\n"),
    ]


def visible(text: str) -> str:
    """Return a text with its invisible characters escaped.

    A person then sees everything that a model would read.
    """
    return "".join(
        char if char.isprintable() or char == "\n" else f"\\u{ord(char):04x}" for char in text
    )
