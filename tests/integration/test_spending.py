"""A month's costs include every call, and never exceed the limit."""

from __future__ import annotations

import json
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import replace
from typing import Any

import pytest
from happenings import finish, start

from contract.clock import START, FixedClock
from contract.records import Records
from language_servers import KEY, LanguageServer, completion
from memoranda.config import Settings
from memoranda.costs.ledger import CallRequest, Ledger, Reservation
from memoranda.costs.metered_model import MeteredModel
from memoranda.costs.model import DOLLAR, Purpose
from memoranda.exceptions import (
    BudgetExhausted,
    InvalidInput,
    ModelAnswerUnusable,
    ModelUnavailable,
)
from memoranda.ids import IdSource
from memoranda.journal import table as journal
from memoranda.json_data import JsonValue
from memoranda.model_request import ModelRequest, TokenUsage
from memoranda.models.http_client import RetryPolicy
from memoranda.models.language.openai import OpenAIModel
from memoranda.models.language.prices import FREE, TokenRates
from memoranda.models.language.provider import ModelAccess
from memoranda.models.language.retries import PersistentModel
from memoranda.observations import table as observations
from memoranda.store.database import Database, Transaction
from memoranda.store.engine_selection import opened
from memoranda.tasks.model import Task
from scripted_servers import Answer

pytestmark = pytest.mark.integration

TEAM = "local"
SCHEMA: dict[str, JsonValue] = {
    "type": "object",
    "properties": {"word": {"type": "string"}},
    "required": ["word"],
    "additionalProperties": False,
}
QUESTION = ModelRequest("name", "Name the word.", "the text", SCHEMA, 100)
PRICE = TokenRates("given", 1, 10)
ONE = CallRequest("name", "openai:m", TokenUsage(1_000, 100), PRICE, "digest")
"""Its maximum cost is 2,000 millionths."""
DAY = 86_400_000_000


CHILD = """
import json, sys
from concurrent.futures import ThreadPoolExecutor
from memoranda.clock import SystemClock
from memoranda.config import load_settings
from memoranda.costs.metered_model import MeteredModel
from memoranda.costs.ledger import Ledger
from memoranda.exceptions import BudgetExhausted
from memoranda.ids import IdSource
from memoranda.models.http_client import RetryPolicy
from memoranda.models.language.openai import OpenAIModel
from memoranda.models.language.prices import TokenRates
from memoranda.models.language.provider import ModelAccess
from memoranda.store.engine_selection import opened
from contract.clock import FixedClock
from memoranda.model_request import ModelRequest
from memoranda.costs.model import Purpose

given, url, limit = json.loads(sys.argv[1]), sys.argv[2], int(sys.argv[3])
word = {"type": "object", "properties": {"word": {"type": "string"}}, "required": ["word"]}
question = ModelRequest("name", "Name the word.", "the text", word, 100)
asked = OpenAIModel(ModelAccess("openai", "m", url, "k", RetryPolicy()))

def run(number):
    try:
        MeteredModel(asked, TokenRates("given", 1, 10), ledger, Purpose("local")).answer(question)
        return True
    except BudgetExhausted:
        return False

database = opened(load_settings(given, {}))
ledger = Ledger(database, FixedClock(), IdSource(SystemClock()), limit, 0.75)
print("ready", flush=True)
sys.stdin.readline()
with ThreadPoolExecutor(17) as pool:
    ends = list(pool.map(run, range(17)))
print(sum(ends), len(ends) - sum(ends))
asked.close()
database.close()
"""


@pytest.fixture
def database(engine: Settings) -> Iterator[Database]:
    with closing(opened(engine)) as found:
        yield found


def ledger(
    database: Database, limit: int = 10_000, share: float = 0.75, clock: FixedClock | None = None
) -> Ledger:
    clock = clock or FixedClock()
    return Ledger(database, clock, IdSource(clock), limit, share)


def reserved(book: Ledger, team: str = TEAM, **changes: Any) -> Reservation:
    return book.reserve(Purpose(team), replace(ONE, **changes))


def alerts(database: Database, team: str = TEAM) -> list[dict[str, Any]]:
    found = database.of(team).read(lambda tx: journal.listed(tx, team, operation="budget alert"))
    return [dict(entry.detail) for entry in found]


def spent(book: Ledger) -> bool:
    """Make a call at its reserved cost; return whether it alerts."""
    return book.settle(reserved(book), None).alert


class TestTheLedger:
    def test_an_unused_reservation_is_released(self, database: Database) -> None:
        book = ledger(database)
        reservation = reserved(book)
        assert book.status(TEAM).spent == 2_000
        assert book.settle(reservation, TokenUsage(500, 10, 100)).cost == 600
        status = book.status(TEAM)
        assert (status.spent, status.left, status.month) == (600, 9_400, "2025-06")
        book.release(reserved(book))
        assert book.status(TEAM).spent == 600

    def test_a_call_that_could_pass_the_limit_is_refused_and_counted(
        self, database: Database
    ) -> None:
        book = ledger(database, limit=3_999)
        reservation = reserved(book)
        with pytest.raises(BudgetExhausted) as caught:
            reserved(book)
        message = str(caught.value)
        assert "$0.003999" in message
        assert "$0.002" in message
        assert "memoranda budget set" in message
        status = book.status(TEAM)
        assert (status.spent, status.refused, status.refused_cost) == (2_000, 1, 2_000)
        assert "it could cost up to $0.002, $0.001999 left" in book.trouble(TEAM)
        book.settle(reservation, TokenUsage(0, 1))
        reserved(book)

    def test_refused_calls_are_counted_for_a_month_and_journaled_once(
        self, database: Database
    ) -> None:
        clock = FixedClock()
        book = ledger(database, limit=1_000, clock=clock)
        for tokens in (1_500, 9_000, 2_000):
            with pytest.raises(BudgetExhausted):
                reserved(book, bound=TokenUsage(tokens, 0))
        status = book.status(TEAM)
        assert (status.refused, status.refused_cost) == (3, 9_000)
        entries = database.read(lambda tx: journal.listed(tx, TEAM, operation="budget refusal"))
        assert [one.detail["cost"] for one in entries] == [1_500]
        assert book.trouble("other") == ""
        assert book.set_budget(TEAM, 10_000, None, "human").refused == 3
        assert book.trouble(TEAM) == ""
        clock.advance(30 * DAY)
        assert book.status(TEAM).refused == 0

    def test_a_call_may_use_the_last_of_it(self, database: Database) -> None:
        book = ledger(database, limit=4_000)
        for _ in range(2):
            book.settle(reserved(book), None)
        assert book.status(TEAM).left == 0
        with pytest.raises(BudgetExhausted):
            reserved(book, bound=TokenUsage(1, 0))
        reserved(book, price=FREE)

    def test_an_unsettled_call_counts_for_its_month(self, database: Database) -> None:
        clock = FixedClock()
        book = ledger(database, limit=3_000, clock=clock)
        reserved(book)
        clock.advance(3 * DAY)
        with pytest.raises(BudgetExhausted):
            reserved(book)
        clock.advance(30 * DAY)
        assert book.status(TEAM).month == "2025-07"
        reserved(book)
        (spent,) = book.spent(TEAM, "operation", "2025-06")
        assert (spent.open, spent.cost) == (1, 2_000)

    def test_a_call_belongs_to_the_month_in_which_it_began(self, database: Database) -> None:
        clock = FixedClock()
        book = ledger(database, clock=clock)
        reservation = reserved(book)
        clock.advance(30 * DAY)
        book.settle(reservation, TokenUsage(100, 0))
        assert book.status(TEAM).spent == 0
        assert book.spent(TEAM, "day")[0].name == "2025-06-15"

    def test_teams_have_a_bill_of_their_own(self, database: Database) -> None:
        book = ledger(database, limit=3_000)
        reserved(book)
        reservation = reserved(book, "other")
        assert book.spent("other", "operation")[0].calls == 1
        book.settle(reservation, TokenUsage(1, 1))
        assert book.status(TEAM).spent == 2_000

    def test_a_reservation_alone_raises_no_alert(self, database: Database) -> None:
        book = ledger(database)
        reservations = [reserved(book) for _ in range(5)]
        assert alerts(database) == []
        for one in reservations[:4]:
            book.release(one)
        assert not book.settle(reservations[4], None).alert
        assert alerts(database) == []

    def test_the_budget_alert_is_raised_once_a_month(self, database: Database) -> None:
        clock = FixedClock()
        book = ledger(database, clock=clock)
        totals = [spent(book) for _ in range(5)]
        assert totals == [False, False, False, True, False]
        assert alerts(database) == [{"month": "2025-06", "spent": 8_000, "limit": 10_000}]
        assert book.status(TEAM).alerted
        clock.advance(30 * DAY)
        assert not book.status(TEAM).alerted
        assert [spent(book) for _ in range(5)] == [False, False, False, True, False]
        assert len(alerts(database)) == 2

    def test_the_budget_alert_is_raised_once_for_concurrent_calls(self, database: Database) -> None:
        book = ledger(database, limit=100_000)
        with ThreadPoolExecutor(8) as pool:
            result = list(pool.map(lambda _: spent(book), range(45)))
        assert sum(result) == 1
        assert len(alerts(database)) == 1

    def test_a_team_can_have_a_limit_of_its_own(self, database: Database) -> None:
        book = ledger(database)
        status = book.set_budget(TEAM, 2_500, 0.5, "human")
        assert (status.limit, status.alert_share) == (2_500, 0.5)
        assert spent(book)
        with pytest.raises(BudgetExhausted):
            reserved(book)
        assert book.status("other").limit == 10_000
        assert book.set_budget(TEAM, None, None, "human").limit == 10_000
        entries = database.read(lambda tx: journal.listed(tx, TEAM, operation="set budget"))
        assert [entry.detail["limit"] for entry in entries] == [None, 2_500]

    @pytest.mark.parametrize(
        ("limit", "share"), [(-1, None), (10**16, None), (None, 0.0), (None, 1.1)]
    )
    def test_a_budget_that_is_none_is_refused(
        self, database: Database, limit: int | None, share: float | None
    ) -> None:
        with pytest.raises(InvalidInput):
            ledger(database).set_budget(TEAM, limit, share, "human")


def model(url: str, waiting: RetryPolicy | None = None) -> OpenAIModel:
    return OpenAIModel(
        ModelAccess("openai", "m", url, KEY, waiting or RetryPolicy(again_when_slow=False))
    )


def planted(database: Database) -> tuple[Task, list[str]]:
    records = Records()

    def work(tx: Transaction) -> tuple[Task, list[str]]:
        task = records.plant_task(tx)
        return task, [records.plant(tx, task, number, f"said {number}").id for number in (1, 2)]

    return database.write(work)


@pytest.mark.engines("sqlite")
class TestAMeteredModel:
    def test_an_answer_costs_what_the_provider_reports(self, database: Database) -> None:
        book = ledger(database, limit=DOLLAR)
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM, "critic"))
            reply = metered.answer(QUESTION)
        read, written = server.charged
        assert reply.cost == read + 10 * written == book.status(TEAM).spent
        (spent,) = book.spent(TEAM, "agent")
        assert (spent.name, spent.input_tokens, spent.output_tokens) == ("critic", read, written)
        assert spent.open == 0

    def test_no_request_is_sent_beyond_the_limit(self, database: Database) -> None:
        book = ledger(database, limit=100)
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM))
            with pytest.raises(BudgetExhausted):
                metered.answer(QUESTION)
        assert server.requests == []
        assert book.spent(TEAM, "model") == []

    def test_no_request_is_sent_without_a_known_price(self, database: Database) -> None:
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, None, ledger(database), Purpose(TEAM))
            with pytest.raises(ModelUnavailable, match=r"language_prices = 'm=0\.15/0\.60'"):
                metered.answer(QUESTION)
        assert server.requests == []

    @pytest.mark.parametrize(
        ("answer", "cost"),
        [
            (Answer(401, "no"), "nothing"),
            (Answer(429, "busy"), "nothing"),
            (Answer(200, completion("no data")), "what it took"),
            (Answer(200, completion('{"word"', finish_reason="length")), "what it took"),
            (Answer(200, "<html>"), "the most"),
            (Answer(200, "{}", {"Content-Length": "100"}), "the most"),
        ],
        ids=str,
    )
    def test_a_failure_costs_what_it_may_have_cost(
        self, database: Database, answer: Answer, cost: str
    ) -> None:
        book = ledger(database, limit=DOLLAR)
        with LanguageServer(answer) as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM))
            with pytest.raises((ModelUnavailable, ModelAnswerUnusable)):
                metered.answer(QUESTION)
            bound = PRICE.cost(model_client.bound(QUESTION))
        expected = {"nothing": 0, "what it took": 120 + 300, "the most": bound}
        assert book.status(TEAM).spent == expected[cost]
        assert sum(one.open for one in book.spent(TEAM, "operation")) == 0

    def test_each_attempt_is_accounted_separately(self, database: Database) -> None:
        book = ledger(database, limit=DOLLAR)
        waiting = RetryPolicy(tries=3, sleep=lambda _: None, again_when_slow=False)
        cut = Answer(200, "{}", {"Content-Length": "100"})
        with LanguageServer(cut, Answer(503, "")) as server:
            metered = MeteredModel(model(server.url, waiting), PRICE, book, Purpose(TEAM))
            with closing(PersistentModel(metered, waiting)) as model_client:
                reply = model_client.answer(QUESTION)
                bound = PRICE.cost(model_client.bound(QUESTION))
        assert len(server.requests) == 3
        assert book.status(TEAM).spent == bound + reply.cost
        assert book.spent(TEAM, "operation")[0].calls == 2

    def test_a_program_that_ends_in_between_leaves_its_reservation(
        self, database: Database
    ) -> None:
        class Ending(OpenAIModel):
            def answer(self, question: ModelRequest) -> Any:
                raise KeyboardInterrupt

        book = ledger(database, limit=DOLLAR)
        model_client = Ending(
            ModelAccess("openai", "m", "http://models.example", KEY, RetryPolicy())
        )
        with pytest.raises(KeyboardInterrupt):
            MeteredModel(model_client, PRICE, book, Purpose(TEAM)).answer(QUESTION)
        assert book.status(TEAM).spent == PRICE.cost(model_client.bound(QUESTION))
        assert book.spent(TEAM, "operation")[0].open == 1

    def test_the_same_question_about_a_task_is_sent_once(self, database: Database) -> None:
        task, _ = planted(database)
        book = ledger(database, limit=DOLLAR)
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM, task=task.id))
            first, second = metered.answer(QUESTION), metered.answer(QUESTION)
            assert (second.data, second.cost, second.remembered) == (first.data, 0, True)
            assert not first.remembered
            for changes in ({"text": "other"}, {"system": "other"}, {"max_tokens": 99}):
                assert not metered.answer(replace(QUESTION, **changes)).remembered
            bare = MeteredModel(model_client, PRICE, book, Purpose(TEAM))
            assert [bare.answer(QUESTION).remembered for _ in range(2)] == [False, False]
        assert len(server.requests) == 6

    def test_an_answer_goes_with_what_it_was_made_from(self, database: Database) -> None:
        task, (first, _) = planted(database)
        book = ledger(database, limit=DOLLAR)
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM, task=task.id))
            metered.answer(QUESTION)
            database.write(lambda tx: observations.delete(tx, TEAM, [first], START))
            assert not metered.answer(QUESTION).remembered
        assert book.spent(TEAM, "task")[0].calls == 2

    def test_an_answer_to_what_was_forgotten_meanwhile_is_not_kept(
        self, database: Database
    ) -> None:
        task, (first, _) = planted(database)
        book = ledger(database, limit=DOLLAR)

        def forget() -> None:
            database.write(lambda tx: observations.delete(tx, TEAM, [first], START))

        answer = Answer(200, completion('{"word": "said 1"}'), before=forget)
        with LanguageServer(answer) as server, closing(model(server.url)) as model_client:
            metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM, task=task.id))
            assert metered.answer(QUESTION).data == {"word": "said 1"}
            assert metered.answer(QUESTION).data == {"word": "done"}


class TestManyAtOnce:
    def test_two_hundred_calls_are_in_the_ledger_as_the_server_counts_them(
        self, database: Database
    ) -> None:
        book = ledger(database, limit=1_000 * DOLLAR)
        with (
            LanguageServer() as server,
            closing(model(server.url)) as model_client,
            ThreadPoolExecutor(16) as pool,
        ):

            def run(number: int) -> int:
                purpose = Purpose(TEAM, f"agent {number % 3}")
                metered = MeteredModel(model_client, PRICE, book, purpose)
                question = replace(QUESTION, text=f"text {number}", operation=f"{number % 2}")
                return metered.answer(question).cost

            costs = list(pool.map(run, range(200)))
        assert len(server.requests) == 200
        for by in ("agent", "operation", "model", "task", "day"):
            found = book.spent(TEAM, by)  # type: ignore[arg-type]
            assert sum(one.calls for one in found) == 200
            assert [
                sum(one.input_tokens for one in found),
                sum(one.output_tokens for one in found),
            ] == server.charged
        assert book.status(TEAM).spent == sum(costs) == server.charged[0] + 10 * server.charged[1]

    def test_fifty_in_flight_at_the_end_of_the_budget_do_not_pass_it(
        self, database: Database
    ) -> None:
        all_there = threading.Barrier(50, timeout=60)
        with LanguageServer() as server, closing(model(server.url)) as model_client:
            bound = PRICE.cost(model_client.bound(QUESTION))
            limit = 100 * bound
            book = ledger(database, limit=limit)
            spent = TokenUsage(99 * bound, 0)
            book.settle(reserved(book, bound=spent), spent)

            def run(_: int) -> str:
                metered = MeteredModel(model_client, PRICE, book, Purpose(TEAM))
                all_there.wait()
                try:
                    metered.answer(QUESTION)
                except BudgetExhausted:
                    return "refused"
                return "answered"

            with ThreadPoolExecutor(50) as pool:
                ends = list(pool.map(run, range(50)))
        charged = server.charged[0] + 10 * server.charged[1]
        assert ends.count("answered") >= 1
        assert ends.count("refused") >= 1
        assert book.status(TEAM).spent == 99 * bound + charged <= limit

    def test_processes_share_the_limit(self, engine: Settings) -> None:
        arguments = {"data_dir": str(engine.data_dir), "database_url": engine.database_url}
        arguments = {name: value for name, value in arguments.items() if value}
        with closing(opened(engine)) as database, LanguageServer() as server:
            with closing(model(server.url)) as model_client:
                bound = PRICE.cost(model_client.bound(QUESTION))
            limit = 40 * bound
            book = ledger(database, limit=limit)
            spent = TokenUsage(39 * bound, 0)
            book.settle(reserved(book, bound=spent), spent)
            children = [start(CHILD, json.dumps(arguments), server.url, limit) for _ in range(3)]
            for child in children:
                assert child.stdout is not None
                assert child.stdout.readline() == "ready\n"
            for child in children:
                assert child.stdin is not None
                child.stdin.write("go\n")
                child.stdin.flush()
            ends = [finish(child).split() for child in children]
            charged = server.charged[0] + 10 * server.charged[1]
            total = book.status(TEAM).spent
        counts = [sum(int(end[place]) for end in ends) for place in (0, 1)]
        assert sum(counts) == 51
        assert counts[0] == len(server.requests) >= 1
        assert counts[1] >= 1
        assert total == 39 * bound + charged <= limit
