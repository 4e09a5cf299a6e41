"""Commands for conversations: messages, and summaries of older ones."""

from __future__ import annotations

from functools import partial
from typing import Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import one_of, place, stated
from memoranda.cli.output import Output, command, day
from memoranda.conversations.model import Compaction, Conversation, Message, MessageRole
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
@click.option("--agent", help="Agent that sends or receives the message. Default: main.")
@click.option(
    "--workspace",
    metavar="NAME",
    help="Workspace. Default for a new task: the workspace of this folder.",
)
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


messages = OperationCommands(
    message_command,
    "message",
    click.option("--agent", help="Only this agent's conversation."),
    click.option(
        "--mode",
        type=one_of(CompactionMode),
        help="Messages to summarise: older ones, or all. Default: compaction_mode.",
    ),
)


@messages.view(
    "list",
    "message list 3 --limit 20",
    click.option("--agent", help="Only messages from or to this agent."),
    columns=("ref", "role", "agent", "said", "tokens", "text"),
    fresh=True,
)
def _row(one: Message) -> Row:
    return one.ref, one.role, one.agent, day(one.created_at), one.tokens, one.content


@messages.view("compact", "message compact 3 --force", key="compaction", fresh=True)
def _compacted(made: Compaction | None, *, force: bool) -> str:
    if made is None:
        reason = "" if force else "compaction is not due, "
        return f"nothing to compact: {reason}nothing is older, or a summary would be no shorter"
    source = f"{made.source_tokens} tokens up to message {made.until_sequence}"
    return f"{source} are now {made.tokens}"


@messages.view("show", "message show 3", form="recalled", fresh=True)
def _shown(found: Conversation) -> str:
    """The conversation is shown as a summary, followed by the newer messages."""
    parts = [found.summary] if found.summary else []
    parts += [f"[{message.role} {message.ref}] {message.content}" for message in found.messages]
    parts.append(
        f"{found.tokens} of {found.window} tokens; the summary covers {found.compacted} messages"
    )
    return "\n\n".join(parts)
