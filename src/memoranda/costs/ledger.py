"""The ledger of language model calls, with a hard monthly limit.

A call reserves its highest possible cost before it is made, and is settled with the provider's
figures afterwards. A reservation that is never settled, because the program ended during the call,
counts as spent in its month, because it is unknown whether the provider charges for the call.
"""

from __future__ import annotations

from dataclasses import dataclass

from memoranda.clock import Clock
from memoranda.costs import answer_table as model_answers, table as model_calls
from memoranda.costs.model import (
    DOLLAR,
    LARGEST_BUDGET,
    LOGIN,
    MIN_ALERT_SHARE,
    BudgetStatus,
    CallState,
    CostTotal,
    DailyLimits,
    ModelCall,
    Purpose,
    day_start,
    dollars,
    month_of,
    refusals,
)
from memoranda.costs.table import Heading
from memoranda.exceptions import BudgetExhausted, InvalidInput
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.journal.model import BUDGET_ALERT, BUDGET_REFUSAL
from memoranda.journal.table import NewJournalEntry
from memoranda.json_data import JsonValue
from memoranda.model_request import TokenUsage
from memoranda.ports import Price
from memoranda.store.database import Database, Transaction


@dataclass(frozen=True, slots=True)
class CallRequest:
    """Request to a language model, before it is sent."""

    operation: str
    model: str
    """Provider and model, such as ``openai:gpt-5-mini``."""
    bound: TokenUsage
    """Upper bound of the tokens of the call."""
    price: Price
    digest: str
    """Hash of the request and the model."""


@dataclass(frozen=True, slots=True)
class Reservation:
    """Permission to make a call."""

    call: ModelCall
    request: CallRequest


@dataclass(frozen=True, slots=True)
class Settlement:
    """Outcome of a call that was charged."""

    cost: int
    """Cost in millionths of a dollar."""
    alert: bool
    """Whether this call raised the monthly spending above the alert share."""


class Ledger:
    """Accounting of calls, across threads and processes.

    Every change is one transaction.
    """

    def __init__(
        self,
        database: Database,
        clock: Clock,
        ids: IdSource,
        limit: int,
        alert_share: float,
        daily: DailyLimits | None = None,
    ) -> None:
        """Create the ledger.

        The limit is in millionths of a dollar per month and applies to teams that have not set a
        limit.

        The daily limits apply to programs that are called with the user's login; None means no
        limit.
        """
        self._daily = daily
        self._database = database
        self._clock = clock
        self._ids = ids
        self._limit = limit
        self._alert_share = alert_share

    def reserve(self, purpose: Purpose, request: CallRequest) -> Reservation:
        """Reserve the maximum cost of a call.

        Raises:
            BudgetExhausted: the monthly budget or the daily limits do not cover the call. Calls
                that exceed the monthly budget are counted.
        """
        call = self._call(purpose, request)

        def work(tx: Transaction) -> Reservation | BudgetExhausted:
            before = self._status(tx, call.team, call.month)
            if call.cost and before.spent + call.cost > before.limit:
                self._refuse(tx, call, before)
                return BudgetExhausted(_refusal(before, call))
            self._check_day(tx, call)
            model_calls.insert(tx, call)
            if call.task:
                now = call.created_at
                model_answers.expect(tx, call.team, call.task, request.digest, now)
            return Reservation(call, request)

        result = self._database.of(purpose.team).write(work)
        if isinstance(result, BudgetExhausted):
            raise result
        return result

    def settle(
        self, reservation: Reservation, usage: TokenUsage | None, answer: str | None = None
    ) -> Settlement:
        """Settle a charged call, and store its answer (JSON); return its cost.

        If the usage is unknown, the reserved cost is used. The budget alert counts settled costs,
        not reservations.
        """
        call = reservation.call
        cost = call.cost if usage is None else reservation.request.price.cost(usage)

        def work(tx: Transaction) -> Settlement:
            final_usage, measured = usage or call.usage, usage is not None
            model_calls.settle(tx, call.team, call.id, final_usage, cost, measured=measured)
            if call.task and answer is not None:
                model_answers.put(tx, call.team, call.task, reservation.request.digest, answer)
            elif call.task:
                model_answers.release(tx, call.team, call.task, reservation.request.digest)
            return Settlement(cost, bool(cost) and self._alerted(tx, call))

        return self._database.of(call.team).write(work)

    def release(self, reservation: Reservation) -> None:
        """Release a call that the provider does not charge for."""
        call = reservation.call

        def work(tx: Transaction) -> None:
            model_calls.release(tx, call.team, call.id)
            if call.task:
                model_answers.release(tx, call.team, call.task, reservation.request.digest)

        self._database.of(call.team).write(work)

    def remembered(self, purpose: Purpose, digest: str) -> str | None:
        """Return the stored answer (JSON) to a request of a task, or None."""
        team, task = purpose.team, purpose.task
        if task is None:
            return None
        team_key = self._database.of(team)
        return team_key.read(lambda tx: model_answers.find(tx, team, task, digest))

    def status(self, team: str) -> BudgetStatus:
        """Return the budget status of a team for the current month."""
        month = month_of(self._clock.now())
        return self._database.of(team).read(lambda tx: self._status(tx, team, month))

    def trouble(self, team: str) -> str:
        """Describe the calls that the budget refuses, or return an empty text."""
        status = self.status(team)
        covered = status.refused_cost <= status.left
        return "" if covered else refusals(status.refused, status.refused_cost, status.left)

    def spent(self, team: str, by: Heading, month: str | None = None) -> list[CostTotal]:
        """Return cost totals by operation, agent, task, model or day.

        Only calls of ``month`` are included, or all calls if ``month`` is None.

        Calls that returned no answer and cost nothing are left out.
        """
        return self._database.of(team).read(lambda tx: model_calls.spent(tx, team, by, month))

    def set_budget(
        self, team: str, limit: int | None, alert_share: float | None, actor: str
    ) -> BudgetStatus:
        """Set a team's own limit and share; None selects the settings' value.

        Raises:
            InvalidInput: the limit or the share is out of range.
        """
        if limit is not None and not 0 <= limit <= LARGEST_BUDGET * DOLLAR:
            raise InvalidInput(
                f"a budget must be between $0 and {dollars(LARGEST_BUDGET * DOLLAR)} a month"
            )
        if alert_share is not None and not MIN_ALERT_SHARE <= alert_share <= 1:
            raise InvalidInput(
                f"alert_share must be a fraction from {MIN_ALERT_SHARE} to 1, not {alert_share:g}"
            )
        now = self._clock.now()

        def work(tx: Transaction) -> BudgetStatus:
            model_calls.set_budget(tx, team, limit, alert_share)
            detail: dict[str, JsonValue] = {"limit": limit, "alert_share": alert_share}
            journal.append(tx, team, NewJournalEntry(now, actor, "set budget", team, detail))
            return self._status(tx, team, month_of(now))

        return self._database.of(team).write(work)

    def _call(self, purpose: Purpose, request: CallRequest) -> ModelCall:
        now = self._clock.now()
        provider, _, model = request.model.partition(":")
        return ModelCall(
            team=purpose.team,
            id=self._ids.new(),
            operation=request.operation,
            provider=provider,
            model=model,
            agent=purpose.agent,
            task=purpose.task,
            usage=request.bound,
            measured=False,
            cost=request.price.cost(request.bound),
            price=request.price.source,
            state=CallState.RESERVED,
            month=month_of(now),
            created_at=now,
        )

    def _check_day(self, tx: Transaction, call: ModelCall) -> None:
        """Refuse a call of a program if it exceeds the daily limits.

        Calls in progress are included in the count.
        """
        if self._daily is None or call.price != LOGIN:
            return
        calls, tokens = model_calls.day_total(tx, call.team, LOGIN, day_start(call.created_at))
        if calls >= self._daily.calls:
            raise BudgetExhausted(
                f"{call.provider} was called {calls:,} times today, which is the limit set by"
                f" language_calls_a_day; raise the limit or wait for the next day (UTC)"
            )
        most = call.usage.input_tokens + call.usage.output_tokens
        if tokens + most > self._daily.tokens:
            raise BudgetExhausted(
                f"{call.provider} has used or reserved {tokens:,} tokens today, and this call may"
                f" use {most:,}, more than language_tokens_a_day allows "
                f"({self._daily.tokens:,}); raise the limit or wait for the next day (UTC)"
            )

    def _status(self, tx: Transaction, team: str, month: str) -> BudgetStatus:
        own = model_calls.budget(tx, team)
        return BudgetStatus(
            month,
            self._limit if own.limit is None else own.limit,
            model_calls.total(tx, team, month),
            self._alert_share if own.alert_share is None else own.alert_share,
            own.alerted_month == month,
            own_limit=own.limit is not None,
            own_alert_share=own.alert_share is not None,
            refused=own.refused if own.refused_month == month else 0,
            refused_cost=own.refused_cost if own.refused_month == month else 0,
        )

    def _refuse(self, tx: Transaction, call: ModelCall, before: BudgetStatus) -> None:
        """Count a call that exceeds the budget.

        Only the first such call of a month is recorded in the journal, to keep the journal short.
        """
        most = max(before.refused_cost, call.cost)
        model_calls.refuse(tx, call.team, call.month, before.refused + 1, most)
        if not before.refused:
            amounts = {"cost": call.cost, "spent": before.spent, "limit": before.limit}
            self._alert(tx, call, BUDGET_REFUSAL, amounts)

    def _alerted(self, tx: Transaction, call: ModelCall) -> bool:
        """Return whether a call exceeded the team's alert share, once per month."""
        status = self._status(tx, call.team, call.month)
        spent = model_calls.settled(tx, call.team, call.month)
        if status.alerted or spent < status.alert_share * status.limit:
            return False
        model_calls.alert(tx, call.team, call.month)
        amounts = {"spent": spent, "limit": status.limit}
        self._alert(tx, call, BUDGET_ALERT, amounts)
        return True

    def _alert(
        self, tx: Transaction, call: ModelCall, operation: str, amounts: dict[str, int]
    ) -> None:
        detail: dict[str, JsonValue] = {"month": call.month, **amounts}
        actor = call.agent or "system"
        note = NewJournalEntry(self._clock.now(), actor, operation, call.month, detail)
        journal.append(tx, call.team, note)


def _refusal(status: BudgetStatus, call: ModelCall) -> str:
    return (
        f"the budget of {status.month}, {dollars(status.limit)}, does not cover this call of "
        f"{call.provider}:{call.model}: {dollars(status.spent)} are spent or reserved, and the"
        f" call may"
        f" cost {dollars(call.cost)}; raise the budget with `memoranda budget set`, or wait for"
        f" the next month"
    )
