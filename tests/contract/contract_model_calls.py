"""Contract of the store for model calls, their budget, and their answers."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from contract.clock import START
from contract.contract_transactions import together
from contract.records import Records
from memoranda.costs import answer_table as model_answers, table as model_calls
from memoranda.costs.model import Budget, CallState, CostTotal, ModelCall
from memoranda.costs.table import Heading
from memoranda.model_request import TokenUsage
from memoranda.observations import table as observations
from memoranda.store.database import Database, Transaction
from memoranda.tasks import table as tasks

TEAM = Records().team
MONTH = "2025-06"
DAY = 86_400_000_000


def model_call(records: Records, **changes: Any) -> ModelCall:
    """Make a running call."""
    made = ModelCall(
        team=records.team,
        id=records.ids.new(),
        operation="compress",
        provider="openai",
        model="small",
        agent=None,
        task=None,
        usage=TokenUsage(1_000, 100),
        measured=False,
        cost=70,
        price="listed",
        state=CallState.RESERVED,
        month=MONTH,
        created_at=START,
    )
    return replace(made, **changes)


def plant_call(tx: Transaction, records: Records, **changes: Any) -> ModelCall:
    """Store a call."""
    made = model_call(records, **changes)
    model_calls.insert(tx, made)
    return made


class ModelCallContract:
    """Costs stay, and answers are deleted with their source."""

    def test_a_call_counts_with_its_most_until_it_ends(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            one, two, three = (plant_call(tx, records) for _ in range(3))
            plant_call(tx, records, month="2025-07", cost=1_000)
            assert model_calls.total(tx, TEAM, MONTH) == 210
            assert model_calls.settle(tx, TEAM, one.id, TokenUsage(500, 20, 100), 30)
            assert model_calls.release(tx, TEAM, two.id)
            assert model_calls.total(tx, TEAM, MONTH) == 100
            (spent,) = model_calls.spent(tx, TEAM, "operation", MONTH)
            assert spent == CostTotal("compress", 2, 1_500, 120, 100, 100, 1)
            assert model_calls.settle(tx, TEAM, three.id, three.usage, 70, measured=False)
            assert model_calls.total(tx, TEAM, "2025-08") == 0

        database.write(work)

    def test_a_call_ends_once(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            call = plant_call(tx, Records())
            assert model_calls.settle(tx, TEAM, call.id, TokenUsage(1, 1), 5)
            assert not model_calls.settle(tx, TEAM, call.id, TokenUsage(9, 9), 9)
            assert not model_calls.release(tx, TEAM, call.id)
            assert model_calls.total(tx, TEAM, MONTH) == 5
            assert not model_calls.release(tx, TEAM, "none")

        database.write(work)

    @pytest.mark.parametrize(
        ("by", "names"),
        [
            ("operation", ["compress", "extract"]),
            ("agent", ["", "critic"]),
            ("task", ["", "t"]),
            ("model", ["anthropic:large", "openai:small"]),
            ("day", ["2025-06-15", "2025-06-16"]),
        ],
    )
    def test_calls_are_added_up_by_what_they_have_in_common(
        self, database: Database, by: Heading, names: list[str]
    ) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            plant_call(tx, records)
            plant_call(tx, records, cost=5)
            plant_call(tx, records, operation="extract", agent="critic", task="t",
                       provider="anthropic", model="large", created_at=START + DAY)  # fmt: skip
            gone = plant_call(tx, records, operation="never", agent="a", task="u", model="x")
            model_calls.release(tx, TEAM, gone.id)
            plant_call(tx, records, month="2025-07", created_at=START + 30 * DAY)
            found = model_calls.spent(tx, TEAM, by, MONTH)
            assert [(one.name, one.calls, one.cost) for one in found] in (
                [(names[0], 2, 75), (names[1], 1, 70)],
                [(names[0], 1, 70), (names[1], 2, 75)],
            )
            assert sum(one.cost for one in model_calls.spent(tx, TEAM, by)) == 215

        database.write(work)

    def test_the_largest_bill_is_added_up(self, database: Database) -> None:
        records = Records()

        def work(tx: Transaction) -> None:
            for _ in range(3):
                plant_call(tx, records, cost=1 << 50, usage=TokenUsage(1 << 50, 1 << 50, 1 << 50))
            assert model_calls.total(tx, TEAM, MONTH) == 3 << 50
            assert model_calls.spent(tx, TEAM, "model")[0].input_tokens == 3 << 50

        database.write(work)

    def test_a_budget_of_its_own_is_written_over(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            assert model_calls.budget(tx, TEAM) == Budget()
            model_calls.set_budget(tx, TEAM, 5_000_000, 0.5)
            assert model_calls.budget(tx, TEAM) == Budget(5_000_000, 0.5)
            model_calls.alert(tx, TEAM, MONTH)
            model_calls.set_budget(tx, TEAM, None, None)
            assert model_calls.budget(tx, TEAM) == Budget(None, None, MONTH)

        database.write(work)

    def test_a_month_is_noted_once(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            alerts = [model_calls.alert(tx, TEAM, month) for month in (MONTH, MONTH, "2025-07")]
            assert alerts == [True, False, True]

        database.write(work)

    def test_writers_at_once_miss_no_call(self, database: Database) -> None:
        seen: list[int] = []

        def run(number: int) -> None:
            records = Records(seed=100 + number)
            for _ in range(5):

                def work(tx: Transaction) -> int:
                    plant_call(tx, records, cost=1)
                    return model_calls.total(tx, TEAM, MONTH)

                seen.append(database.write(work))

        together(run, count=3)
        assert sorted(seen) == list(range(1, 16))

    def test_an_answer_is_kept_where_a_place_was_made(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            assert not model_answers.put(tx, TEAM, task.id, "h", "{}")
            model_answers.expect(tx, TEAM, task.id, "h", START)
            assert model_answers.find(tx, TEAM, task.id, "h") is None
            answer = '{"word":"\u6c49"}' * 100
            assert model_answers.put(tx, TEAM, task.id, "h", answer)
            assert not model_answers.put(tx, TEAM, task.id, "h", "other")
            model_answers.expect(tx, TEAM, task.id, "h", START)
            assert not model_answers.release(tx, TEAM, task.id, "h")
            assert model_answers.find(tx, TEAM, task.id, "h") == answer
            assert model_answers.find(tx, TEAM, "other", "h") is None

        database.write(work)

    def test_a_place_can_be_taken_back(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            task = Records().plant_task(tx)
            model_answers.expect(tx, TEAM, task.id, "h", START)
            assert model_answers.release(tx, TEAM, task.id, "h")
            assert not model_answers.put(tx, TEAM, task.id, "h", "{}")
            model_answers.expect(tx, TEAM, "nowhere", "h", START)
            assert not model_answers.put(tx, TEAM, "nowhere", "h", "{}")

        database.write(work)

    def test_an_answer_goes_with_anything_of_its_task(self, database: Database) -> None:
        def work(tx: Transaction) -> None:
            records = Records()
            task, other = records.plant_task(tx), records.plant_task(tx)
            seen = [records.plant(tx, task, n, f"text {n}").id for n in (1, 2)]
            for place in (task.id, other.id):
                model_answers.expect(tx, TEAM, place, "kept", START)
                model_answers.put(tx, TEAM, place, "kept", "{}")
                model_answers.expect(tx, TEAM, place, "awaited", START)
            plant_call(tx, records, task=task.id)
            observations.delete(tx, TEAM, seen[:1], START)
            assert model_answers.find(tx, TEAM, task.id, "kept") is None
            assert not model_answers.put(tx, TEAM, task.id, "awaited", "{}")
            assert model_answers.find(tx, TEAM, other.id, "kept") == "{}"
            tasks.delete(tx, TEAM, other.id)
            assert model_answers.find(tx, TEAM, other.id, "kept") is None
            assert model_calls.total(tx, TEAM, MONTH) == 70

        database.write(work)

    def test_only_so_many_answers_are_kept(
        self, database: Database, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(model_answers, "MAXIMUM", 3)
        task = database.write(Records().plant_task)

        def keep(tx: Transaction, number: int) -> None:
            model_answers.expect(tx, TEAM, task.id, f"h{number}", START + number)
            model_answers.put(tx, TEAM, task.id, f"h{number}", str(number))

        def work(tx: Transaction) -> None:
            for number in range(5):
                keep(tx, number)
            found = [model_answers.find(tx, TEAM, task.id, f"h{n}") for n in range(5)]
            assert found == [None, None, "2", "3", "4"]

        database.write(work)
