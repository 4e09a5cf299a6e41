"""Methods for the budget and the cost report of language models."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from memoranda.exceptions import InvalidInput
from memoranda.operation_declaration import ADMINS, MEMBERS, read, write
from memoranda.resource import Resource

if TYPE_CHECKING:
    from memoranda.costs.model import BudgetStatus, CostTotal

HEADINGS = ("operation", "agent", "task", "model", "day")


class CostsResource(Resource):
    """``memory.costs``: budget and costs of language models.

    A team has one ledger, whichever process calls a model.
    """

    @read("costs.budget", roles=MEMBERS, alias=("budget.show",))
    def budget(self) -> BudgetStatus:
        """Show this month's language model budget and its use so far."""
        return self._services.ledger.status(self._scope.team)

    @write("costs.set-budget", roles=ADMINS, alias=("budget.set",))
    def set_budget(
        self, dollars: float | None, *, alert_share: float | None = None
    ) -> BudgetStatus:
        """Set the team's monthly budget for language models.

        Args:
            dollars: the budget; None for the value in the settings.
            alert_share: fraction of the budget, 0.01 to 1, above which an alert is raised.

        Raises:
            InvalidInput: the budget or the share is out of range.
        """
        from memoranda.costs.model import DOLLAR, LARGEST_BUDGET

        limit = None
        if dollars is not None:
            if not 0 <= dollars <= LARGEST_BUDGET:
                raise InvalidInput(
                    f"a budget must be 0 to {LARGEST_BUDGET:,} dollars, not {dollars:g}"
                )
            limit = round(dollars * DOLLAR)
        return self._services.ledger.set_budget(self._scope.team, limit, alert_share, self._actor)

    @read("costs.report", roles=MEMBERS, alias=("cost.report",))
    def report(self, by: str = "operation", *, month: str | None = None) -> Sequence[CostTotal]:
        """Report the cost of language model calls, for example by task or day.

        ``by`` is operation, agent, task, model or day; a month (2026-11) restricts the report to
        that month.

        Raises:
            InvalidInput: ``by`` or the month is not valid.
        """
        if by not in HEADINGS:
            raise InvalidInput(f"costs can be grouped by {', '.join(HEADINGS)}, not {by!r}")
        if month is not None and not _is_month(month):
            raise InvalidInput(f"a month must look like 2026-11, not {month!r}")
        return self._services.ledger.spent(self._scope.team, by, month)  # type: ignore[arg-type]


def _is_month(text: str) -> bool:
    year, dash, month = text.partition("-")
    digits = len(year) == 4 and year.isdecimal() and len(month) == 2 and month.isdecimal()
    return bool(dash) and digits and 1 <= int(month) <= 12
