"""Commands for feedback of people, and for instructions to the memory."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import page_options, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.cli.proposals import undo_line, visible
from memoranda.text import clip

if TYPE_CHECKING:
    from memoranda.feedback.model import CommandResult, FeedbackStory

LINE = 60
"""Characters of a text in a table."""
TYPES = ("correction", "rejection", "approval", "instruction", "pattern")
STATES = ("waiting", "processed", "asking", "dismissed")


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
@click.option("--about", default="", help="Text it responds to, such as a suggestion.")
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


@feedback_command.command("list", epilog="Example: memoranda feedback list --state asking")
@workspace_option
@click.option("--task", help="Only this task.")
@click.option("--state", type=click.Choice(STATES), help="Only feedback in this state.")
@click.option("--type", "type", type=click.Choice(TYPES), help="Only feedback of this type.")
@page_options
@command
def feedback_list(
    out: Output, data_dir: str | None, workspace: str | None, task: str | None, **filters: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.feedback.list(workspace=place(memory, workspace, task), task=task, **filters)
    rows = [
        (f.id, day(f.created_at), f.type or "?", f"{f.confidence:.2f}", f.state, f.source,
         clip(f.text, LINE))
        for f in page
    ]  # fmt: skip
    out.rows(page, ("id", "time", "type", "sure", "state", "from", "text"), rows)


@feedback_command.command("show", epilog="Example: memoranda feedback show 01a2042c-5b1e-7000")
@click.argument("id")
@command
def feedback_show(out: Output, data_dir: str | None, id: str) -> None:
    with opened(data_dir) as memory:
        story = memory.feedback.show(id)
    out.recalled(story, _story_text(story))


@feedback_command.command(
    "correct", epilog="Example: memoranda feedback correct 01a2042c-5b1e-7000 rejection"
)
@click.argument("id")
@click.argument("type", type=click.Choice((*TYPES, "none")))
@command
def feedback_correct(out: Output, data_dir: str | None, id: str, type: str) -> None:
    """Earlier effects are undone, unless later changes depend on them."""
    with opened(data_dir) as memory:
        story = memory.feedback.correct(id, type)
    out.recalled(story, _story_text(story))


@feedback_command.command(
    "process", epilog="Example: memoranda feedback process 01a2042c-5b1e-7000"
)
@click.argument("id", required=False)
@command
def feedback_process(out: Output, data_dir: str | None, id: str | None) -> None:
    """With an ID, confirm its detected type."""
    with opened(data_dir, fresh=True) as memory:
        done = memory.feedback.process(id)
    out.text({"processed": done}, f"{done} processed")


@feedback_command.command("suggestions", epilog="Example: memoranda feedback suggestions")
@workspace_option
@page_options
@command
def feedback_suggestions(
    out: Output, data_dir: str | None, workspace: str | None, **paging: Any
) -> None:
    with opened(data_dir, fresh=True) as memory:
        page = memory.feedback.suggestions(workspace=place(memory, workspace), **paging)
    rows = [
        (s.rejected, s.accepted, day(s.last_answer), s.rule or "", clip(s.text, LINE)) for s in page
    ]
    out.rows(page, ("rejected", "accepted", "last", "rule", "suggestion"), rows)


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
    """Return whether a spoken command states something to remember."""
    from memoranda.feedback.command_parser import command as parse
    from memoranda.feedback.model import CommandKind

    parsed = parse(text, direct=True)
    return parsed is not None and parsed.kind in (CommandKind.REMEMBER, CommandKind.RULE)


def _is_archived(result: CommandResult) -> bool:
    from memoranda.feedback.model import CommandOutcome

    return result.outcome is CommandOutcome.ARCHIVED


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
    if item.state == "asking":
        labels["to do"] = (
            f"to confirm it: memoranda feedback process {item.id}; "
            f"to correct it: memoranda feedback correct {item.id} TYPE"
        )
    followed = [
        f"  {effect.touched}  {effect.target}  {effect.note}".rstrip() for effect in story.effects
    ]
    return "\n".join([visible(item.text), "", pairs(labels), *followed])
