"""The record of a task, read once for all that is made of it."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memoranda.checkpoints import table as checkpoints
from memoranda.errors.records import own_words
from memoranda.errors.signature import signature
from memoranda.errors.types import KINDS
from memoranda.lessons.tables import has_phrase
from memoranda.observations import content_table as contents, table as observations
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.text import clip, one_line, visible
from memoranda.tools.call_table import ToolCall

LOOKED = 5_000
"""Newest observations of a task that are read."""
SPOKEN = 500
"""Newest messages that are read in full."""
READ = 4_000
"""Characters of a message."""
LEAST_STEPS = 10
"""With fewer a task is trivial, unless something was edited, failed or learned."""
ARROW = " \u2192 "
"""In a summary, between what was done and what came of it."""
LINE = 160
"""Characters of a quotation."""
MAIN = "main"

_LOOKING = frozenset({"read", "search", "plan"})
_CHECKING = frozenset({"test", "lint"})
_OF_TESTS = frozenset({"test_failure", "assertion"})
_VERIFYING = _CHECKING | {"build"}


@dataclass(frozen=True, slots=True)
class ErrorEpisode:
    """An error, everything that failed the same way after it, and what ended it."""

    error: Observation
    again: tuple[Observation, ...]
    """Later errors of the same call before it went well."""
    fix: Observation | None
    """The first success of that call."""
    done: tuple[Observation, ...]
    """What was changed meanwhile, oldest first."""
    replaced_by: Observation | None = None
    """A later error of that call with another cause: this one was over by then."""

    @property
    def end(self) -> Observation | None:
        """The first step at which it was over."""
        return self.fix or self.replaced_by

    @property
    def attempts(self) -> int:
        """How often it failed."""
        return 1 + len(self.again)


class TaskRecord:
    """What is known of a task, oldest first, without what was taken back or folded."""

    def __init__(
        self,
        task: Task,
        steps: Sequence[Observation],
        texts: Mapping[str, str],
        open_errors: Sequence[str],
        diff: str,
    ) -> None:
        self.task = task
        self.steps = [one for one in steps if one.branch == MAIN]
        self.diff = diff
        self._texts = texts
        self._open = frozenset(open_errors)

    @cached_property
    def trivial(self) -> bool:
        """Say whether there is nothing to tell: few steps, nothing edited, failed or learned."""
        telling = (ObservationType.ERROR, ObservationType.DECISION, ObservationType.FIX)
        busy = any(one.type in telling or "edit" in one.tags for one in self.steps)
        taught = any(learned(one, text) for one, text in self.spoken)
        return len(self.steps) < LEAST_STEPS and not (busy or taught)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Files that were edited, in the order of their first edit."""
        edited = (one for one in self.steps if "edit" in one.tags and one.type is not _ERROR)
        return tuple(dict.fromkeys(file for one in edited for file in one.files))

    @cached_property
    def troubles(self) -> tuple[ErrorEpisode, ...]:
        """Errors with what became of them, in the order in which they first failed."""
        fixes = {one.resolves: one for one in self.steps if one.resolves}
        runs: dict[tuple[str, str], list[Observation]] = defaultdict(list)
        found = []
        for one in self.steps:
            if one.type is not _ERROR:
                continue
            run = runs[one.tool or "", target(one)]
            if run and _differ(run[-1], one):
                found.append(self._trouble(tuple(run), None, one))
                run.clear()
            run.append(one)
            if one.id in fixes or one.id in self._open:
                found.append(self._trouble(tuple(run), fixes.get(one.id)))
                run.clear()
        return tuple(sorted(found, key=lambda trouble: trouble.error.sequence))

    def _trouble(
        self,
        run: tuple[Observation, ...],
        fix: Observation | None,
        replaced_by: Observation | None = None,
    ) -> ErrorEpisode:
        end = fix or replaced_by
        first, last = run[0].sequence, end.sequence if end else self.steps[-1].sequence + 1
        done = (one for one in self.steps if first < one.sequence < last and changes(one))
        return ErrorEpisode(run[0], run[1:], fix, tuple(done), replaced_by)

    @cached_property
    def errors(self) -> Mapping[str, Observation]:
        """Errors by their ids."""
        return {one.id: one for one in self.steps if one.type is _ERROR}

    @cached_property
    def spoken(self) -> tuple[tuple[Observation, str], ...]:
        """What was said and decided, each with its text."""
        return tuple((one, self._texts[one.id]) for one in self.steps if one.id in self._texts)

    @cached_property
    def checks(self) -> Mapping[str, Sequence[Observation]]:
        """Commands that tested, built or linted and went well, by how they were called."""
        found: dict[str, list[Observation]] = defaultdict(list)
        for one in self.steps:
            called = target(one)
            plain = called and not called.endswith("…")
            if plain and one.type is not _ERROR and not _VERIFYING.isdisjoint(one.tags):
                found[called].append(one)
        return found


_ERROR = ObservationType.ERROR


def read(tx: Transaction, task: Task) -> TaskRecord:
    """Read the newest 5,000 observations of a task, and the newest 500 messages in full."""
    span = (max(0, task.observations - LOOKED), observations.END)
    found = observations.in_task(tx, task.team, task.id, span=span, limit=LOOKED)
    steps = observations.in_time(found)
    said = [one.id for one in steps if one.tool is None and one.branch == MAIN][-SPOKEN:]
    texts = contents.texts(tx, task.team, said) if said else {}
    standing = observations.open_errors(tx, task.team, task.id, SPOKEN)
    diff = checkpoints.state(tx, task.team, task.id).state.get("diff")
    return TaskRecord(
        task,
        steps,
        {id: text[:READ] for id, text in texts.items()},
        [one.id for one in standing],
        diff if isinstance(diff, str) else "",
    )


def _differ(before: Observation, after: Observation) -> bool:
    """Say whether two failures of one call have different causes. Failing tests are one: what is
    worked at is that they pass, whatever they say meanwhile."""
    kinds = [kind_of_failure(one) for one in (before, after)]
    if _OF_TESTS.issuperset(kinds):
        return False
    lines = [error_line(one) for one in (before, after)]
    return signature(kinds[0], lines[0]) != signature(kinds[1], lines[1])


def changes(one: Observation) -> bool:
    """Say whether a step did something rather than looked or checked."""
    if one.tool is None or one.type is _ERROR:
        return False
    return "edit" in one.tags or (_LOOKING | _CHECKING).isdisjoint(one.tags)


def kind_of_failure(error: Observation | ToolCall) -> str:
    """Return the kind of an error, as capture tagged it."""
    return next((tag for tag in error.tags if tag in KINDS), "error")


def called(one: Observation | ToolCall) -> str:
    """Return what a step called as it is kept, not cleaned up."""
    return one.summary.partition("\n")[0].partition(ARROW)[0]


def target(one: Observation | ToolCall) -> str:
    """Return what a step called, without what came of it."""
    return quoted(called(one))


def error_line(error: Observation | ToolCall) -> str:
    """Return the error's own words."""
    return quoted(own_words(error.summary))


def step_line(one: Observation | ToolCall) -> str:
    """Return the first line of what is kept of a step, with what it changed."""
    first, _, rest = one.summary.partition("\n")
    lines = [line.strip() for line in rest.split("\n") if line.startswith(("+", "-"))]
    return quoted("; ".join([first, *lines[:2]]))


def quoted(text: str) -> str:
    """Return a text as one visible line of at most 160 characters."""
    return clip(one_line(visible(text)), LINE)


def learned(one: Observation, text: str) -> bool:
    """Say whether a text tells what was learned: of what was noted as a learning, by any of its
    words, of what an agent said, in so many words."""
    if one.type is ObservationType.LEARNING:
        return has_phrase(text, "learned")
    return one.origin is Origin.AGENT and has_phrase(text, "found out")


def spoken_by_person(one: Observation) -> bool:
    """Say whether somebody's own words are meant, not an agent's."""
    return one.origin is Origin.HUMAN
