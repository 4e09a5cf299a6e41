"""Cost and quality page: model costs, summary loss, search latency."""

from __future__ import annotations

from typing import Any

from memoranda.costs.model import DOLLAR, amount, month_of, refusals
from memoranda.journal.model import ALERTS
from memoranda.json_data import iso_time
from memoranda.operation_declaration import MEMBERS
from memoranda.web.answers import Answer, Done, Undo, View
from memoranda.web.charts import columns, line
from memoranda.web.filters import money, short
from memoranda.web.page_request import PageRequest
from memoranda.web.pages.now import saved
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage(
    "/cost", "Cost and quality", MenuGroup.TRUST, 3, roles=MEMBERS, styles=("trust.css",)
)
HEADINGS = ("operation", "agent", "task", "model")
EVER = "ever"
COMPRESSIONS = 50
ALERTED = 5
MILLISECOND = 1_000
MAX_QUERY_LENGTH = 200
"""Maximum number of characters of the query that is timed."""


def shown(request: PageRequest) -> Answer:
    """Show the costs and their causes."""
    month = request.text("month") or month_of(request.now)
    by = request.text("by") or HEADINGS[0]
    counted = None if month == EVER else month
    status = request.call("store.status", workspace=request.workspace)
    budget = request.call("costs.budget")
    left = max(0, budget["limit"] - budget["spent"])
    values = {
        "status": status,
        "budget": budget,
        "left": left,
        "refusals": refusals(budget["refused"], budget["refused_cost"], left),
        "month": month,
        "by": by,
        "headings": HEADINGS,
        "spent": request.call("costs.report", by=by, month=counted),
        "days": _days(request, counted),
        "stats": request.call("store.stats", workspace=request.workspace, summaries=False),
        "saved": saved(status),
        "live": request.call("capture.live-report", workspace=request.workspace),
        **_compressed(request),
        "search": _searched(request),
        "alerts": _alerts(request),
    }
    return View("cost.html", values)


def _days(request: PageRequest, month: str | None) -> Any:
    """Return a chart of daily costs in money and tokens; None if empty."""
    days = request.call("costs.report", by="day", month=month)
    if not days:
        return None
    dear = [(f"{item['name']}: {money(item['cost'])}", item["cost"]) for item in days]
    read = [(f"{day['name']}: {short(_tokens(day))} tokens", _tokens(day)) for day in days]
    return {
        "rows": days,
        "money": columns(dear, "Cost by day; see the table for numbers"),
        "tokens": columns(read, "Tokens by day; see the table for numbers"),
    }


def _tokens(spent: dict[str, Any]) -> int:
    return int(spent["input_tokens"] + spent["output_tokens"])


def _compressed(request: PageRequest) -> dict[str, Any]:
    """Return the quality of the last summaries, oldest first for charts."""
    found = request.call("compression.report", workspace=request.workspace, limit=COMPRESSIONS)
    if not found:
        return {"compressions": (), "quality": None}
    shares = [_share(item["kept"], item["facts"]) for item in reversed(found)]
    ratios = [one["source_tokens"] / max(1, one["tokens"]) for one in reversed(found)]
    facts = sum(one["facts"] for one in found)
    about = f"the last {len(found)} summaries, oldest first"
    quality = {
        "retention": _share(sum(one["kept"] for one in found), facts),
        "facts": facts,
        "ratio": sum(ratios) / len(ratios),
        "kept": line([(f"{share:.0%}", share) for share in shares], f"Facts kept, {about}"),
        "ratios": line([(f"{ratio:.1f}", ratio) for ratio in ratios], f"Ratio, {about}"),
        "least": min(shares),
        "most": max(shares),
        "low": min(ratios),
        "high": max(ratios),
    }
    return {"compressions": found[:10], "quality": quality}


def _share(part: int, whole: int) -> float:
    return part / whole if whole else 1.0


def _searched(request: PageRequest) -> dict[str, Any] | None:
    """Search for the text of the newest memory, and return the duration."""
    newest = request.call("memories.list", workspace=request.workspace, limit=1)["items"]
    if not newest:
        return None
    began, query = request.now, newest[0]["content"][:MAX_QUERY_LENGTH]
    found = request.call("search", query=query, workspace=request.workspace, limit=10)
    took = max(0, request.now - began) / MILLISECOND
    return {"milliseconds": took, "hits": len(found["hits"]), "mode": found["mode"]}


def _alerts(request: PageRequest) -> list[dict[str, Any]]:
    """Return recent alerts: slow operations, poor summaries, a spent budget."""
    if not request.may("journal.list"):
        return []
    pages = (request.call("journal.list", operation=item, limit=ALERTED) for item in sorted(ALERTS))
    found: list[dict[str, Any]] = [entry for page in pages for entry in page["items"]]
    newest = sorted(found, key=lambda entry: -int(entry["sequence"]))[:ALERTED]
    return [entry | {"at": iso_time(entry["at"])} for entry in newest]


def limited(request: PageRequest) -> Answer:
    """Set the monthly limit on model costs."""
    before = request.call("costs.budget")
    request.call("costs.set-budget", dollars=_dollars(amount(request.text("dollars"))))
    after = request.call("costs.budget")
    undo = Undo("/cost/budget", {"dollars": f"{before['limit'] / DOLLAR:.6f}"})
    message = (
        f"The monthly model budget is now {money(after['limit'])}; it was {money(before['limit'])}."
    )
    return Done(request.link("/cost"), message, undo)


def _dollars(text: str) -> float | str | None:
    """Return an amount as the operation accepts it.

    Any other text is passed unchanged, so that the operation refuses it.
    """
    try:
        return float(text) if text else None
    except ValueError:
        return text


ROUTES = (reads("/cost", shown), acts("/cost/budget", limited))
