"""Compression service: summaries of stages and tasks, with their quality.

Summaries are stored with their measured quality and are always computed from the source.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from threading import Lock
from typing import TYPE_CHECKING
from weakref import WeakValueDictionary

from memoranda.clock import Clock
from memoranda.compression import adaptive_ratio as strength, table as compressions
from memoranda.compression.adaptive_ratio import AIMS, CompressionAims, CompressionTarget
from memoranda.compression.critical_facts import critical_facts
from memoranda.compression.extract.formatter import marked
from memoranda.compression.model import SMALL, CompressedText, Compression, Quality, excess_reason
from memoranda.compression.quality import quality
from memoranda.compression.task_passages import PassageRange, read
from memoranda.exceptions import NotFound
from memoranda.instrumentation import UNMEASURED, measured
from memoranda.journal import table as journal
from memoranda.journal.model import QUALITY_ALERT
from memoranda.json_data import JsonValue
from memoranda.observations import table as observations
from memoranda.ports import Compressor, Figures, Telemetry, TokenCounter
from memoranda.scope import Scope
from memoranda.stages import table as stages
from memoranda.stages.model import Stage
from memoranda.store.database import Database, Transaction

if TYPE_CHECKING:
    from memoranda.compression.extract.compressor import ExtractCompressor

TRIES = 3
KEPT = 0.99
"""Fraction of kept critical facts above which compression is not retried."""
MINIMUM = 300
"""Minimum number of tokens of a task summary, and of an open stage that is summarised."""
MIN_TOKENS = 40
"""Minimum number of tokens of any other summary: one line with the name of its observation."""
LABEL = 8
"""Number of tokens in an observation's name before a line."""
MAXIMUM = 8_000
"""Maximum number of tokens of a task's summary."""
LATELY = 10
"""Number of compressions that determine the recent quality."""
GROWN = 0.2
"""Fraction by which an open stage must grow before its summary is rebuilt.

This keeps the total work proportional to the text, however often something is added.
"""
MAX_STAGES = 10_000
"""Maximum number of stages of a task that are read."""
WHOLE = 0
"""Stage number that denotes the task itself."""


@dataclass(frozen=True, slots=True)
class _Attempt:
    made: CompressedText
    quality: Quality
    strength: CompressionTarget
    tries: int
    budget: int
    """Number of tokens available for the text."""


def _figures(made: Compression | None) -> Figures:
    if made is None:
        return {}
    figures = Figures(source_tokens=made.source_tokens, result_tokens=made.tokens)
    return figures if made.stage == WHOLE else {**figures, "retention": made.retention}


class Compressions:
    """Store of summaries of stages and tasks; never changes their sources."""

    def __init__(
        self,
        database: Database,
        extract: Callable[[], ExtractCompressor],
        rewriter: Callable[[Scope], Compressor | None],
        counter: TokenCounter,
        clock: Clock,
        *,
        aims: CompressionAims = AIMS,
        telemetry: Telemetry = UNMEASURED,
    ) -> None:
        """Create the service.

        Args:
            extract: returns the extractive compressor.
            rewriter: returns the compressor that rephrases a finished stage, if there is one.
            aims: compression targets of the settings.
        """
        self._database = database
        self._extract = extract
        self._rewriter = rewriter
        self._counter = counter
        self._clock = clock
        self._aims = aims
        self._telemetry = telemetry
        self._guard = Lock()
        self._locks = WeakValueDictionary[str, Lock]()
        """Locks of the tasks that are being summarised."""

    def catch_up(self, scope: Scope, task: str, *, complete: bool = False) -> None:
        """Create the missing and outdated summaries of a task. Idempotent.

        With ``complete``, the summaries also cover the newest observations of a running stage. A
        second caller waits for the first, as a model would otherwise be called twice for one stage.
        """
        with self._lock(task):
            made = [self.stage(scope, stage) for stage in self.due(scope, task, complete=complete)]
            if any(made):
                self.task(scope, task)

    def rebuild(self, scope: Scope, stage: Stage, ratio: float | None) -> Compression:
        """Rebuild the summary of a stage as requested by a caller.

        Raises:
            NotFound: the stage has no content.
        """
        with self._lock(stage.task):
            compression = self.stage(scope, stage, ratio=ratio)
            if compression is None:
                raise NotFound(f"stage {stage.number} has nothing to compress")
            self.task(scope, stage.task)
        return compression

    def _lock(self, task: str) -> Lock:
        with self._guard:
            return self._locks.setdefault(task, Lock())

    def due(self, scope: Scope, task: str, *, complete: bool = False) -> list[Stage]:
        """Return the stages of a task whose summary is missing or outdated.

        The summary of a running stage is outdated only once the stage has grown by a fifth, unless
        ``complete`` is set.
        """

        def work(tx: Transaction) -> list[Stage]:
            standing = compressions.summarised_extents(tx, scope.team, task)
            found = stages.listed(tx, scope.team, task, limit=MAX_STAGES)
            return [
                stage
                for stage in found
                if self._behind(tx, stage, standing.get(stage.number), complete)
            ]

        return self._database.read(work)

    @measured("compress_stage", _figures)
    def stage(
        self, scope: Scope, stage: Stage, *, ratio: float | None = None
    ) -> Compression | None:
        """Summarise a stage from its observations, replacing any earlier summary.

        Returns None if the stage has no content, or part of it was forgotten in the meantime.
        """
        reading, retained = self._database.read(lambda tx: self._input(tx, stage))
        if not reading.passages:
            return None
        chosen = self._strength(reading, retained, ratio)
        owed = self._token_debt(stage, chosen) if ratio or self._aims.ratio else 0
        attempt = self._attempt(reading, chosen, _budget(reading, chosen, owed))
        if stage.ended is not None:
            attempt = self._rewritten(scope, reading, attempt)
        compression = _compression(stage, reading, attempt, self._clock.now())

        def work(tx: Transaction) -> Compression | None:
            unchanged = reading.holds(tx, stage.team, stage.task)
            return self._put(tx, scope, compression) if unchanged else None

        return self._database.write(work)

    @measured("compress_task", _figures)
    def task(self, scope: Scope, task: str, *, ratio: float | None = None) -> Compression | None:
        """Summarise a task from the summaries of its stages, and store it.

        Every line was taken from an observation by a stage summary; earlier task summaries are not
        read. Returns None if no stage has a summary, or one of the summaries changed in the
        meantime.
        """
        ratio = ratio or self._aims.task_ratio
        found = self._database.read(lambda tx: compressions.listed(tx, scope.team, task))
        parts = [compression for compression in found if compression.stage != WHOLE]
        if not parts:
            return None
        lines = [line for part in parts for line in part.lines]
        tokens = sum(one.tokens for one in parts)
        budget = min(MAXIMUM, max(MINIMUM, int(tokens / ratio)))
        text = self._extract().compress((), budget, earlier=lines)
        whole = Compression(
            team=scope.team,
            task=task,
            stage=WHOLE,
            until_sequence=max(item.until_sequence for item in parts),
            text=text.text,
            lines=text.lines,
            tokens=text.tokens,
            source_tokens=sum(one.source_tokens for one in parts),
            target=ratio,
            facts=0,  # the stages have already counted the facts
            kept=0,
            contradictions=0,
            method=text.method,
            cost=0,
            declined="",
            tries=1,
            created_at=self._clock.now(),
        )

        def work(tx: Transaction) -> Compression | None:
            now = compressions.listed(tx, scope.team, task)
            unchanged = [compression for compression in now if compression.stage != WHOLE] == parts
            return self._put(tx, scope, whole) if unchanged else None

        return self._database.write(work)

    def of(self, scope: Scope, task: str, stage: int) -> Compression | None:
        """Return the summary of a stage; stage 0 is the task itself."""
        return self._database.read(lambda tx: compressions.of(tx, scope.team, task, stage))

    def recent(self, scope: Scope, limit: int) -> Sequence[Compression]:
        """Return the latest compressions, newest first, without texts."""
        place = scope.team, scope.workspace, scope.task
        return self._database.read(lambda tx: compressions.recent(tx, *place, limit=limit))

    def _behind(
        self, tx: Transaction, stage: Stage, covered: tuple[int, int] | None, complete: bool
    ) -> bool:
        until, tokens = covered or (0, 0)
        if stage.ended is not None:
            return until < stage.ended
        now = stages.extent(tx, stage.team, stage.task, stage.began, observations.END)[1]
        return now > tokens if complete else now > max(MINIMUM, tokens * (1 + GROWN))

    def _input(self, tx: Transaction, stage: Stage) -> tuple[PassageRange, list[float]]:
        last = stage.ended if stage.ended is not None else observations.END
        reading = read(tx, stage.team, stage.task, stage.began, last)
        lately = compressions.recent(tx, stage.team, None, limit=LATELY)
        return reading, [
            compression.retention for compression in lately if compression.stage != WHOLE
        ]

    def _strength(
        self, reading: PassageRange, retained: Sequence[float], ratio: float | None
    ) -> CompressionTarget:
        if chosen := ratio or self._aims.ratio:
            return strength.requested_target(chosen)
        return strength.adaptive_target(reading.passages, errors=reading.errors, retained=retained)

    def _token_debt(self, stage: Stage, chosen: CompressionTarget) -> int:
        """Return earlier stages' tokens above their share; negative if below.

        A requested ratio applies to all stages of a task together: extra tokens that one stage uses
        for its critical facts reduce the budget of later stages.
        """
        place = stage.team, stage.task, stage.number
        return self._database.read(lambda tx: compressions.token_debt(tx, *place, chosen.target))

    def _attempt(self, reading: PassageRange, chosen: CompressionTarget, budget: int) -> _Attempt:
        """Compress; if too many facts are lost, retry with a larger budget."""
        compressor, best = self._extract(), None
        facts, critical = critical_facts(reading.passages), _fact_limit(reading)
        for tries in range(1, TRIES + 1):
            text = compressor.compress(reading.passages, budget, critical=critical, facts=facts)
            text = _no_longer(text, reading, self._counter)
            found = quality(reading.passages, text, facts)
            if best is None or _share(found) > _share(best.quality):
                best = _Attempt(text, found, chosen, tries, max(budget, text.tokens))
            if _share(found) >= max(KEPT, self._aims.quality) or budget >= reading.tokens:
                break
            budget += sum(self._counter.count_many(found.lost)) + LABEL * len(found.lost)
        assert best is not None
        return replace(best, tries=tries)

    def _rewritten(self, scope: Scope, reading: PassageRange, attempt: _Attempt) -> _Attempt:
        """Let a model rephrase the selection; use it if it keeps as many facts."""
        rewriter = self._rewriter(scope)
        if rewriter is None:
            return attempt
        text = rewriter.compress(reading.passages, attempt.budget, critical=_fact_limit(reading))
        text = _no_longer(text, reading, self._counter)
        found = quality(reading.passages, text)
        if found.kept < attempt.quality.kept:
            reason = text.declined or f"{text.method}: the rewritten summary keeps fewer facts"
            return replace(attempt, made=replace(attempt.made, cost=text.cost, declined=reason))
        return replace(attempt, made=text, quality=found)

    def _put(self, tx: Transaction, scope: Scope, made: Compression) -> Compression:
        compressions.put(tx, made)
        detail = {"stage": made.stage, "tokens": made.tokens, "source": made.source_tokens}
        actor = scope.agent or "system"
        note = journal.NewJournalEntry(made.created_at, actor, "compress", made.task, detail)
        journal.append(tx, made.team, note)
        if made.retention < self._aims.quality:
            found: dict[str, JsonValue]
            found = {"stage": made.stage, "kept": made.kept, "facts": made.facts}
            alert = journal.NewJournalEntry(made.created_at, actor, QUALITY_ALERT, made.task, found)
            journal.append(tx, made.team, alert)
        return made


def _budget(reading: PassageRange, chosen: CompressionTarget, debt: int) -> int:
    if reading.tokens <= SMALL:
        return reading.tokens + LABEL * len(reading.passages)
    usual = reading.tokens / chosen.target
    return max(MIN_TOKENS, int(usual - max(0, debt)))


def _fact_limit(reading: PassageRange) -> int:
    """Return the token limit for critical facts: the size of the source.

    The source is counted with its labels.
    """
    return reading.tokens + LABEL * len(reading.passages)


def _no_longer(
    made: CompressedText, reading: PassageRange, counter: TokenCounter
) -> CompressedText:
    """Return the summary, or the source if the summary is not shorter.

    Observation names can make a summary longer than its source.
    """
    most = min(reading.tokens, reading.extent[1])
    texts = (
        "\n".join(marked(line) for line in made.lines),
        "\n".join(passage.text for passage in reading.passages),
        " ".join(passage.text for passage in reading.passages),
    )
    for text in texts:
        if made.tokens <= most:
            break
        made = replace(made, text=text, tokens=counter.count(text), values=())
    return made


def _share(found: Quality) -> float:
    return found.kept / found.facts if found.facts else 1.0


def _compression(stage: Stage, reading: PassageRange, attempt: _Attempt, now: int) -> Compression:
    text, found = attempt.made, attempt.quality
    return Compression(
        team=stage.team,
        task=stage.task,
        stage=stage.number,
        until_sequence=reading.until,
        text=text.text,
        lines=text.lines,
        tokens=text.tokens,
        source_tokens=reading.extent[1],
        target=attempt.strength.target,
        facts=found.facts,
        kept=found.kept,
        contradictions=found.contradictions,
        method=text.method,
        cost=text.cost,
        declined=text.declined,
        tries=attempt.tries,
        created_at=now,
        beyond=excess_reason(text.tokens, reading.extent[1], attempt.strength.target),
    )
