"""Record of a task, read once for its archive and its lessons."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from memoranda.checkpoints import table as checkpoints
from memoranda.errors.model import KINDS
from memoranda.errors.records import action, change_line, own_words
from memoranda.errors.signature import signature
from memoranda.json_data import JsonValue
from memoranda.lessons.vocabulary import has_phrase
from memoranda.observations import content as contents, table as observations
from memoranda.observations.model import Observation, ObservationType, Origin
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.text import clip, one_line, visible
from memoranda.tools.call_table import ToolCall

EXAMINED = 5_000
"""Number of newest observations of a task that are read."""
SPOKEN = 500
"""Number of newest messages that are read in full."""
READ = 4_000
"""Number of characters of a message that are read."""
MIN_STEPS = 10
"""Minimum number of steps of a non-trivial task.

A task with fewer steps is trivial unless something was edited, failed or learned.
"""
ARROW = " \u2192 "
"""Separator between the action and the result in a summary."""
LINE = 160
"""Maximum length of a quotation in characters."""
STATED = 300
"""Maximum length of a recorded resolution of an error, in characters."""
MAIN = "main"

_LOOKING = frozenset({"read", "search", "plan"})
_CHECKING = frozenset({"test", "lint"})
_OF_TESTS = frozenset({"test_failure", "assertion"})
_VERIFYING = _CHECKING | {"build"}


@dataclass(frozen=True, slots=True)
class ErrorEpisode:
    """Error, its later failures of the same kind, and its resolution."""

    error: Observation
    again: tuple[Observation, ...]
    """Later errors of the same call before the call's first success."""
    fix: Observation | None
    """First success of the same call."""
    done: tuple[Observation, ...]
    """Changes made between the error and its resolution, oldest first."""
    replaced_by: Observation | None = None
    """Later error of the same call with another cause, which shows that this error was resolved."""

    @property
    def end(self) -> Observation | None:
        """First step at which the error was resolved."""
        return self.fix or self.replaced_by

    @property
    def attempts(self) -> int:
        """Number of failures."""
        return 1 + len(self.again)


class TaskRecord:
    """Record of a task, oldest first.

    Rewound observations and folded repeats are omitted.
    """

    def __init__(
        self,
        task: Task,
        steps: Sequence[Observation],
        texts: Mapping[str, str],
        open_errors: Sequence[str],
        state: Mapping[str, JsonValue],
    ) -> None:
        self.task = task
        self.steps = [step for step in steps if step.branch == MAIN]
        self.state = state
        """State that the task recorded, such as plan, diff and attempts."""
        self._texts = texts
        self._open = frozenset(open_errors)

    @cached_property
    def trivial(self) -> bool:
        """Whether there is nothing to report.

        A trivial task has few steps, and nothing was edited, failed, learned or noted in its state.
        """
        telling = (ObservationType.ERROR, ObservationType.DECISION, ObservationType.FIX)
        busy = any(step.type in telling or "edit" in step.tags for step in self.steps)
        taught = any(learned(observation, text) for observation, text in self.spoken)
        noted = any(self.state.values())
        return len(self.steps) < MIN_STEPS and not (busy or taught or noted)

    @cached_property
    def files(self) -> tuple[str, ...]:
        """Edited files, in the order of their first edit."""
        edited = (step for step in self.steps if "edit" in step.tags and step.type is not _ERROR)
        return tuple(dict.fromkeys(file for observation in edited for file in observation.files))

    @cached_property
    def error_episodes(self) -> tuple[ErrorEpisode, ...]:
        """Errors with their outcomes, in order of the first failure."""
        fixes = {step.resolves: step for step in self.steps if step.resolves}
        runs: dict[tuple[str, str], list[Observation]] = defaultdict(list)
        episodes = []
        for observation in self.steps:
            if observation.type is not _ERROR:
                continue
            run = runs[observation.tool or "", target(observation)]
            if run and _differ(run[-1], observation):
                episodes.append(self._episode(tuple(run), None, observation))
                run.clear()
            run.append(observation)
            if observation.id in fixes or observation.id in self._open:
                episodes.append(self._episode(tuple(run), fixes.get(observation.id)))
                run.clear()
        return tuple(sorted(episodes, key=lambda trouble: trouble.error.sequence))

    def _episode(
        self,
        run: tuple[Observation, ...],
        fix: Observation | None,
        replaced_by: Observation | None = None,
    ) -> ErrorEpisode:
        end = fix or replaced_by
        first, last = run[0].sequence, end.sequence if end else self.steps[-1].sequence + 1
        done = (step for step in self.steps if first < step.sequence < last and changes(step))
        return ErrorEpisode(run[0], run[1:], fix, tuple(done), replaced_by)

    @cached_property
    def errors(self) -> Mapping[str, Observation]:
        """Errors by id."""
        return {step.id: step for step in self.steps if step.type is _ERROR}

    @cached_property
    def spoken(self) -> tuple[tuple[Observation, str], ...]:
        """Messages and decisions, each with its text."""
        return tuple((step, self._texts[step.id]) for step in self.steps if step.id in self._texts)

    @cached_property
    def checks(self) -> Mapping[str, Sequence[Observation]]:
        """Successful commands that tested, built or linted, grouped by call."""
        result: dict[str, list[Observation]] = defaultdict(list)
        for step in self.steps:
            called = target(step)
            plain = called and not called.endswith("…")
            if plain and step.type is not _ERROR and not _VERIFYING.isdisjoint(step.tags):
                result[called].append(step)
        return result


_ERROR = ObservationType.ERROR


def read(tx: Transaction, task: Task) -> TaskRecord:
    """Read the record of a task.

    It covers the newest 5,000 observations, and the newest 500 messages in full.
    """
    span = (max(0, task.observations - EXAMINED), observations.END)
    found = observations.in_task(tx, task.team, task.id, span=span, limit=EXAMINED)
    steps = observations.in_time(found)
    message_ids = [step.id for step in steps if step.tool is None and step.branch == MAIN][-SPOKEN:]
    texts = contents.texts(tx, task.team, message_ids) if message_ids else {}
    standing = observations.open_errors(tx, task.team, task.id, SPOKEN)
    return TaskRecord(
        task,
        steps,
        {id: text[:READ] for id, text in texts.items()},
        [observation.id for observation in standing],
        checkpoints.state(tx, task.team, task.id).state,
    )


def _differ(before: Observation, after: Observation) -> bool:
    """Return whether two failures of one call have different causes.

    The causes of failing tests never differ: they are one problem until the tests pass, whatever
    their output.
    """
    kinds = [kind_of_failure(observation) for observation in (before, after)]
    if _OF_TESTS.issuperset(kinds):
        return False
    lines = [error_line(item) for item in (before, after)]
    return signature(kinds[0], lines[0]) != signature(kinds[1], lines[1])


def changes(one: Observation) -> bool:
    """Return whether a step changed something, beyond reading or checking."""
    if one.tool is None or one.type is _ERROR:
        return False
    return "edit" in one.tags or (_LOOKING | _CHECKING).isdisjoint(one.tags)


def kind_of_failure(error: Observation | ToolCall) -> str:
    """Return the kind of an error, from the tags set at capture."""
    return next((tag for tag in error.tags if tag in KINDS), "error")


def called(one: Observation | ToolCall) -> str:
    """Return the call of a step in its stored form."""
    return one.summary.partition("\n")[0].partition(ARROW)[0]


def target(one: Observation | ToolCall) -> str:
    """Return the call of a step, without its result."""
    return quoted(called(one))


def error_line(error: Observation | ToolCall) -> str:
    """Return the message of an error."""
    return quoted(own_words(error.summary))


def happened(error: Observation) -> str:
    """Return the action of an error and the error message.

    For an error recorded without a call, return what was being done when it occurred.
    """
    quoted_line = f"\u201c{error_line(error)}\u201d"
    if error.tool is not None or ARROW in error.summary.partition("\n")[0]:
        return f"{target(error)} gave {quoted_line}"
    doing = action(error.summary)
    return quoted_line if doing == called(error) else f"{quoted_line} while {quoted(doing)}"


def stated_end(fix: Observation | None) -> str:
    """Return the recorded resolution of an error; empty if a step resolved it."""
    if fix is None or fix.tool is not None:
        return ""
    title, _, rest = fix.summary.partition("\n")
    return clip(one_line(visible(rest if rest and title.endswith("…") else fix.summary)), STATED)


def step_line(one: Observation | ToolCall) -> str:
    """Return the first stored line of a step, with the changes it made."""
    return quoted(change_line(one.summary, "; ", LINE))


def quoted(text: str) -> str:
    """Return a text as one visible line of at most 160 characters."""
    return clip(one_line(visible(text)), LINE)


def learned(one: Observation, text: str) -> bool:
    """Return whether a text states something that was learned.

    In an observation of the type "learning", any cue counts; in an agent's message, only an
    explicit one.
    """
    if one.type is ObservationType.LEARNING:
        return has_phrase(text, "learned")
    return one.origin is Origin.AGENT and has_phrase(text, "found out")


def is_by_person(one: Observation) -> bool:
    """Return whether a message was written by a person, not an agent."""
    return one.origin is Origin.HUMAN
