"""Capture: observed once, read in three layers, shown within a budget."""

from __future__ import annotations

import pytest

from contract.service_callers import SHOP, ServiceCase
from memoranda import Memoranda
from memoranda.exceptions import BudgetTooSmall, Conflict, InvalidInput, NotFound
from memoranda.json_data import JsonValue
from memoranda.memories.memory_service import NewMemory
from memoranda.observations.model import Observation, ObservationType

SECRET = "AKIA" + "IOSFODNN7" + "EXAMPLE"


class CaptureServiceContract(ServiceCase):
    def test_an_observation_is_read_back_in_three_layers(self, ada: Memoranda) -> None:
        seen = ada.observe(
            "Chose SQLite: one file.\nNo server.", type="decision", task="one", workspace=SHOP
        )
        assert isinstance(seen, Observation)
        assert seen.type is ObservationType.DECISION
        assert [entry.id for entry in ada.observations.index(task=seen.task)] == [seen.id]
        assert ada.observations.list(task=seen.task).items == (seen,)
        whole = ada.observations.show(seen.ref)
        assert (whole.observation.id, whole.content) == (
            seen.id,
            "Chose SQLite: one file.\nNo server.",
        )

    def test_the_same_key_is_stored_once(self, ada: Memoranda) -> None:
        first = ada.observe("built", task="one", workspace=SHOP, key="build-117")
        again = ada.observe("built", task="one", workspace=SHOP, key="build-117")
        assert again == first
        with pytest.raises(Conflict, match="other content"):
            ada.observe("built twice", task="one", workspace=SHOP, key="build-117")
        assert len(ada.observations.list(task=first.task)) == 1
        other = ada.observe("built", task="one", workspace=SHOP)
        assert other.id != first.id

    def test_a_timeline_shows_neighbours(self, ada: Memoranda) -> None:
        seen = [ada.observe(f"step {n}", task="one", workspace=SHOP) for n in range(7)]
        around = ada.observations.timeline(seen[3].id, before=2, after=1)
        assert [entry.id for entry in around] == [one.id for one in seen[1:5]]

    def test_input_of_a_tool_is_kept_as_it_came(self, ada: Memoranda) -> None:
        arguments: dict[str, JsonValue] = {"created_at": 5, "nested": [None, True, 1.5, "ü"]}
        seen = ada.observe("done", task="one", workspace=SHOP, tool="Bash", input=arguments)
        assert "created_at" in ada.observations.show(seen.id).content
        assert "1970" not in ada.observations.show(seen.id).content

    def test_secrets_are_taken_out_on_the_way_in(self, ada: Memoranda) -> None:
        seen = ada.observe(f"the key is {SECRET}", task="one", workspace=SHOP)
        assert seen.redactions == 1
        assert SECRET not in ada.observations.show(seen.id).content

    def test_a_context_keeps_its_budget_and_every_critical_fact(self, ada: Memoranda) -> None:
        fact = "Never edit tariffs/2026.csv by hand."
        ada.remember(NewMemory(fact, critical=True), workspace=SHOP)
        for number in range(20):
            ada.observe(f"step {number} of many " * 20, task="one", workspace=SHOP)
        brief = ada.context(workspace=SHOP, budget=600)
        assert brief.tokens <= 600
        assert fact in brief.text
        with pytest.raises(BudgetTooSmall) as caught:
            ada.context(workspace=SHOP, budget=1)
        assert caught.value.needed > 1
        enough = caught.value.needed + 200  # the reported progress may grow meanwhile
        assert ada.context(workspace=SHOP, budget=enough).tokens <= enough

    def test_tasks_and_workspaces_are_listed(self, ada: Memoranda) -> None:
        tasks = {ada.observe("begin", task=name, workspace=SHOP).task for name in ("a", "b", "c")}
        assert {one.id for one in ada.tasks.list(workspace=SHOP)} == tasks
        first = ada.tasks.list(workspace=SHOP, limit=2)
        rest = ada.tasks.list(workspace=SHOP, limit=2, cursor=first.cursor)
        assert {one.id for one in (*first, *rest)} == tasks
        assert [place.name for place in ada.workspaces.list()] == [SHOP]

    def test_working_memory_round_trips_json(self, ada: Memoranda) -> None:
        task = ada.observe("begin", task="one", workspace=SHOP).task
        value = {"created_at": 5, "list": [1, None, "ü"], "deep": {"a": {"b": []}}}
        ada.working.put(task, "plan", value)
        assert ada.working.get(task, "plan").value == value
        assert ada.working.delete(task, "plan") is True
        assert ada.working.delete(task, "plan") is False
        with pytest.raises(NotFound):
            ada.working.get(task, "plan")

    def test_a_recorded_error_is_closed_by_its_resolution(self, ada: Memoranda) -> None:
        error = ada.errors.record("the build fails", type="build", workspace=SHOP)
        assert [one.id for one in ada.errors.list(workspace=SHOP)] == [error.id]
        assert ada.errors.resolve(error.id, "cleared the cache").recovery == "cleared the cache"
        assert ada.resolve(error.id) == error.observation

    def test_what_cannot_be_observed_is_refused_as_bad_input(self, ada: Memoranda) -> None:
        with pytest.raises(InvalidInput):
            ada.observe("   ", task="one", workspace=SHOP)
        with pytest.raises(InvalidInput):
            ada.observe("x", type="nonsense", task="one", workspace=SHOP)
        with pytest.raises(InvalidInput):
            ada.observe("x", task="one", workspace="all")
        with pytest.raises(NotFound):
            ada.observations.show("99#99")
        with pytest.raises(NotFound):
            ada.search("x", workspace="nowhere")
