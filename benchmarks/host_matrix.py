"""Try hosts, origins and content types by raw socket for wrong accepts."""

from __future__ import annotations

import sys
import tempfile
from collections import Counter
from itertools import product
from pathlib import Path
from urllib.parse import urlencode

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "integration"))

from test_server_guards import HOSTS, KINDS, ORIGINS, knock, stated
from test_web_guards import KINDS as FORMS, SITES

from measuring.report import Report, parser
from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
from memoranda.config import load_settings
from serving import InProcess, head, raw


def main(arguments: list[str] | None = None) -> int:
    """Try every combination; return 1 when one is wrongly accepted or refused."""
    options = parser(__doc__).parse_args(arguments)
    report = Report("host_matrix", vars(options))
    with tempfile.TemporaryDirectory(prefix="host-matrix-") as folder:
        service = Service(load_settings({"data_dir": Path(folder) / "data"}, {}))
        server = InProcess(service)
        try:
            _try(report, server)
        finally:
            server.close()
        page = InProcess(service, doors(service), failures=1e6)
        try:
            _try_forms(report, page, service.settings.data_dir / "token")
        finally:
            page.close()
            service.close()
    return report.finish(as_json=options.json)


def _try(report: Report, server: InProcess) -> None:
    section = "host x origin x content type, a good key each time"
    statuses: Counter[int] = Counter()
    wrong = right = refused = 0
    cells = [*product(HOSTS, ORIGINS, KINDS)]
    for number, (host, origin, kind) in enumerate(cells):
        fits = HOSTS[host][1] and ORIGINS[origin][1] and KINDS[kind][1]
        status = knock(server, host, origin, kind, stated(server, f"cell {number} is so")).status
        statuses[status] += 1
        wrong += status < 400 and not fits
        refused += status >= 400 and fits
        right += status < 400 and fits
    report.add(section, "cells", len(cells))
    report.add(section, "accepted that should be", right)
    report.add(section, "accepted that should not be", wrong)
    report.add(section, "refused that should not be", refused)
    for status, count in sorted(statuses.items()):
        report.add(section, f"answers {status}", count)
    report.claim(f"{len(cells)} cells: none accepted that should not be", wrong == 0)
    report.claim("all that fit got in", refused == 0)


def _try_forms(report: Report, server: InProcess, token: Path) -> None:
    section = "the web page: host x origin x fetch site x content type, a good token each time"
    body = urlencode({"credential": token.read_text().strip()}).encode()
    statuses: Counter[int] = Counter()
    wrong = refused = 0
    cells = [*product(HOSTS, ORIGINS, SITES, FORMS)]
    for host, origin, site, kind in cells:
        requests, page = HOSTS[host][0](server.port), ORIGINS[origin][0](server.port)
        same = page is not None and page.partition("://")[2] == requests.lower()
        sent = page is None and SITES[site] is True
        fits = HOSTS[host][1] and ORIGINS[origin][1] and FORMS[kind] and (same or sent)
        fits = fits and SITES[site] is not False
        headers = {"Host": requests, "Connection": "close", "Content_Length": str(len(body))}
        headers |= {"Content_Type": kind} if kind else {}
        headers |= {"Origin": page} if page is not None else {}
        headers |= {"Sec_Fetch_Site": site} if site != "absent" else {}
        answer = raw(server.port, head("POST", "/sign-in", **headers) + body)
        statuses[answer.status] += 1
        wrong += "set-cookie" in answer.headers and not fits
        refused += "set-cookie" not in answer.headers and fits
    report.add(section, "cells", len(cells))
    for status, count in sorted(statuses.items()):
        report.add(section, f"answers {status}", count)
    report.claim(f"{len(cells)} cells: no form let in that should not be", wrong == 0)
    report.claim("all forms that fit got in", refused == 0)


if __name__ == "__main__":
    sys.exit(main())
