"""Pages of interventions with their outcomes, and of tool reliability."""

from __future__ import annotations

import re

from memoranda.supervision.model import InterventionState
from memoranda.web.answers import Answer, Done, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.pages import errors
from memoranda.web.registry import acts, reads

PAGE = errors.PAGE
TOOLS = 200
FEW = 5
"""Number of calls below which no confidence interval of the failure rate is shown."""
MAX_NAMED = 10
_REF = re.compile(r"\b\d{1,12}#\d{1,12}\b", re.ASCII)


def interventions(request: PageRequest) -> Answer:
    """Show interventions and their outcomes."""
    state, task = request.text("state").strip(), request.text("task").strip()
    page = request.call(
        "supervisor.interventions",
        workspace=request.workspace,
        task=task or None,
        state=state or None,
        cursor=request.cursor,
        limit=LIMIT,
    )
    values = {
        "interventions": page,
        "chosen": {"state": state, "task": task},
        "refs": refs,
        "states": tuple(intervention_state.value for intervention_state in InterventionState),
    }
    return View("errors-interventions.html", values)


def outcome(request: PageRequest) -> Answer:
    """Record the outcome of an intervention."""
    recorded = request.call(
        "supervisor.outcome",
        id=request.named["id"],
        outcome=request.text("outcome"),
        note=request.text("note"),
        correct=request.ticked("correct"),
    )
    rated, proposed = len(recorded["rated"]), len(recorded["proposed"])
    message = f"Recorded: it {recorded['intervention']['outcome']}. {rated} memories were rated"
    more = f", {proposed} proposed as critical" if proposed else ""
    return Done(request.link("/errors/interventions"), f"{message}{more}.")


def tools(request: PageRequest) -> Answer:
    """Show how often tools failed."""
    found = request.call("tools.reliability", workspace=request.workspace, limit=TOOLS)
    quiet = [item for item in found if item["calls"] < FEW and not item["failures"]]
    rows = [one for one in found if one not in quiet]
    values = {"tools": rows, "quiet": quiet, "most": TOOLS, "few": FEW}
    return View("errors-tools.html", values)


def refs(reason: str) -> list[str]:
    """Return the short names of errors in a reason."""
    return _REF.findall(reason)[:MAX_NAMED]


ROUTES = (
    reads("/errors/interventions", interventions),
    acts("/errors/interventions/{id}/outcome", outcome),
    reads("/errors/tools", tools),
)
