"""Commands for conversations: messages, and summaries of older ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import one_of, page_options, place, stated
from memoranda.cli.output import Output, command, day
from memoranda.conversations.model import Conversation, MessageRole
from memoranda.exceptions import NotFound
from memoranda.settings import CompactionMode


@click.group()
def message_command() -> None:
    """Manage messages of users and agents, and summaries of older ones."""


@message_command.command(
    "add", epilog='Example: memoranda message add chat-7 "The port is 8443" --role user'
)
@click.argument("task")
@click.argument("content")
@click.option(
    "--role",
    type=one_of(MessageRole),
    default=MessageRole.USER.value,
    help="Author of the message.",
)
@click.option("--agent", help="Agent that sends or receives it. Default: main.")
@click.option("--workspace", metavar="NAME", help="Default for a new task: this folder's.")
@command
def message_add(
    out: Output,
    data_dir: str | None,
    task: str,
    content: str,
    workspace: str | None,
    **options: Any,
) -> None:
    """TASK is a task's name, number or id; a new name begins a task.

    Pass - as CONTENT to read standard input.
    """
    content = stated(content)
    with opened(data_dir) as memory:
        add = partial(memory.conversations.add, content, **options)
        try:
            stored = add(task=task, workspace=workspace)
        except NotFound:
            if task.removeprefix("#").isdecimal():
                raise
            stored = add(session=task, workspace=place(memory, workspace))
    out.text(stored, f"{stored.ref} is stored, {stored.tokens} tokens")


@message_command.command("list", epilog="Example: memoranda message list 3 --limit 20")
@click.argument("task")
@click.option("--agent", help="Only messages from or to this agent.")
@page_options
@command
def message_list(
    out: Output, data_dir: str | None, task: str, agent: str | None, **paging: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.conversations.list(task, agent=agent, **paging)
    rows = [
        (
            message.ref,
            message.role,
            message.agent,
            day(message.created_at),
            message.tokens,
            message.content,
        )
        for message in page
    ]
    out.rows(page, ("ref", "role", "agent", "said", "tokens", "text"), rows)


@message_command.command("show", epilog="Example: memoranda message show 3")
@click.argument("task")
@click.option("--agent", help="Only this agent's conversation.")
@command
def message_show(out: Output, data_dir: str | None, task: str, agent: str | None) -> None:
    """That is a summary, then newer messages."""
    with opened(data_dir, fresh=True) as memory:
        conversation = memory.conversations.show(task, agent=agent)
    out.recalled(conversation, _shown(conversation))


@message_command.command("compact", epilog="Example: memoranda message compact 3 --force")
@click.argument("task")
@click.option("--agent", help="Only this agent's conversation.")
@click.option(
    "--mode",
    type=one_of(CompactionMode),
    help="Summarise older messages, or all. Default: compaction_mode.",
)
@click.option("--force", is_flag=True, help="Compact even if it is not due.")
@command
def message_compact(
    out: Output, data_dir: str | None, task: str, agent: str | None, mode: str | None, force: bool
) -> None:
    with opened(data_dir, fresh=True) as memory:
        compaction = memory.conversations.compact(task, agent=agent, mode=mode, force=force)
    if compaction is None:
        reason = "" if force else "it is not due, "
        nothing = f"nothing to compact: {reason}nothing is older, or a summary would be no shorter"
        out.text({"compaction": None}, nothing)
        return
    source = f"{compaction.source_tokens} tokens up to message {compaction.until_sequence}"
    text = f"{source} are now {compaction.tokens}"
    out.text({"compaction": compaction}, text)


def _shown(found: Conversation) -> str:
    parts = [found.summary] if found.summary else []
    parts += [f"[{message.role} {message.ref}] {message.content}" for message in found.messages]
    parts.append(
        f"{found.tokens} of {found.window} tokens; the summary covers {found.compacted} messages"
    )
    return "\n\n".join(parts)
