"""Health: every check of the doctor, what is wrong first, each with its remedy."""

from __future__ import annotations

from collections import Counter

from memoranda.operations import ADMINS
from memoranda.web.answers import Answer, View
from memoranda.web.asking import Asked
from memoranda.web.registry import Group, Page, reads

PAGE = Page("/health", "Health", Group.TRUST, 4, roles=ADMINS, styles=("trust.css",))
ORDER = ("failure", "warning", "ok")


def shown(asked: Asked) -> Answer:
    """Check everything, now."""
    found = asked.call("doctor")
    found.sort(key=lambda one: ORDER.index(one["verdict"]))
    verdicts = Counter(one["verdict"] for one in found)
    status = asked.call("status", workspace=asked.workspace)
    return View("health.html", {"found": found, "verdicts": verdicts, "status": status})


ROUTES = (reads("/health", shown),)
