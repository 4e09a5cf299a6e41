"""Commands for people's feedback and for instructions to the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.operation_commands import OperationCommands, Row
from memoranda.cli.options import place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.cli.proposals import undo_line, visible
from memoranda.text import clip

if TYPE_CHECKING:
    from memoranda.feedback.model import CommandResult, Feedback, FeedbackStory, SuggestionStatus

LINE = 60
"""Maximum number of characters of a text in a table."""
TYPES = ("correction", "rejection", "approval", "instruction", "pattern")


@click.group()
def feedback_command() -> None:
    """Manage people's feedback on the work, and its effects."""


@feedback_command.command(
    "add", epilog='Example: memoranda feedback add "It should be port 9090" --task 3'
)
@click.argument("text")
@workspace_option
@click.option("--task", help="Task that the feedback is about.")
@click.option("--type", "type", type=click.Choice(TYPES), help="Feedback type. Default: detected.")
@click.option(
    "--about", default="", help="Text that the feedback responds to, such as a suggestion."
)
@click.option(
    "--source",
    type=click.Choice(("api", "review")),
    default="api",
    help="Where the feedback was stated.",
)
@command
def feedback_add(
    out: Output,
    data_dir: str | None,
    text: str,
    workspace: str | None,
    task: str | None,
    **options: Any,
) -> None:
    """Pass - as TEXT to read standard input."""
    words = stated(text, "feedback")
    with opened(data_dir, fresh=True) as memory:
        story = memory.feedback.add(
            words, workspace=place(memory, workspace, task), task=task, **options
        )
    out.recalled(story, _story_text(story))


feedback = OperationCommands(
    feedback_command, "feedback", click.option("--task", help="Only this task.")
)


@feedback.view(
    "list",
    "feedback list --state asking",
    columns=("id", "time", "type", "sure", "state", "from", "text"),
    fresh=True,
)
def _row(item: Feedback) -> Row:
    kind, sure = item.type or "?", f"{item.confidence:.2f}"
    text = clip(item.text, LINE)
    return item.id, day(item.created_at), kind, sure, item.state, item.source, text


@feedback.view("process", "feedback process 01a2042c-5b1e-7000", key="processed", fresh=True)
def _processed(done: int) -> str:
    """With an ID, the command confirms the detected type of that feedback."""
    return f"{done} processed"


@feedback.view(
    "suggestions",
    "feedback suggestions",
    columns=("rejected", "accepted", "last", "rule", "suggestion"),
    fresh=True,
)
def _suggestion_row(found: SuggestionStatus) -> Row:
    text = clip(found.text, LINE)
    return found.rejected, found.accepted, day(found.last_answer), found.rule or "", text


@click.command(epilog='Example: memoranda say "Remember that prices are net"')
@click.argument("text")
@workspace_option
@command
def say_command(out: Output, data_dir: str | None, text: str, workspace: str | None) -> None:
    """For example "Remember that …", "Forget about …", "What do you know about me?",
    "Add this rule: …" or "Optimize your memory".
    """
    words = stated(text)
    with opened(data_dir, fresh=True) as memory:
        spoken = memory.say(words, workspace=place(memory, workspace, new=_states(words)))
        undo = [undo_line(memory, item.id) for item in spoken.memories if _is_archived(spoken)]
    rows = [f"{one.id}  {one.category}: {one.title}" for one in spoken.memories]
    out.text(spoken, "\n".join([f"{spoken.outcome}: {spoken.note}", *undo, *rows]))


def _states(text: str) -> bool:
    """Return whether a `say` command states something to remember."""
    from memoranda.feedback.command_parser import command as parse
    from memoranda.feedback.model import CommandKind

    parsed = parse(text, direct=True)
    return parsed is not None and parsed.kind in (CommandKind.REMEMBER, CommandKind.RULE)


def _is_archived(result: CommandResult) -> bool:
    from memoranda.feedback.model import CommandOutcome

    return result.outcome is CommandOutcome.ARCHIVED


@feedback.view("show", "feedback show 01a2042c-5b1e-7000", form="recalled")
def _story_text(story: FeedbackStory) -> str:
    item = story.feedback
    labels: dict[str, object] = {
        "id": item.id,
        "read as": f"{item.type or 'nothing yet'} ({item.confidence:.2f}, {item.reason or '?'})",
        "state": item.state,
        "said by": f"{item.author}, {item.source}, {day(item.created_at)}",
    }
    if item.about:
        labels["about"] = visible(clip(item.about, 2 * LINE))
    if item.state in ("asking", "uncertain"):
        labels["to do"] = (
            f"to confirm the type: memoranda feedback process {item.id}; to correct the type:"
            f" memoranda feedback correct {item.id} TYPE"
        )
    followed = [
        f"  {effect.touched}  {effect.target}  {effect.note}".rstrip() for effect in story.effects
    ]
    return "\n".join([visible(item.text), "", pairs(labels), *followed])


@feedback.view(
    "correct",
    "feedback correct 01a2042c-5b1e-7000 rejection",
    click.argument("type", type=click.Choice((*TYPES, "none"))),
    form="recalled",
)
def _corrected(story: FeedbackStory) -> str:
    """Its earlier effects are undone, unless later changes depend on them."""
    return _story_text(story)
