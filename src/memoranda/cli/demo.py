"""The command that shows a small example, separate from the user's data."""

from __future__ import annotations

import shlex
import tempfile
from collections.abc import Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.output import Output, command_here
from memoranda.exceptions import Conflict, NotFound
from memoranda.text import clip, one_line

if TYPE_CHECKING:
    from memoranda import Memoranda
    from memoranda.config import Settings
    from memoranda.observations.model import Observation
    from memoranda.search.model import ContextBrief

SESSION = "parcel-rates.jsonl"
WORKSPACE = "parcel"
BUDGET = 400
"""Token budget of the context, so that it fits on a screen."""
RULE = "Match prices by zone and weight, never line by line."
PROPOSAL = "Run ruff after each edit: the linter refused zip() without strict=."
_WIDTH = 79
_CONTEXT_LINES = 5


@dataclass(frozen=True, slots=True)
class Demo:
    """Results that the example shows in each step."""

    data_dir: str
    kept: bool
    """Whether the data directory is kept."""
    lines: int
    events: tuple[Observation, ...]
    """Some of the events, as stored."""
    observations: int
    tokens: int
    by_type: dict[str, int]
    approved: str
    evidence: str
    pending: str
    context: ContextBrief
    next: tuple[str, ...]


@click.command(epilog="Example: memoranda demo --into example-data")
@click.option(
    "--into",
    type=click.Path(file_okay=False, path_type=Path),
    metavar="DIR",
    help="Keep the example in this new folder, as a data directory.",
)
@command_here
def demo_command(out: Output, data_dir: str | None, into: Path | None) -> None:
    """Show an example: event, observation, memory, context.

    A recorded session of a coding agent is imported into a temporary data directory. Your own data
    and settings are neither read nor changed.
    """
    if into and into.exists() and any(into.iterdir()):
        raise Conflict(f"{into} is not empty; specify a new or empty folder")
    place: AbstractContextManager[str] = (
        nullcontext(str(into.absolute())) if into else tempfile.TemporaryDirectory()
    )
    with place as folder:
        demo = _demo(Path(folder), reused=bool(into))
    out.text(demo, "\n".join(_screen(demo)))


def example_session() -> Path:
    """Return the recorded session from the package or the source repository.

    Raises:
        NotFound: this installation has no recorded session.
    """
    import memoranda

    package = Path(memoranda.__file__).parent
    places = (package / "examples" / SESSION, package.parents[1] / "examples" / "session" / SESSION)
    for path in places:
        if path.is_file():
            return path
    raise NotFound(f"this installation has no example ({SESSION})")


def _demo(folder: Path, reused: bool) -> Demo:
    """Load the example into a folder and run every step."""
    from memoranda import Memoranda
    from memoranda.config import load_settings
    from memoranda.memories.memory_service import NewMemory
    from memoranda.observations.model import Origin

    # The environment is empty so that none of the user's settings apply, such as a database URL.
    settings = load_settings({"data_dir": folder, "embedder": "none"}, environ={})
    with Memoranda.open(settings=settings, workspace=WORKSPACE) as memory:
        report = memory.capture.import_transcript(example_session(), workspace=WORKSPACE)
        observations = tuple(memory.observations.list(limit=200))[::-1]  # the oldest first
        correction = next(
            observation
            for observation in observations
            if observation.origin is Origin.HUMAN and "line by line" in observation.summary
        )
        approved = memory.remember(NewMemory(RULE, evidence=(correction.id,)))
        _propose(settings)
        stats = memory.store.stats(summaries=False)
        return Demo(
            data_dir=str(folder),
            kept=reused,
            lines=report.lines,
            events=_selected(observations, correction),
            observations=stats.observations,
            tokens=stats.raw_tokens,
            by_type=dict(stats.by_type),
            approved=approved.content,
            evidence=correction.ref,
            pending=_pending(memory),
            context=memory.context(budget=BUDGET),
            next=_next_steps(folder if reused else None),
        )


def _propose(settings: Settings) -> None:
    """Store a memory as an agent, which a person has to approve."""
    from memoranda import Memoranda

    with Memoranda.open(settings=settings, workspace=WORKSPACE, agent="claude-code") as memory:
        memory.remember(PROPOSAL)


def _pending(memory: Memoranda) -> str:
    return "; ".join(proposal.after.content for proposal in memory.proposals.list())


def _selected(
    observations: Sequence[Observation], correction: Observation
) -> tuple[Observation, ...]:
    """Return the first prompt, an error with its fix, and a person's correction."""
    by_id = {item.id: item for item in observations}
    fix = next(
        observation
        for observation in observations
        if observation.resolves and "ruff" in observation.summary
    )
    error = by_id[str(fix.resolves)]
    return (observations[0], error, fix, correction)


def _next_steps(folder: Path | None) -> tuple[str, ...]:
    example = "memoranda demo --into example-data"
    if folder:
        example = f"memoranda --data-dir {shlex.quote(str(folder))} context"
    return ("memoranda install claude-code", "memoranda status", example)


def _screen(demo: Demo) -> list[str]:
    """Return the demo as lines for a terminal of 80 columns and 25 lines."""
    kinds = ", ".join(f"{demo.by_type[kind]} {kind}" for kind in ("message", "error", "fix"))
    place = demo.data_dir if demo.kept else "a temporary folder, removed now"
    prompt, *rest = demo.events
    return [
        f"A recorded session of a coding agent, in {place}.",
        "",
        f"1. EVENTS: {demo.lines} lines of a transcript; hooks deliver them while the agent works",
        _line("a person", prompt.summary),
        "",
        f"2. OBSERVATIONS: {demo.observations} stored in full, {demo.tokens:,} tokens ({kinds})",
        *(
            _line(f"{observation.ref} {observation.type}", observation.summary)
            for observation in rest
        ),
        "",
        "3. MEMORIES: a person's statements apply; an agent's conclusions are pending",
        _line("approved", f"{demo.approved} ({demo.evidence})"),
        _line("pending", demo.pending),
        "",
        f"4. CONTEXT: {demo.context.tokens} of {demo.context.budget} tokens for the next session",
        *(_line("", line) for line in _facts(demo.context.text)),
        "",
        *_next_lines(demo),
    ]


def _line(label: str, text: str) -> str:
    return clip(f"   {label:<13}{one_line(text)}" if label else f"   {text}", _WIDTH)


def _facts(text: str) -> list[str]:
    """Return the lines of a context from its critical facts to its end."""
    lines = text.split("\n")
    start = next((at for at, line in enumerate(lines) if line == "<critical-facts>"), 0)
    return lines[start : start + _CONTEXT_LINES]


def _next_lines(demo: Demo) -> list[str]:
    purposes = (
        "record your own sessions",
        "check that recording works",
        "print the context" if demo.kept else "keep this example",
    )
    width = max(map(len, demo.next)) + 2
    return [
        f"{'Next: ' if at == 0 else '      '}{command:<{width}}{purpose}"
        for at, (command, purpose) in enumerate(zip(demo.next, purposes, strict=True))
    ]
