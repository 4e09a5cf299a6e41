"""The way through every page of a hostile memory: lists to their ends, some of each kind of thing,
addresses and forms with hostile words in them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from urllib.parse import quote, urlencode

from hostile_look import Looking
from hostile_store import YARD, Hostile

from memoranda import Memoranda
from memoranda.config import load_settings

MOST_PAGES = 3
"""Pages of one list that are gone through, where nothing else is said."""
HERE = f"workspace={YARD}"
LISTS = (
    "/", f"/?{HERE}", "/tasks", "/learnings", "/learnings?ever=yes", "/learnings?status=archived",
    "/learnings/conflicts", "/learnings/places", f"/learnings/places/{YARD}",
    "/learnings/places/global", "/learnings/new", f"/profile?{HERE}",
    f"/profile?workspace={YARD}-1",
    f"/profile?workspace={YARD}-2", f"/profile/agent-file?{HERE}", f"/profile/optimize?{HERE}",
    "/profile/history", f"/blocks?{HERE}", f"/blocks?away=yes&{HERE}", f"/blocks/prompt?{HERE}",
    "/blocks/held", "/blocks/new", "/pending", "/pending?status=approved",
    "/pending?status=rejected", "/pending/rules", "/errors", "/errors/all", "/errors/interventions",
    "/errors/tools", "/errors/new", "/journal", "/cost", "/health", "/privacy",
    f"/context?{HERE}", "/context?query=owned&task=1", "/search", "/search?q=owned",
    "/search?q=script&kind=memory", "/search?q=onerror&kind=observation", "/tasks/1",
    "/tasks/1?type=error", "/tasks/1/outcome", "/tasks/1/resume", "/tasks/2/checkpoints",
    "/tasks/2/resume", "/tasks/1/end",
)  # fmt: skip
ASKED: Mapping[str, Sequence[str]] = {
    "/": ("workspace",),
    "/search": ("q", "kind", "type", "category", "since", "mode", "task", "open", "cursor"),
    "/tasks": ("status", "cursor"),
    "/tasks/open": ("name",),
    "/tasks/1": ("at", "type", "stage"),
    "/tasks/1/diff": ("old", "new"),
    "/blocks": ("task", "away", "cursor"),
    "/blocks/prompt": ("form", "task", "whole"),
    "/blocks/new": ("place", "task", "kind", "label"),
    "/learnings": ("category", "status", "as_of", "critical", "ever", "cursor"),
    "/learnings/new": ("place", "category", "content"),
    "/learnings/places/global": ("category", "cursor"),
    "/profile": ("workspace", "cursor"),
    "/profile/agent-file": ("workspace",),
    "/profile/optimize": ("target",),
    "/profile/merge": ("id",),
    "/pending": ("status", "at", "cursor"),
    "/pending/chosen/decided": ("what", "id", "left"),
    "/errors": ("task",),
    "/errors/all": ("type", "state", "severity", "stage", "task", "cursor"),
    "/errors/interventions": ("state", "task"),
    "/errors/new": ("place", "workspace"),
    "/journal": ("operation", "subject", "broken", "cursor"),
    "/context": ("query", "task", "budget", "workspace"),
    "/cost": ("month", "by"),
    "/privacy": ("id", "text"),
    "/sign-in": ("next", "code"),
}
"""Parameters of addresses by the page that reads them."""
NAMED = (
    "/tasks/{}", "/tasks/1/stages/{}", "/tasks/1/checkpoints/{}",
    "/tasks/1/checkpoints/{}/rollback",
    "/observations/{}", "/observations/{}/raw", "/observations/{}/forget", "/learnings/{}",
    "/learnings/{}/edit", "/learnings/places/{}", "/blocks/{}", "/blocks/{}/history",
    "/blocks/{}/versions/1", "/pending/{}", "/pending/{}/edit", "/pending/rules/{}/remove",
    "/errors/{}", "/{}", "/tasks/{}/nowhere",
)  # fmt: skip
"""Paths in which something is named."""
FORMS: Mapping[str, Mapping[str, str]] = {
    "/errors/new": {"description": "ed", "type": "ex", "context": "ex", "recovery": "er",
                    "place": "wn", "severity": "fa"},
    "/learnings/new": {"content": "mc", "category": "mt", "tags": "mg", "place": "wn"},
    "/blocks/new": {"label": "bl", "value": "bv", "description": "bd", "limit": "bw", "task": "tg"},
    "/profile": {"content": "pc", "category": "mt"},
    "/privacy/test": {"text": "oc", "path": "of", "command": "oi"},
    "/privacy/forget": {"id": "mc"},
    "/pending/rules": {"confidence": "fa", "source": "mt", "place": "wn"},
    "/pending/chosen": {"choose": "pp"},
    "/pending/chosen/reject": {"choose": "pp", "note": "pn"},
    "/cost/budget": {"dollars": "mc"},
    "/tasks/1/checkpoints": {"phase": "ck", "description": "cd"},
    "/tasks/1/end": {"outcome": "mc"},
    "/errors/interventions/x/outcome": {"note": "in", "outcome": "ed"},
    "/profile/merge": {"id": "pc"},
    "/nowhere": {"text": "mc"},
}  # fmt: skip
"""Forms with what is typed in them, each a field of a memory that it is like; none of them is
taken, so that what was typed is shown again."""


def details(hostile: Hostile, every: int) -> Iterator[str]:
    """Yield the paths of one in ``every`` things of each kind."""
    settings = load_settings({"data_dir": hostile.folder, "embedder": "none"}, {})
    with Memoranda.open(settings=settings, workspace=YARD) as memory:
        steps = [one.id for one in memory.observations.list(task="1", limit=1_000).items]
        tasks = [str(one.number) for one in memory.tasks.list(limit=1_000).items]
        errors = [one.observation or one.id for one in memory.errors.list(limit=1_000).items]
    for id in [one for at in range(0, len(steps), 4 * every) for one in steps[at : at + 4]]:
        yield from (f"/observations/{id}?part=1", f"/observations/{id}/forget")
        yield f"/search?q=owned&open={id}&of=observation&layer=3"
    for number in tasks[::every]:
        yield f"/tasks/{number}"
    for id in hostile.ids["memory"][::every]:
        yield from (f"/learnings/{id}", f"/learnings/{id}/edit", f"/learnings/{id}/archive",
                    f"/learnings/{id}/promote", f"/learnings/{id}/demote",
                    f"/search?q=owned&open={id}&of=memory")  # fmt: skip
    for id in hostile.ids["edit"][::every]:
        yield f"/learnings/{id}/restore?version=1"
    known = hostile.ids["memory"]
    for one, other in zip(known[::every], known[1::every], strict=False):
        yield f"/learnings/{one}/supersede?by={other}"
    for id in hostile.ids["block"][::every]:
        for part in ("", "/history", "/versions/1", "/edit", "/settings", "/away"):
            yield f"/blocks/{id}{part}"
    for id in hostile.ids["put away"][::every]:
        yield f"/blocks/{id}"
    for id in hostile.ids["proposal"][::every]:
        yield from (f"/pending/{id}", f"/pending/{id}/edit", f"/pending/{id}/reject")
    for name in errors[::every]:
        yield f"/errors/{quote(name, safe='')}"
    for number in range(1, len(hostile.ids["checkpoint"]) + 1, every):
        yield from (f"/tasks/2/checkpoints/{number}", f"/tasks/2/diff?old={number}&new=now",
                    f"/tasks/2/checkpoints/{number}/rollback")  # fmt: skip
    for number in range(1, 40, every):
        yield f"/tasks/3/stages/{number}"
    ids = hostile.ids["entry"]
    for first, second in zip(ids[::every], ids[1::every], strict=False):
        yield f"/profile/merge?id={first}&id={second}"


def lists(looking: Looking, most: int = MOST_PAGES) -> None:
    """Go through every list, page by page."""
    for path in LISTS:
        page = looking.open(path)
        for _ in range(most):
            following = page.locator("nav.paging a[rel=next]")
            if not following.count():
                break
            looking.open(f"{following.first.get_attribute('href')}")


def asked(looking: Looking, every: int, *, together: bool = False) -> None:
    """Ask for pages with hostile words in their addresses: each name in turn, or all at once."""
    hostile, turn = looking.hostile, 0
    for path, names in ASKED.items():
        for values in [names] if together else [(name,) for name in names]:
            for number in range(turn % every, len(hostile.texts), every):
                text = hostile.text("qs", number)
                query = urlencode(dict.fromkeys(values, text), errors="replace")
                looking.open(f"{path}?{query}")
            turn += 1
    for path in NAMED:
        for number in range(turn % every, len(hostile.texts), every):
            name = quote(hostile.text("qp", number), safe="", errors="replace")
            looking.open(path.format(name))
        turn += 1


def formed(looking: Looking, every: int) -> None:
    """Send forms that are not taken; what was typed has to come back as it was typed."""
    hostile = looking.hostile
    for turn, (path, fields) in enumerate(FORMS.items()):
        for number in range(turn % every, len(hostile.texts), every):
            typed = [(name, hostile.text(code, number)) for name, code in fields.items()]
            looking.visit.page.goto(f"{looking.visit.url}/privacy")
            looking.post(path, typed)
    for number in range(0, len(hostile.texts), every):
        _of_things(looking, number)


def _of_things(looking: Looking, number: int) -> None:
    """Send forms about things that are there: out of date, or not to be taken."""
    hostile = looking.hostile
    text = hostile.text
    block, memory = hostile.ids["block"][0], hostile.ids["memory"][0]
    proposal = hostile.ids["proposal"][0]
    forms: Sequence[tuple[str, dict[str, str]]] = (
        (f"/blocks/{block}/edit", {"value": text("bv", number), "version": "1",
                                   "reason": text("br", number)}),
        (f"/blocks/{block}/edit", {"value": text("bw", number), "version": "1", "take": "theirs",
                                   "mine": text("bv", number)}),
        (f"/blocks/{block}/settings", {"label": text("bl", number), "limit": "none",
                                       "description": text("bd", number)}),
        (f"/blocks/{block}/attach", {"agent": "", "role": text("bo", number)}),
        (f"/learnings/{memory}/edit", {"content": text("me", number), "title": text("mt", number),
                                       "seen": "old", "reason": text("mw", number)}),
        (f"/pending/{proposal}/edit", {"content": text("pe", number), "title": text("pt", number),
                                       "tags": text("pg", number), "shown": "old"}),
        (f"/pending/{proposal}/approve", {"shown": text("pp", number)}),
    )  # fmt: skip
    for path, fields in forms:
        looking.visit.page.goto(f"{looking.visit.url}/privacy")
        looking.post(path, fields.items())
