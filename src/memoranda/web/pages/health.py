"""Health: the checks of the doctor, what is wrong first, each with its remedy; those that read the
whole store when they are asked for."""

from __future__ import annotations

from collections import Counter

from memoranda.operations import ADMINS
from memoranda.web.answers import Answer, View
from memoranda.web.page_request import PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, reads

PAGE = MenuPage("/health", "Health", MenuGroup.TRUST, 4, roles=ADMINS, styles=("trust.css",))
ORDER = ("failure", "warning", "ok")


def shown(asked: PageRequest) -> Answer:
    """Check what is quick, or everything."""
    whole = asked.ticked("whole")
    found = asked.call("doctor", quick=not whole)
    found.sort(key=lambda one: ORDER.index(one["verdict"]))
    verdicts = Counter(one["verdict"] for one in found)
    status = asked.call("status", workspace=asked.workspace)
    values = {"found": found, "verdicts": verdicts, "status": status, "whole": whole}
    return View("health.html", values)


ROUTES = (reads("/health", shown),)
