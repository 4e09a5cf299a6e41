"""Health page: the doctor's checks, failures first, with remedies.

Checks that read the whole store run on request.
"""

from __future__ import annotations

from collections import Counter

from memoranda.operation_declaration import ADMINS
from memoranda.web.answers import Answer, View
from memoranda.web.page_request import PageRequest
from memoranda.web.registry import MenuGroup, MenuPage, reads

PAGE = MenuPage("/health", "Health", MenuGroup.TRUST, 4, roles=ADMINS, styles=("trust.css",))
ORDER = ("failure", "warning", "ok")


def shown(request: PageRequest) -> Answer:
    """Show the results of the quick checks or of all checks."""
    whole = request.ticked("whole")
    found = request.call("store.doctor", quick=not whole)
    found.sort(key=lambda one: ORDER.index(one["verdict"]))
    verdicts = Counter(item["verdict"] for item in found)
    status = request.call("store.status", workspace=request.workspace)
    values = {"found": found, "verdicts": verdicts, "status": status, "whole": whole}
    return View("health.html", values)


ROUTES = (reads("/health", shown),)
