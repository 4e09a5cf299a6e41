"""Time each page of the web interface with 100,000 observations."""

from __future__ import annotations

import argparse
import shutil
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import ExitStack, contextmanager
from dataclasses import dataclass
from http.client import HTTPConnection
from itertools import cycle, islice
from pathlib import Path
from urllib.parse import quote, urlencode

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

import load
from measuring.recording import recorded
from measuring.report import Report, parser, progress, quantile
from measuring.resident import processor_seconds
from measuring.work import NOUNS, VERBS, WORDS
from memoranda import Memoranda
from memoranda.config import Settings, load_settings
from memoranda.errors.error_log import ErrorFilter
from memoranda.memories.model import MemoryStatus
from memoranda.search.filters import SearchFilter
from memoranda.search.model import HitKind
from memoranda.tasks.model import TaskStatus
from memoranda.web import registry

P95_MS = 100.0
WARM_UP = 3
"""Warm-up requests of each page, which are not counted."""
FEWEST, PATIENCE = 8, 10.0
"""Minimum requests of a page, and the seconds after which to stop."""
PLACE = "project-0"


@dataclass(frozen=True, slots=True)
class PageQuery:
    """One kind of request: its route, its title, and its addresses."""

    route: str
    addresses: Sequence[str]
    name: str = ""

    @property
    def title(self) -> str:
        """Return its title in the report."""
        return f"{self.route} {self.name}".rstrip()


@dataclass(frozen=True, slots=True)
class Answered:
    """One answer."""

    status: int
    seconds: float
    bytes: int


class Browser:
    """A signed-in browser on one persistent connection."""

    def __init__(self, port: int, credential: str) -> None:
        self._connection = HTTPConnection("127.0.0.1", port, timeout=300)
        body = urlencode({"credential": credential, "next": "/"})
        headers = {
            "Origin": f"http://127.0.0.1:{port}",
            "Content-Type": "application/x-www-form-urlencoded",
        }
        self._connection.request("POST", "/sign-in", body, headers)
        answer = self._connection.getresponse()
        answer.read()
        self._cookie = (answer.headers["Set-Cookie"] or "").partition(";")[0]

    def ask(self, address: str) -> Answered:
        """Load a page without its linked files."""
        began = time.perf_counter()
        self._connection.request("GET", address, headers={"Cookie": self._cookie})
        answer = self._connection.getresponse()
        length = len(answer.read())
        return Answered(answer.status, time.perf_counter() - began, length)

    def close(self) -> None:
        """Close the connection."""
        self._connection.close()


class Addresses:
    """The addresses of every page that has data in a memory."""

    def __init__(self, memory: Memoranda) -> None:
        self._memory = memory
        self._tasks = [str(one.number) for one in memory.tasks.list(limit=30)]
        if "1" not in self._tasks:
            self._tasks.insert(0, "1")
        self._last = memory.tasks.show("1").observations

    def all(self) -> list[PageQuery]:
        """Return all addresses, grouped by parts of the menu."""
        return [
            *self._first(),
            *self._of_tasks(),
            *self._of_observations(),
            *self._of_memories(),
            *self._of_proposals(),
            *self._of_blocks(),
            *self._of_errors(),
            *self._trust(),
        ]

    def _first(self) -> Iterator[PageQuery]:
        yield PageQuery("/", _everywhere("/"))
        queries = [f"/search?q={quote(one)}" for one in _questions()]
        yield PageQuery("/search", queries)
        new = [f"/search?q={quote(one)}" for one in _new_questions()]
        yield PageQuery("/search", new, "never asked before")
        elsewhere = [f"{one}&workspace={PLACE}" for one in reversed(new)]
        yield PageQuery("/search", elsewhere, "never asked before, in a workspace")
        yield PageQuery(
            "/search", [f"{one}&workspace={PLACE}" for one in queries], "in a workspace"
        )
        yield PageQuery("/search", [f"{one}&mode=words" for one in queries], "by words")
        filters = ("&kind=observation&type=error", "&task=1", "&since=30", "&kind=memory")
        narrowed = [f"{one}{more}" for one, more in zip(queries, cycle(filters), strict=False)]
        yield PageQuery("/search", narrowed, "filtered")
        opened = self._observations("1", 5)
        yield PageQuery("/search", [f"{queries[0]}&open={one}" for one in opened], "with one open")
        yield PageQuery("/context", ("/context", f"/context?workspace={PLACE}"))
        yield PageQuery(
            "/context", [f"/context?query={quote(one)}" for one in _questions()], "asked"
        )
        yield PageQuery(
            "/context", [f"/context?task={one}" for one in self._tasks[:10]], "of a task"
        )

    def _of_tasks(self) -> Iterator[PageQuery]:
        deep = self._memory.tasks.list(limit=50).cursor
        listed = ["/tasks", "/tasks?workspace=all", f"/tasks?workspace={PLACE}"]
        yield PageQuery("/tasks", listed + ([f"/tasks?cursor={quote(deep)}"] if deep else []))
        states = [f"/tasks?status={one}&workspace=all" for one in TaskStatus]
        yield PageQuery(
            "/tasks", [*states, f"/tasks?workspace={PLACE}&status=completed"], "filtered"
        )
        yield PageQuery("/tasks/open", ("/tasks/open?name=1", "/tasks/open?name=1%2342"))
        small = self._tasks[-20:]
        yield PageQuery("/tasks/{id}", [f"/tasks/{one}" for one in small])
        places = [1, *(self._last * at // 7 for at in range(1, 7)), self._last]
        large = [f"/tasks/1?at={at}" for at in places]
        yield PageQuery("/tasks/{id}", large, "the largest, anywhere")
        kinds = ("error", "fix", "message", "decision", "learning")
        typed = [f"{one}&type={kind}" for one, kind in zip(large, cycle(kinds), strict=False)]
        yield PageQuery("/tasks/{id}", typed, "the largest, one type")
        yield PageQuery(
            "/tasks/{id}/stages/{number}", [f"/tasks/1/stages/{at}" for at in (1, 2, 5)]
        )
        for part in ("outcome", "resume", "checkpoints", "end"):
            addresses = [f"/tasks/{one}/{part}" for one in ("1", *small[:5])]
            yield PageQuery(f"/tasks/{{id}}/{part}", addresses)
        yield PageQuery("/tasks/{id}/diff", ("/tasks/1/diff?old=3&new=40", "/tasks/1/diff?old=7"))
        chosen = [f"/tasks/1/checkpoints/{at}" for at in (1, 30, 60)]
        yield PageQuery("/tasks/{id}/checkpoints/{checkpoint}", chosen)
        back = [f"{one}/rollback" for one in chosen]
        yield PageQuery("/tasks/{id}/checkpoints/{checkpoint}/rollback", back)

    def _of_observations(self) -> Iterator[PageQuery]:
        yield PageQuery("/observations", ("/observations",))
        found = self._observations("1", 12) + self._observations(self._tasks[-1], 6)
        for part in ("", "/raw", "/forget"):
            yield PageQuery(
                f"/observations/{{id}}{part}", [f"/observations/{one}{part}" for one in found]
            )
        errors = [one.observation for one in self._memory.errors.list(limit=100) if one.observation]
        yield PageQuery(
            "/observations/{id}", [f"/observations/{one}" for one in errors[:10]], "an error"
        )

    def _of_memories(self) -> Iterator[PageQuery]:
        memory = self._memory
        deep = memory.memories.list(limit=200).cursor
        yield PageQuery("/learnings", ("/learnings", f"/learnings?workspace={PLACE}"))
        filtered = ["status=pending", "category=insight", "critical=yes", "as_of=2030-01-01"]
        filtered += [f"cursor={deep}"] if deep else []
        yield PageQuery("/learnings", [f"/learnings?{one}" for one in filtered], "filtered")
        for path in ("/learnings/new", "/learnings/conflicts", "/learnings/places"):
            yield PageQuery(path, (path,))
        names = (PLACE, "global")
        yield PageQuery(
            "/learnings/places/{name:path}", [f"/learnings/places/{one}" for one in names]
        )
        only = SearchFilter(kinds=(HitKind.MEMORY,))
        hits = memory.search("rate of the first zone", where=only, workspace=PLACE, limit=100).hits
        changed = next(one.id for one in hits if memory.memories.history(one.id).items)
        ids = [
            changed,
            *(one.id for one in memory.memories.list(status=MemoryStatus.APPROVED, limit=8)),
        ]
        for part in ("", "/edit", "/archive", "/promote", "/demote"):
            yield PageQuery(f"/learnings/{{id}}{part}", [f"/learnings/{one}{part}" for one in ids])
        pairs = [f"/learnings/{ids[1]}/supersede?by={one}" for one in ids[2:6]]
        yield PageQuery("/learnings/{id}/supersede", pairs)
        yield PageQuery("/learnings/{id}/restore", (f"/learnings/{changed}/restore?version=1",))
        yield PageQuery("/profile", (f"/profile?workspace={PLACE}", "/profile?workspace=all"))
        for path in ("/profile/agent-file", "/profile/optimize", "/profile/history"):
            yield PageQuery(path, (f"{path}?workspace={PLACE}",))
        entries = memory.profile.show(workspace=PLACE, limit=4).memories
        ticked = urlencode({"id": [one.id for one in entries]}, doseq=True)
        yield PageQuery("/profile/merge", (f"/profile/merge?{ticked}",))

    def _of_proposals(self) -> Iterator[PageQuery]:
        yield PageQuery("/pending", _everywhere("/pending"))
        decided = [f"/pending?status={one}" for one in ("approved", "rejected")]
        yield PageQuery("/pending", decided, "decided")
        ids = [one.id for one in self._memory.proposals.list(limit=8)]
        for part in ("", "/approve", "/edit", "/reject", "/undo"):
            yield PageQuery(f"/pending/{{id}}{part}", [f"/pending/{one}{part}" for one in ids])
        done = urlencode({"what": "approved", "id": ids[:4], "left": ids[4:]}, doseq=True)
        yield PageQuery("/pending/chosen/decided", (f"/pending/chosen/decided?{done}",))
        for path in ("/pending/rules", "/pending/chosen"):
            yield PageQuery(path, (path,))
        for path in ("/pending/chosen/approve", "/pending/chosen/reject"):
            yield PageQuery(path, (path,))
        rules = [f"/pending/rules/{one.id}/remove" for one in self._memory.rules.list(limit=3)]
        yield PageQuery("/pending/rules/{id}/remove", rules)

    def _of_blocks(self) -> Iterator[PageQuery]:
        where = f"?workspace={PLACE}"
        yield PageQuery(
            "/blocks", (f"/blocks{where}", "/blocks?task=1", f"/blocks{where}&away=yes")
        )
        for path in ("/blocks/prompt", "/blocks/held", "/blocks/new"):
            yield PageQuery(path, (f"{path}{where}",))
        found = self._memory.blocks.list(workspace=PLACE, limit=8)
        ids = [one.id for one in found]
        parts = ("", "/history", "/edit", "/settings", "/away", "/back", "/restore")
        for part in (*parts, "/attach", "/detach", "/versions/1"):
            route = "/versions/{number}" if part == "/versions/1" else part
            addresses = [f"/blocks/{one}{part}{where}" for one in ids]
            yield PageQuery(f"/blocks/{{id}}{route}", addresses)

    def _of_errors(self) -> Iterator[PageQuery]:
        for path in ("/errors", "/errors/all"):
            yield PageQuery(path, (path, f"{path}?workspace={PLACE}"))
            yield PageQuery(path, (f"{path}?workspace=all",), "everywhere")
            yield PageQuery(path, (f"{path}?task=1",), "of the largest task")
        deep = self._memory.errors.list(limit=500).cursor
        filtered = ["state=open", "state=over", "type=hallucination", "severity=0.7"]
        filtered += ["stage=verification"]
        filtered += [f"cursor={deep}"] if deep else []
        addresses = [f"/errors/all?workspace=all&{one}" for one in filtered]
        yield PageQuery("/errors/all", addresses, "filtered")
        yield PageQuery("/errors/new", ("/errors/new",))
        every = [one.id for one in self._memory.errors.list(limit=5)]
        every += [one.id for one in self._memory.errors.list(ErrorFilter(over=True), limit=5)]
        yield PageQuery("/errors/{id}", [f"/errors/{quote(one, safe='')}" for one in every])
        raised = ("/errors/interventions", "/errors/interventions?state=open")
        yield PageQuery("/errors/interventions", raised)
        yield PageQuery("/errors/tools", ("/errors/tools", "/errors/tools?workspace=all"))

    def _trust(self) -> Iterator[PageQuery]:
        deep = self._memory.journal.list(limit=1_000).cursor
        yield PageQuery("/journal", ("/journal", f"/journal?cursor={deep}" if deep else "/journal"))
        filtered = ["operation=task+end", "operation=observe", "operation=nothing"]
        filtered += [f"subject={self._memory.tasks.show('1').id}", "subject=nobody"]
        yield PageQuery("/journal", [f"/journal?{one}" for one in filtered], "filtered")
        yield PageQuery("/privacy", _everywhere("/privacy"))
        yield PageQuery("/cost", _everywhere("/cost"))
        yield PageQuery(
            "/cost", [f"/cost?by={one}&month=ever" for one in ("agent", "model")], "ever"
        )
        yield PageQuery("/health", ("/health",))

    def _observations(self, task: str, count: int) -> list[str]:
        """Return ids of observations spread over a task."""
        last = self._memory.tasks.show(task).observations
        found = []
        for at in range(count):
            place = str(last * at // count)
            found += [
                one.id for one in self._memory.observations.index(task=task, cursor=place, limit=1)
            ]
        return found


def main(arguments: list[str] | None = None) -> int:
    """Run the measurements; return 1 when a claim does not hold."""
    options = _options(arguments)
    report = Report("pages", vars(options))
    with ExitStack() as stack:
        folder = options.folder
        if folder is None:
            made = stack.enter_context(tempfile.TemporaryDirectory(prefix="pages-"))
            folder = Path(made) / "store"
        memories = recorded(
            folder, options.observations, options.memories,
            one_task=options.one_task, seed=options.seed,
        )  # fmt: skip
        result = (
            f"in one task, {memories.rate:.0f} a second"
            if memories.one_task
            else f"{memories.rate:.0f}/s"
        )
        report.add("store", "observations", memories.observations, "", result)
        report.add("store", "memories", memories.memories)
        if options.fill:
            return report.finish(as_json=options.json)
        for engine in options.engine:
            _measure(report, stack, folder, engine, options)
    return report.finish(as_json=options.json)


def _measure(
    report: Report, stack: ExitStack, folder: Path, engine: str, options: argparse.Namespace
) -> None:
    with _place(folder, engine) as (data_dir, environ):
        with Memoranda.open(settings=_settings(data_dir, environ)) as memory:
            pages = _chosen(Addresses(memory).all(), options.only)
        server = load.Running(data_dir, 1, environ)
        stack.callback(server.process.wait)
        stack.callback(server.process.kill)
        report.add(engine, "ready", server.seconds, "s")
        browser = Browser(server.port, server.token)
        for one in pages:
            progress(f"{engine}: {one.title}")
            _report_page(report, engine, one, (browser, server.process.pid), options.requests)
        browser.close()
        report.claim(f"{engine}: stops cleanly", server.stop() == 0)


def _report_page(
    report: Report, engine: str, one: PageQuery, there: tuple[Browser, int], count: int
) -> None:
    """Request a page repeatedly and report the times."""
    if not one.addresses:
        report.claim(f"{engine}: {one.title}: there is something to show", held=False)
        return
    seen, processor = _seen(one, *there, count)
    times = [answer.seconds * 1e3 for answer in seen]
    p95 = quantile(times, 0.95)
    size = max(answer.bytes for answer in seen) / 1e3
    wrong = sorted({answer.status for answer in seen if answer.status not in (200, 303)})
    note = f"p50 {quantile(times, 0.5):.1f}; processor {processor * 1e3:.1f} each; {size:,.0f} kB"
    report.add(f"{engine}: milliseconds, p95", one.title, p95, "ms", note)
    if wrong:
        report.claim(f"{engine}: {one.title}: no {', '.join(map(str, wrong))}", held=False)
    report.claim(f"{engine}: {one.title}: p95 < {P95_MS:.0f} ms", p95 < P95_MS)


def _seen(one: PageQuery, browser: Browser, pid: int, count: int) -> tuple[list[Answered], float]:
    """Request all addresses in turn, fewer times for slow pages.

    Returns the answers and the server's processor seconds per request.
    """
    addresses = cycle(one.addresses)
    for address in islice(addresses, max(WARM_UP, min(len(one.addresses), count))):
        browser.ask(address)
    began, before, seen = time.monotonic(), processor_seconds(pid), list[Answered]()
    while len(seen) < count and (len(seen) < FEWEST or time.monotonic() - began < PATIENCE):
        seen.append(browser.ask(next(addresses)))
    return seen, (processor_seconds(pid) - before) / len(seen)


def _chosen(pages: Sequence[PageQuery], only: Sequence[str]) -> list[PageQuery]:
    """Return the pages to request, after a check that none is missing.

    Raises:
        SystemExit: a page that reads has no address here.
    """
    there = {one.path: one.leads_on for one in registry.routes() if one.method == "GET"}
    routes = {one.route for one in pages}
    shown = {path for path, leads_on in there.items() if not leads_on}
    if differing := sorted((shown - routes) | (routes - there.keys())):
        raise SystemExit(f"no address for, or no page of: {', '.join(differing)}")
    return [one for one in pages if not only or one.route in only]


def _everywhere(path: str) -> tuple[str, ...]:
    return path, f"{path}?workspace={PLACE}", f"{path}?workspace=all"


def _questions() -> list[str]:
    """Return typical search texts: words, names, and both."""
    names = [f"{verb}_cart" for verb in VERBS[:4]]
    messages = [" ".join(WORDS[at : at + 4]) for at in range(0, 40, 8)]
    return ["where is the discount rounded", "pytest checkout FAILED", *names, *messages]


def _new_questions() -> list[str]:
    """Return distinct search texts, because results are cached for a while."""
    messages = [
        f"{verb} the {noun} when {word}"
        for verb in VERBS
        for noun, word in zip(NOUNS, WORDS[9:], strict=False)
    ]
    named = [f"{verb}_{noun}" for noun in NOUNS for verb in VERBS]
    return [one for pair in zip(messages, named, strict=True) for one in pair]


@contextmanager
def _place(folder: Path, engine: str) -> Iterator[tuple[Path, dict[str, str]]]:
    """Yield a copy of a store, and the settings of its server."""
    with ExitStack() as stack:
        place = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="pages-"))) / "data"
        if engine == "sqlite":
            shutil.copytree(folder, place)
            yield place, {}
            return
        place.mkdir()
        yield place, {"MEMORANDA_DATABASE_URL": stack.enter_context(load.on_postgres(folder))}


def _settings(data_dir: Path, environ: dict[str, str]) -> Settings:
    return load_settings({"data_dir": data_dir}, environ)


def _options(arguments: list[str] | None) -> argparse.Namespace:
    made = parser(__doc__)
    engines = ("sqlite", "postgresql")
    made.add_argument("--engine", nargs="+", choices=engines, default=["sqlite"])
    made.add_argument("--observations", type=int, default=100_000)
    made.add_argument("--memories", type=int, default=2_000)
    made.add_argument("--one-task", action="store_true", help="all observations in one task")
    made.add_argument("--requests", type=int, default=40, help="counted requests of each page")
    made.add_argument("--only", nargs="+", default=[], help="paths of routes, such as /tasks/{id}")
    made.add_argument("--folder", type=Path, help="where the store is kept for the next run")
    made.add_argument("--fill", action="store_true", help="only fill the store of the folder")
    return made.parse_args(arguments)


if __name__ == "__main__":
    sys.exit(main())
