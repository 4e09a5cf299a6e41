"""Journal page: operations, who performed them, and verification."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any
from urllib.parse import quote

from memoranda.json_data import JsonValue, dump_json, iso_time
from memoranda.operation_declaration import REVIEWERS
from memoranda.web.answers import Answer, Done, View
from memoranda.web.page_request import LIMIT, PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, acts, reads

PAGE = MenuPage("/journal", "Journal", MenuGroup.TRUST, 1, roles=REVIEWERS, styles=("journal.css",))
SHOWN_AROUND = 3
"""Number of entries shown above a broken one."""
MAX_LENGTH = 200
PLACES: tuple[tuple[str, str], ...] = (
    ("intervention", "/errors/interventions"),
    ("proposal", "/pending/{}"),
    ("propose", "/pending/{}"),
    ("block", "/blocks/{}"),
    ("error", "/errors/{}"),
    ("quarantine", "/observations/{}"),
    ("context given", "/context?workspace={}"),
    ("observe", "/tasks/{}"),
    ("compress", "/tasks/{}"),
    ("offer compression", "/tasks/{}"),
    ("quality alert", "/tasks/{}"),
    ("stage", "/tasks/{}"),
    ("task end", "/tasks/{}"),
    ("fork", "/tasks/{}"),
    ("note state", "/tasks/{}"),
    ("feedback heard", "/tasks/{}"),
    ("remember", "/learnings/{}"),
    ("memory", "/learnings/{}"),
    ("reinforce", "/learnings/{}"),
    ("confidence", "/learnings/{}"),
)
"""Pages of the subjects of operations, by operation prefix.

Forgotten records, keys, sessions, checkpoints and rules have no page.
"""
KNOWN = (
    "block rethink", "checkpoint", "compress", "context given", "error end", "error record",
    "feedback", "forget", "memory change", "observe", "propose", "proposal approved",
    "proposal rejected", "quarantine hold", "quarantine release", "rate", "reinforce", "remember",
    "stage set", "task end", "token create", "token revoke", "budget alert", "budget refusal",
    "quality alert", "slow alert",
)  # fmt: skip
"""Operations suggested in the filter field, which accepts any text."""


def shown(request: PageRequest) -> Answer:
    """Show entries, newest first."""
    operation, subject = request.text("operation").strip(), request.text("subject").strip()
    page = request.call(
        "journal.list",
        operation=operation or None,
        subject=subject or None,
        cursor=request.cursor,
        limit=LIMIT,
    )
    values = {
        "entries": page,
        "operation": operation,
        "subject": subject,
        "operations": sorted({*KNOWN, *(item["operation"] for item in page["items"])}),
        "place": place,
        "details": details,
        "iso_time": iso_time,
        "broken": request.number("broken"),
    }
    return View("journal.html", values)


def verify(request: PageRequest) -> Answer:
    """Verify the hash chain; go to the first broken entry, if there is one."""
    found = request.call("journal.verify")
    at = found["broken_at"]
    if at is None:
        message = f"Intact: {found['entries']:,} entries form a chain. The head is {found['head']}"
        return Done(
            request.link("/journal"), f"{message}; store it elsewhere to detect a rewritten chain."
        )
    to = request.link("/journal", cursor=str(at + SHOWN_AROUND), broken=at)
    return Done(to, f"Not intact: at entry {at:,}, {found['reason']}.", warn=True)


def place(operation: str, subject: str) -> str:
    """Return the path of an entry's subject page; empty if there is none."""
    if not subject:
        return ""
    found = next((path for begin, path in PLACES if operation.startswith(begin)), "")
    return found.format(quote(subject, safe=""))


def details(detail: Mapping[str, JsonValue]) -> list[tuple[str, str]]:
    """Return an entry's fields other than its subject, as text."""
    return [(name.replace("_", " "), _value_text(value)) for name, value in detail.items()]


def _value_text(value: Any) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, dict) and all(isinstance(one, list) for one in value.values()):
        return ", ".join(f"{name.replace('-', ' ')} {len(item)}" for name, item in value.items())
    text = value if isinstance(value, str) else dump_json(value)
    return text if len(text) <= MAX_LENGTH else f"{text[:MAX_LENGTH]}…"


ROUTES = (reads("/journal", shown), acts("/journal/verify", verify))
