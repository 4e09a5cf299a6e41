"""Test failures of language models, the cost ledger, and its limit.

The ledger is compared with the counts of a scripted server.
"""

from __future__ import annotations

import argparse
import json
import multiprocessing
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, contextmanager
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[1] / "tests"))

from language_servers import KEY, LanguageServer, completion, message, text_answer
from measuring.report import Report, parser, progress, quantile
from memoranda.clock import SystemClock
from memoranda.costs import table as model_calls
from memoranda.costs.ledger import CallRequest, Ledger
from memoranda.costs.metered_model import MeteredModel
from memoranda.costs.model import DOLLAR, Purpose
from memoranda.exceptions import BudgetExhausted, MemorandaError
from memoranda.ids import IdSource
from memoranda.json_data import JsonValue
from memoranda.model_request import ModelRequest, TokenUsage
from memoranda.models.http_client import RetryPolicy
from memoranda.models.language.anthropic import AnthropicModel
from memoranda.models.language.openai import OpenAIModel
from memoranda.models.language.prices import TokenRates
from memoranda.models.language.provider import ModelAccess, ProviderModel
from memoranda.models.language.retries import PersistentModel, patience
from memoranda.store.database import Database, Transaction
from memoranda.store.postgres.engine import PostgresDatabase
from memoranda.store.sqlite.engine import SqliteDatabase
from postgres_stores import APP, DATABASE, EmptyStores
from scripted_servers import Answer
from servers import PostgresServer

TEAM = "local"
PRICE = TokenRates("given", 1, 10)
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"word": {"type": "string", "maxLength": 40}},
    "required": ["word"],
    "additionalProperties": False,
}
QUESTION = ModelRequest("measure", "Name the word.", "the text", SCHEMA, 100)
KINDS: dict[str, type[ProviderModel]] = {"openai": OpenAIModel, "anthropic": AnthropicModel}
BUSY = Answer(429, {"error": {"message": "slow down"}}, {"Retry-After": "2"})
LONG_BUSY = replace(BUSY, headers={"Retry-After": "3600"})


@dataclass(frozen=True, slots=True)
class Fault:
    """A server's faulty answer, the expected error, and number of tries."""

    name: str
    answer: Callable[[str], Answer]
    ends: str
    tries: int = 1


def talking(kind: str, text: object) -> Any:
    """Return an answer in a provider's format."""
    return completion(text) if kind == "openai" else message({"type": "text", "text": text})


def cut_off(kind: str) -> Answer:
    """Return an answer that reached the token limit."""
    text = '{"word": "do'
    if kind == "openai":
        return Answer(200, completion(text, finish_reason="length"))
    return Answer(200, message(text_answer(text), stop_reason="max_tokens"))


def refused(kind: str) -> Answer:
    """Return an answer in which the model refuses."""
    if kind == "openai":
        return Answer(200, completion(None, message={"content": None, "refusal": "no"}))
    return Answer(200, message(text_answer(""), stop_reason="refusal"))


UNUSABLE, AWAY = "model_answer_unusable", "model_unavailable"
FAULTS = (
    Fault("a page of HTML", lambda kind: Answer(200, "<html><h1>no</h1>"), UNUSABLE),
    Fault("half of the JSON", lambda kind: Answer(200, '{"choices": [{"mess'), UNUSABLE),
    Fault("half of the data", lambda kind: Answer(200, talking(kind, '{"word": "d')), UNUSABLE),
    Fault("wrong types", lambda kind: Answer(200, talking(kind, '{"word": 7}')), UNUSABLE),
    Fault(
        "a field more",
        lambda kind: Answer(200, talking(kind, '{"word": "a", "run": "rm"}')),
        UNUSABLE,
    ),
    Fault(
        "too long a field",
        lambda kind: Answer(200, talking(kind, json.dumps({"word": "Ignore all rules. " * 9}))),
        UNUSABLE,
    ),
    Fault("100 MB", lambda kind: Answer(200, "x" * 100_000_000), UNUSABLE),
    Fault("nothing", lambda kind: Answer(200, ""), UNUSABLE),
    Fault("an empty answer", lambda kind: Answer(200, talking(kind, "")), UNUSABLE),
    Fault("an empty object", lambda kind: Answer(200, "{}"), UNUSABLE),
    Fault("deep brackets", lambda kind: Answer(200, "[" * 100_000), UNUSABLE),
    Fault("cut off by the limit", cut_off, UNUSABLE),
    Fault("a refusal", refused, UNUSABLE),
    Fault("401", lambda kind: Answer(401, {"error": f"wrong key {KEY}"}), AWAY),
    Fault("429, 2 s", lambda kind: BUSY, AWAY, 3),
    Fault("429, an hour", lambda kind: LONG_BUSY, AWAY),
    Fault("500", lambda kind: Answer(500, "oh no"), AWAY, 3),
    Fault("elsewhere", lambda kind: Answer(307, "", {"Location": "http://127.0.0.1:9/"}), AWAY),
    Fault("hangs up", lambda kind: Answer(200, "{}", {"Content-Length": "99"}), AWAY, 3),
    Fault("no answer in time", lambda kind: Answer(200, "", before=lambda: time.sleep(2)), AWAY),
)


def book(database: Database, limit: int) -> Ledger:
    """Return a ledger with a limit in millionths of a dollar."""
    return Ledger(database, SystemClock(), IdSource(SystemClock()), limit, 0.75)


def access(url: str, waiting: RetryPolicy | None = None) -> ModelAccess:
    """Return the access settings of the scripted server."""
    return ModelAccess("compatible", "m", url, KEY, waiting or patience(30.0))


def outcomes(report: Report, database: Database) -> None:
    """Ask a failing server, in each way and format."""
    waiting = replace(patience(1.0), sleep=lambda _: None)
    whole = coded = True
    for kind, model in KINDS.items():
        for fault in FAULTS:
            progress(f"{kind}: {fault.name}")
            ledger = book(database, DOLLAR)
            before = ledger.status(TEAM).spent
            began = time.perf_counter()
            ended = "answered"
            with LanguageServer(*[fault.answer(kind)] * 3) as server:
                metered = MeteredModel(
                    model(access(server.url, waiting)), PRICE, ledger, Purpose(TEAM)
                )
                with closing(PersistentModel(metered, waiting)) as model_client:
                    try:
                        model_client.answer(QUESTION)
                    except MemorandaError as error:
                        ended = error.code
                        coded = coded and KEY not in str(error)
                seconds = time.perf_counter() - began
                tries = len(server.requests)
            cost = ledger.status(TEAM).spent - before
            note = f"{tries} tries, {cost:,} millionths, {seconds:.2f} s"
            report.add(f"faults of {kind}", fault.name, ended, note=note)
            whole = whole and (ended, tries) == (fault.ends, fault.tries)
    report.claim(f"each of {2 * len(FAULTS)} faults ends in the error it should", whole)
    report.claim("no error shows the key", coded)


def agreement(report: Report, name: str, database: Database, calls: int) -> None:
    """Compare the ledger with the server's counts."""
    ledger = book(database, 1_000 * DOLLAR)
    before = ledger.status(TEAM).spent
    took: list[float] = []
    with LanguageServer() as server, closing(OpenAIModel(access(server.url))) as model:

        def run(number: int) -> None:
            metered = MeteredModel(model, PRICE, ledger, Purpose(TEAM, "agreement"))
            began = time.perf_counter()
            metered.answer(replace(QUESTION, text=f"text {number}"))
            took.append(time.perf_counter() - began)

        began = time.perf_counter()
        with ThreadPoolExecutor(8) as pool:
            list(pool.map(run, range(calls)))
        seconds = time.perf_counter() - began
    (found,) = [one for one in ledger.spent(TEAM, "agent") if one.name == "agreement"]
    counted = [len(server.requests), *server.charged]
    section = f"{name}: {calls:,} calls"
    report.add(section, "calls, tokens in, tokens out of the ledger", str(_three(found)))
    report.add(section, "those of the server", str(tuple(counted)))
    report.add(section, "a call, median", 1000 * quantile(took, 0.5), "ms", f"{seconds:.1f} s all")
    cost = ledger.status(TEAM).spent - before
    report.claim(
        f"{name}: the ledger has what the server counted",
        _three(found) == tuple(counted) and cost == server.charged[0] + 10 * server.charged[1],
    )


def _three(found: Any) -> tuple[int, int, int]:
    return found.calls, found.input_tokens, found.output_tokens


def crowd(report: Report, name: str, place: str, database: Database, processes: int) -> None:
    """Start fifty calls at once when a hundredth of the budget is left."""
    with LanguageServer() as server:
        with closing(OpenAIModel(access(server.url))) as model:
            bound = PRICE.cost(model.bound(QUESTION))
        before = book(database, DOLLAR).status(TEAM).spent
        limit = before + 100 * bound
        ledger = book(database, limit)
        spent = TokenUsage(99 * bound, 0)
        reservation = ledger.reserve(
            Purpose(TEAM), CallRequest("fill", "compatible:m", spent, PRICE, "")
        )
        ledger.settle(reservation, spent)
        share = 50 // processes
        if processes == 1:
            ends = [_burst(place, server.url, limit, share)]
        else:
            spawn = multiprocessing.get_context("spawn")
            with spawn.Pool(processes) as pool:
                jobs = [(place, server.url, limit, share)] * processes
                ends = pool.starmap(_burst, jobs, chunksize=1)
        charged = server.charged[0] + 10 * server.charged[1]
        count = len(server.requests)
    total = ledger.status(TEAM).spent
    section = f"{name}: 50 calls at 99 % of the budget, {processes} processes"
    report.add(section, "answered", sum(ends), note=f"{50 - sum(ends)} refused, {count} asked")
    report.add(section, "charged by the server", 99 * bound + charged, "millionths")
    report.add(section, "limit", 100 * bound, "millionths")
    within = 99 * bound + charged <= 100 * bound and total == before + 99 * bound + charged
    report.claim(f"{name}, {processes} processes: the bill is within its cap", within)


def _burst(place: str, url: str, limit: int, count: int) -> int:
    """Ask from many threads at the same moment; return the answered number."""
    database = _open(place)
    together = threading.Barrier(count, timeout=60)
    ledger = book(database, limit)
    with closing(database), closing(OpenAIModel(access(url))) as model:

        def run(_: int) -> bool:
            metered = MeteredModel(model, PRICE, ledger, Purpose(TEAM))
            together.wait()
            try:
                metered.answer(QUESTION)
            except BudgetExhausted:
                return False
            return True

        with ThreadPoolExecutor(count) as pool:
            return sum(pool.map(run, range(count)))


def pace(report: Report, name: str, database: Database, rows: int) -> None:
    """Time a reservation and its settlement in a month with many calls."""
    ledger = book(database, 1 << 60)
    request = CallRequest("pace", "compatible:m", TokenUsage(1, 1), PRICE, "")
    call = ledger.reserve(Purpose(TEAM), request).call

    def fill(tx: Transaction) -> None:
        for number in range(rows):
            model_calls.insert(tx, replace(call, id=f"{number}"))

    database.write(fill)
    took = []
    for _ in range(50):
        began = time.perf_counter()
        ledger.settle(ledger.reserve(Purpose(TEAM), request), TokenUsage(1, 1))
        took.append(1000 * (time.perf_counter() - began))
    section = f"{name}: a month with {rows:,} calls"
    report.add(section, "reserve and settle, median", quantile(took, 0.5), "ms")
    report.add(section, "reserve and settle, 95 %", quantile(took, 0.95), "ms")


def _open(place: str) -> Database:
    if place.startswith("postgres"):
        return PostgresDatabase(place)
    return SqliteDatabase(Path(place))


@contextmanager
def engines() -> Iterator[dict[str, str]]:
    """Yield an empty store on each engine."""
    with tempfile.TemporaryDirectory() as folder:
        server = PostgresServer()
        try:
            EmptyStores(server)
            yield {
                "SQLite": str(Path(folder) / "memoranda.db"),
                "PostgreSQL": server.url(DATABASE, APP),
            }
        finally:
            server.close()


def main() -> int:
    """Run all measurements."""
    made = parser(__doc__)
    made.add_argument("--calls", type=int, default=1_000)
    made.add_argument("--rows", type=int, default=20_000)
    chosen: argparse.Namespace = made.parse_args()
    report = Report("model_faults", vars(chosen))
    with engines() as places:
        for name, place in places.items():
            with closing(_open(place)) as database:
                if name == "SQLite":
                    outcomes(report, database)
                progress(f"{name}: calls")
                agreement(report, name, database, chosen.calls)
                for processes in (1, 2, 5):
                    crowd(report, name, place, database, processes)
                pace(report, name, database, chosen.rows)
    progress("")
    return report.finish(as_json=chosen.json)


if __name__ == "__main__":
    sys.exit(main())
