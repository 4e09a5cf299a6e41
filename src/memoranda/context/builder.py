"""Builds contexts with exact token counts and all critical facts.

Critical facts come first and are never cut (CTX-1 to CTX-3).
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from typing import TYPE_CHECKING

from memoranda.context.candidates import (
    Candidates,
    CandidateSources,
    ContextRequest,
    current_task,
    stated_candidates,
)
from memoranda.context.critical_facts_budget import fitted
from memoranda.context.renderer import STANDING, context_id, label_of, render_item
from memoranda.context.selection import SHARES, ContextSelection
from memoranda.exceptions import BudgetTooSmall, InvalidInput
from memoranda.observations import total_table as observation_totals
from memoranda.scope import Scope
from memoranda.search.model import ContextBrief, SearchResult
from memoranda.store.database import Transaction
from memoranda.tasks import table as tasks

if TYPE_CHECKING:
    from memoranda.context.person_statements import FurtherStatements
    from memoranda.ports import TokenCounter

HOST_LIMIT = 9_500
"""Maximum number of characters of a context that a hook prints.

Above 10,000, hosts put the text into a file instead.
"""
MAX_BUDGET = 1_000_000
MAX_IN_VIEW = 1_000

IN_VIEW: Mapping[str, float] = {**SHARES, "values-seen": 0.65}
"""Section shares for a reader who can still see the newest steps.

During a task, values of older steps are more useful than their summary.
"""
AT_START: Mapping[str, float] = {
    "task-progress": 0.30,
    "blocks": 0.20,
    "standing-instructions": 0.50,
    "profile": 0.50,
    "memories": 0.50,
    "errors-to-avoid": 0.0,
    "user-statements": 1.0,
    "task-brief": 0.0,
    "values-seen": 0.0,
    "relevant-past": 0.0,
}
"""Section shares at the start of a session, without a task or query.

The sections are filled in this order. On recorded projects, earlier statements of people were the
most useful to the next session.
"""
OPEN_ERROR_SHARE = 0.05
"""Share of errors in a start context if the last task ended with an open error.

Resolved errors only use the remaining tokens.
"""
SPARE = 50
"""Minimum number of free tokens of a context with a query or task for further statements by people.
"""
LASTING_ROOM = 400
"""Minimum number of tokens available for lasting statements."""
STILL_FREE: Mapping[str, float] = {
    "blocks": 0.5,
    "standing-instructions": 1.0,
    "user-statements": 1.0,
    "errors-to-avoid": 0.4,
    "task-progress": 0.4,
    "task-brief": 0.6,
}
"""Shares of sections in the unused tokens, in order; other sections get what remains."""


NEEDED = "the critical facts of this scope need"


SHORT = 600
"""Number of tokens that a context may always use, including fence and labels."""
BESIDE = 200
"""Number of tokens for fence and labels around content that is included completely."""
WHOLE = 8
"""Multiple of the budget above which the source size is not computed exactly.

The size including repeats is then certainly larger than the budget.
"""


def collect_candidates(
    sources: CandidateSources,
    scope: Scope,
    query: str | None,
    in_view: int,
    excluded: Collection[str] = (),
    budget: int = MAX_BUDGET,
    current: str | None = None,
) -> Candidates:
    """Collect the candidates for a context of at most ``budget`` tokens.

    If the scope has no task, ``current`` is used, by default the workspace's newest.
    Of the newest ``in_view`` observations, which the reader still has, only a person's constraints
    are included. Only valid memories are included. The profile and the seen values are not read if
    their sections are ``excluded``.
    """
    narrow = bool(query or in_view or scope.task)
    result = _found(sources, scope, query) if query else None
    now, related = sources.clock.now(), _elsewhere(sources, scope, query)
    request = ContextRequest(query, in_view, excluded, budget, narrow, result, now, related)

    def work(tx: Transaction) -> Candidates:
        task = current_task(tx, scope, current)
        if task is None and not tasks.listed(tx, scope.team, limit=1):
            return stated_candidates(tx, sources, scope, request)
        from memoranda.context.captured_candidates import captured_candidates

        return captured_candidates(tx, sources, scope, request, task)

    return sources.database.read(work)


def _found(sources: CandidateSources, scope: Scope, query: str) -> SearchResult:
    from memoranda.search.query_executor import SearchQuery

    return sources.search().search(SearchQuery(query, scope, limit=60))


def _elsewhere(sources: CandidateSources, scope: Scope, query: str | None) -> Sequence[str]:
    if scope.task is None:  # without a task, the search of the workspace covers all tasks
        return ()
    from memoranda.context.related_errors import errors_elsewhere

    return errors_elsewhere(sources, scope, scope.task, query)


class ContextBuilder:
    """Builds contexts for a scope."""

    def __init__(self, sources: CandidateSources, counter: TokenCounter) -> None:
        self._sources = sources
        self._database = sources.database
        self._counter = counter

    def build(
        self,
        scope: Scope,
        *,
        budget: int,
        query: str | None = None,
        in_view: int = 0,
        allow_overflow: bool = False,
        current: str | None = None,
    ) -> ContextBrief:
        """Return the context for the next step, within ``budget`` tokens.

        Tokens of the returned text are counted with the configured tokenizer. Equal store contents
        and arguments give equal bytes until the validity of a memory starts or ends. The newest
        ``in_view`` observations of the task, which the reader still has, are not repeated. If the
        scope names no task, ``current`` may name the reader's task; the default is the newest task
        of the workspace. If not all critical facts fit, ``allow_overflow`` includes all of them and
        reports the overflow.

        Raises:
            BudgetTooSmall: the critical facts alone need more tokens than the budget; the error
                reports how many.
            InvalidInput: a number is out of range.
        """
        if not 0 <= in_view <= MAX_IN_VIEW:
            raise InvalidInput(f"in_view must be between 0 and {MAX_IN_VIEW:,} observations")
        _check_budget(budget)
        candidates = self._gathered(scope, query, in_view, budget=budget, current=current)
        narrow = (IN_VIEW if in_view else SHARES) if in_view or query or scope.task else None
        needed = self._tokens(candidates)
        if needed > budget and not allow_overflow:
            needed = self._enough(scope, query, in_view, needed, current)
            raise _too_small(needed, budget, NEEDED)
        selection = self._filled(scope, candidates, budget, narrow)
        if narrow and budget - selection.tokens() >= SPARE:
            self._extend(scope, in_view, current, candidates, selection, budget)
        return self._brief(candidates, selection, budget)

    def _filled(
        self, scope: Scope, candidates: Candidates, budget: int, shares: Mapping[str, float] | None
    ) -> ContextSelection:
        """Return the selected candidates.

        Without ``shares``, those of a session's start are used.
        """
        selection = ContextSelection(candidates, self._counter)
        room = max(selection.tokens(), self._source_tokens(scope, candidates, budget))
        room = min(budget, room)
        if shares is not None:
            selection.fill(room, shares)
            return selection
        lasting = max(candidates.lasting_share, min(1.0, LASTING_ROOM / room))
        shares = {**AT_START, "standing-instructions": lasting}
        if candidates.failing:
            shares["errors-to-avoid"] = OPEN_ERROR_SHARE
        selection.fill(room, shares, STILL_FREE)
        return selection

    def _extend(
        self,
        scope: Scope,
        in_view: int,
        current: str | None,
        candidates: Candidates,
        selection: ContextSelection,
        budget: int,
    ) -> None:
        """Add people's statements besides the query or task, as far as they fit.

        Each sentence is added once, so that the limit derived from the source does not apply to
        these statements, unless the source has less than half of `SHORT`.
        """
        place = scope.workspace
        captured = self._database.read(
            lambda tx: observation_totals.tokens_in(tx, scope.team, place)
        )
        room = min(budget, SHORT) if captured < SHORT / 2 else budget
        if room - selection.tokens() < SPARE:
            return
        from memoranda.context.captured_candidates import further_statements

        now = self._sources.clock.now()

        def read(tx: Transaction) -> FurtherStatements:
            task = current_task(tx, scope, current)
            shown = list(selection.shown())
            return further_statements(tx, scope, task, in_view, now, candidates, shown)

        found = self._database.read(read)
        selection.extend({STANDING: found.standing, "user-statements": found.other}, room)

    def _source_tokens(self, scope: Scope, candidates: Candidates, budget: int) -> int:
        """Return the token count above which a context would exceed its source.

        The size of the source is the number of captured tokens (at least `SHORT`) plus memories and
        blocks, which may be included completely. People's statements may also be included
        completely: they are not cut while there is budget left.
        """
        if candidates.captured_tokens >= WHOLE * budget:
            return budget
        place = scope.workspace
        room = self._database.read(lambda tx: observation_totals.tokens_in(tx, scope.team, place))
        if room >= budget:
            return budget
        laid_down = (*candidates.critical, *candidates.profile, *candidates.memories)
        texts = [render_item(item) for item in laid_down]
        texts += [item.text for item in candidates.blocks]
        whole = sum(self._counter.count_many(texts))
        # All statements by people have labels and follow the goals.
        stated = [render_item(item) for item in candidates.progress]
        for name, items in ((STANDING, candidates.standing), ("", candidates.statements)):
            stated += [render_item(item) for item in items]
            stated += dict.fromkeys(f"{label_of(item, name)}\n" for item in items)
        return max(SHORT, room + whole, BESIDE + whole + sum(self._counter.count_many(stated)))

    def _enough(
        self, scope: Scope, query: str | None, in_view: int, room: int, current: str | None
    ) -> int:
        """Return a sufficient budget.

        Reporting how much was left out takes one or two tokens, so slightly more is needed.
        """
        while True:
            material = self._gathered(scope, query, in_view, budget=room, current=current)
            tokens = self._tokens(material)
            if tokens <= room:
                return room
            room = tokens

    def _fitted(self, candidates: Candidates, budget: int, most: int | None = None) -> Candidates:
        return fitted(candidates, budget, self._counter, self._tokens, most)

    def _tokens(self, candidates: Candidates) -> int:
        """Count the tokens of a context with only the critical facts."""
        return ContextSelection(candidates, self._counter).tokens()

    def at_start(
        self,
        scope: Scope,
        *,
        budget: int,
        current: str | None = None,
        limit: int | None = HOST_LIMIT,
    ) -> ContextBrief:
        """Return the context of a starting session, up to ``limit`` characters.

        The default is the maximum that hosts accept from a hook. ``current`` is the task that a
        session continues after its compaction. Critical facts that do not fit are counted.

        Raises:
            BudgetTooSmall: not even the frame fits; the error reports how many tokens it needs.
            InvalidInput: the budget is out of range.
        """
        _check_budget(budget)
        candidates = self._gathered(scope, None, budget=budget, current=current)
        room = budget
        while True:
            brief = self._start_brief(scope, candidates, room)
            if limit is None or len(brief.text) <= limit:
                return brief
            room = min(room - 1, room * limit // len(brief.text))

    def _start_brief(self, scope: Scope, candidates: Candidates, budget: int) -> ContextBrief:
        """Return the context of a starting session with the critical facts that fit."""
        material = self._fitted(candidates, budget)
        needed = self._tokens(material)
        if needed > budget:
            raise _too_small(needed, budget, "a context needs")
        selection = self._filled(scope, material, budget, SHARES if scope.task else None)
        if material.omitted and (spare := budget - selection.tokens()) > 0:
            material = self._fitted(candidates, budget, self._tokens(material) + spare)
            selection.exchange(material, budget)
        return self._brief(material, selection, budget)

    def _gathered(
        self,
        scope: Scope,
        query: str | None,
        in_view: int = 0,
        excluded: Collection[str] = (),
        budget: int = MAX_BUDGET,
        current: str | None = None,
    ) -> Candidates:
        return collect_candidates(self._sources, scope, query, in_view, excluded, budget, current)

    def _brief(
        self, candidates: Candidates, selection: ContextSelection, budget: int
    ) -> ContextBrief:
        text = selection.text()
        tokens = self._counter.count(text)
        return ContextBrief(
            text=text,
            tokens=tokens,
            budget=budget,
            sections=selection.counted(),
            left_out=tuple(selection.left_out()),
            degraded=bool(candidates.note),
            utilisation=round(tokens / budget, 4),
            coverage=selection.coverage(),
            compression_ratio=round(candidates.captured_tokens / tokens, 1),
            overflow=max(0, tokens - budget),
            id=context_id(text),
            note=candidates.note,
        )


def _check_budget(budget: int) -> None:
    if not 1 <= budget <= MAX_BUDGET:
        raise InvalidInput(f"budget must be between 1 and {MAX_BUDGET:,} tokens")


def _too_small(needed: int, budget: int, what: str) -> BudgetTooSmall:
    return BudgetTooSmall(
        f"{what} {needed} tokens, but the budget is {budget}; raise the budget or allow overflow",
        needed=needed,
    )
