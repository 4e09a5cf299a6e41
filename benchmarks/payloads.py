"""Put hostile texts in each field and load every web page in a browser."""

from __future__ import annotations

import argparse
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))
sys.path.insert(0, str(Path(__file__).parents[1] / "tests" / "web"))

import browsers
import hostile_store
import hostile_walk
from hostile_look import Looking
from hostile_store import FIELDS, NOWHERE
from made_store import Made, Site

from measuring.report import Report, parser, progress


def main(arguments: Sequence[str] | None = None) -> int:
    """Visit all pages; return 1 if a payload ran, 2 without a browser."""
    options = _options(arguments)
    path = browsers.program()
    if path is None:
        sys.stderr.write("no browser: install chromium, or name one in CHROMIUM\n")
        return 2
    report = Report("payloads", vars(options))
    with tempfile.TemporaryDirectory(prefix="payloads-") as folder:
        texts = hostile_store.payloads()
        progress(f"{len(texts)} payloads into {len(FIELDS)} fields")
        hostile = hostile_store.make(Path(folder) / "data", texts)
        site = Site(Made(hostile.folder))
        try:
            with browsers.browser(path) as started:
                context = started.new_context(viewport=browsers.WIDE, locale="en-GB")
                visit = browsers.visit(context, site.url)
                visit.sign_in(site.token)
                looking = Looking(visit, hostile)
                _walk(report, looking, options)
        finally:
            site.close()
        _tell(report, looking)
    return report.finish(as_json=options.json)


def _walk(report: Report, looking: Looking, options: argparse.Namespace) -> None:
    def things() -> None:
        for path in hostile_walk.details(looking.hostile, options.every):
            looking.open(path)

    parts: dict[str, Callable[[], None]] = {
        "lists": lambda: hostile_walk.lists(looking, options.pages),
        "pages of one thing": things,
        "addresses": lambda: hostile_walk.asked(looking, options.addresses),
        "forms": lambda: hostile_walk.formed(looking, options.forms),
    }
    for name, walk in parts.items():
        progress(name)
        began, before = time.monotonic(), looking.pages
        walk()
        report.add(name, "pages", looking.pages - before)
        report.add(name, "seconds", round(time.monotonic() - began, 1))


def _tell(report: Report, looking: Looking) -> None:
    shown = Counter(mark[4:6] for mark, _ in looking.cells)
    report.add("seen", "payload x field x page", len(looking.cells))
    report.add("seen", "payload x field", len({mark for mark, _ in looking.cells}))
    report.add("seen", "routes", len({route for _, route in looking.cells}))
    for code, name in FIELDS.items():
        report.add("fields", name, shown[code], "payload x page")
    for kind, count in sorted(looking.hostile.refused.items()):
        report.add("refused by the memory", kind, count)
    try:
        looking.finish()
        text = ""
    except AssertionError as error:
        text = str(error)
        sys.stderr.write(f"{text}\n")
    report.claim("every text was inert: no script, request, element or complaint", not text)
    seen = all(shown[code] for code in FIELDS.keys() - NOWHERE)
    report.claim("every field that a page shows was seen on one", seen)


def _options(arguments: Sequence[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    made.add_argument("--every", type=int, default=1, help="of how many things one is opened")
    made.add_argument("--addresses", type=int, default=8, help="the same of texts in addresses")
    made.add_argument("--forms", type=int, default=8, help="the same of texts in forms")
    made.add_argument("--pages", type=int, default=400, help="pages of a list at most")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
