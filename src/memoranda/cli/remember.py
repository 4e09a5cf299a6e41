"""Commands that remember and explain."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.open_memory import opened
from memoranda.cli.options import MomentParam, PairParam, one_of, place, stated, workspace_option
from memoranda.cli.output import Output, command, day, pairs
from memoranda.memories.model import Category, Memory, MemoryStatus, NamedEvidence, Visibility
from memoranda.text import clip

if TYPE_CHECKING:
    from memoranda import Memoranda

TEXT = 2_000
"""Number of characters shown of a text other than a memory; a command in the output shows all of
it.
"""


@click.command(
    epilog='Example: memoranda remember "Run the whole suite before a release" --critical'
)
@click.argument("content")
@workspace_option
@click.option("--everywhere", is_flag=True, help="Apply the memory to every workspace of the team.")
@click.option("--private", is_flag=True, help="Visible only to the acting agent.")
@click.option("--title", help="Title. Default: the first line of the content.")
@click.option(
    "--category", type=one_of(Category), default="insight", help="Category of the memory."
)
@click.option("--tag", "tags", multiple=True, help="Tag. Repeatable.")
@click.option(
    "--critical/--not-critical",
    default=None,
    help="Include the memory in every context. Default: for requirements only.",
)
@click.option("--protected", is_flag=True, help="Protect the memory from removal.")
@click.option(
    "--evidence",
    multiple=True,
    metavar="ID",
    help="Observation that the memory is based on. Repeatable.",
)
@click.option(
    "--valid-from",
    type=MomentParam(),
    help="Start of the memory's validity. Default: always valid.",
)
@click.option("--valid-until", type=MomentParam(), help="End of the memory's validity.")
@click.option("--confidence", type=click.FloatRange(0, 1), help="Confidence, 0 to 1. Default: 1.")
@click.option("--reason", default="", help="Reason for a pattern or anti-pattern.")
@click.option("--alternative", default="", help="What to do instead.")
@click.option(
    "--applies-to", multiple=True, help="Where the pattern applies, such as a language. Repeatable."
)
@click.option("--example", "examples", multiple=True, help="An example of the pattern. Repeatable.")
@click.option(
    "--reference",
    "references",
    type=PairParam("file:src/tariffs.py"),
    multiple=True,
    help="file:PATH, execution:TASK, url:URL or doc:NAME.",
)
@click.option(
    "--link",
    "links",
    type=PairParam("related:01a2042c-5b1e-7000"),
    multiple=True,
    help="related:ID, parent:ID or contradicts:ID.",
)
@command
def remember_command(
    out: Output, data_dir: str | None, content: str, workspace: str | None, **options: Any
) -> None:
    """Pass - as CONTENT to read standard input."""
    from memoranda.memories.link_model import LinkTo, Reference
    from memoranda.memories.memory_service import NewMemory

    text = stated(content, "a memory")
    everywhere, private = options.pop("everywhere"), options.pop("private")
    if everywhere and private:
        raise click.UsageError("a private memory applies to its agent alone; omit --everywhere")
    with opened(data_dir, fresh=True) as memory:
        chosen = place(memory, workspace, new=not everywhere)
        options["category"] = Category(options["category"])
        options["references"] = [Reference(*pair) for pair in options["references"]]
        options["links"] = [LinkTo(*pair) for pair in options["links"]]
        options["visibility"] = _visibility(everywhere=everywhere, private=private)
        stored = memory.remember(NewMemory(text, **options), workspace=chosen)
        audience = _audience(memory, stored, workspace)
    out.text(stored, f"{stored.id}  {_stored_text(stored)} for {audience}: {stored.title}")


def _visibility(*, everywhere: bool, private: bool) -> Visibility | None:
    """Return who can see a new memory; None for everyone in its workspace."""
    if private:
        return Visibility.AGENT
    return Visibility.TEAM if everywhere else None


def _audience(memory: Memoranda, stored: Memory, chosen: str | None) -> str:
    """Return where a memory applies; ``chosen`` is the given workspace."""
    if stored.visibility is Visibility.AGENT:
        return f"agent {stored.agent} alone"
    if stored.workspace is None or stored.visibility is Visibility.TEAM:
        return "every workspace"
    return f"workspace {chosen or memory.workspaces.show(stored.workspace).workspace.name}"


def _stored_text(memory: Memory) -> str:
    """Describe how a stated memory was stored."""
    if memory.uses:
        message = f"already stored, used {memory.uses} times"
    elif memory.status is MemoryStatus.PENDING:
        message = f"pending approval (memoranda pending list), as {memory.category}"
    elif memory.status is MemoryStatus.REJECTED:
        message = f"not remembered: a person has already rejected this {memory.category} memory"
    else:
        message = f"remembered as {memory.category}"
    return f"{message}, critical ({memory.critical_reason})," if memory.critical else message


@click.command(epilog="Example: memoranda why 3#42")
@click.argument("id", metavar="NAME")
@workspace_option
@click.option("--task", help="Task of a block, or of an observation such as '#42'.")
@command
def why_command(
    out: Output, data_dir: str | None, id: str, workspace: str | None, task: str | None
) -> None:
    with opened(data_dir, fresh=True) as memory:
        evidence = memory.memories.evidence(id, workspace=place(memory, workspace, task), task=task)
    text = evidence.record.text if evidence.memory else clip(evidence.record.text, TEXT)
    out.recalled(evidence, f"{text}\n\n{pairs(_evidence(evidence))}")


def _evidence(found: NamedEvidence) -> dict[str, object]:
    """Return what is known about a record, by label."""
    record, memory = found.record, found.memory
    kind = {record.kind.value: record.id}
    since: dict[str, object] = {"trust": found.trust, "since": day(record.at)}
    if memory is None:
        return {**kind, "said by": record.origin, **since, "in full": record.command}
    return {
        "id": memory.id,
        "category": f"{memory.category} ({memory.kind}, {memory.status})",
        "said by": f"{memory.origin}, confidence {memory.confidence:.2f}",
        **since,
        "critical": memory.critical_reason or "no",
        "evidence": ", ".join(found.observations) or "entered manually",
    }
