"""Unavailable services are reported; ratios out of range are refused."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from rpc_calls import Rpc
from starlette.testclient import TestClient

from memoranda import Memoranda
from memoranda.api.client.address import parsed
from memoranda.api.client.http_transport import HttpTransport
from memoranda.api.client.remote import connected
from memoranda.api.service import Service
from memoranda.cli import cli
from memoranda.config import Settings, load_settings
from memoranda.exceptions import InvalidInput
from memoranda.identity.principal import owner
from memoranda.models.language.last_failure import LastFailure
from memoranda.search.model import ContextBrief, SearchResult
from memoranda.upkeep.doctor import Finding
from rest_apps import rest_app
from rpc_servers import RpcServer, serving
from servers import free_port

pytestmark = pytest.mark.integration

SECRET = "hunter2"
NO_REDIS = "Redis does not answer; the store is used instead"
NOBODY = "compatible at 127.0.0.1 does not answer"
OUTSIDE = [1, 1.999, 0, -5, 20.001, 50, 1e9]


def lone(folder: Path, **arguments: Any) -> Settings:
    return load_settings({"data_dir": folder, "embedder": "none"} | arguments, {})


def of(found: list[Finding], check: str) -> Finding:
    (one,) = [one for one in found if one.check == check]
    return one


class Dead:
    """Results of a memory whose embedding server and Redis are closed ports."""

    def __init__(self, folder: Path) -> None:
        url = f"http://127.0.0.1:{free_port()}/v1"
        arguments = {"embedder": "compatible", "embedding_model": "m", "embedding_url": url}
        redis = f"redis://me:{SECRET}@127.0.0.1:{free_port()}/0"
        settings = lone(folder, **arguments, redis_url=redis)
        with closing(Memoranda.open(settings=settings, workspace="shop")) as memory:
            memory.observe("the parcel is late", task="one")
            memory.remember("parcels are late on Mondays")
            self.search: SearchResult = memory.search("late parcels")
            self.words: SearchResult = memory.search("late parcels", mode="words")
            self.context: ContextBrief = memory.context(query="late parcels")
            self.doctor: list[Finding] = list(memory.store.doctor())
            self.quick: list[Finding] = list(memory.store.doctor(quick=True))


@pytest.fixture(scope="module")
def dead(tmp_path_factory: pytest.TempPathFactory) -> Dead:
    return Dead(tmp_path_factory.mktemp("dead"))


def test_a_search_without_its_embedder_uses_words_and_reports_it(dead: Dead) -> None:
    assert dead.search.degraded
    assert NOBODY in dead.search.note
    assert NO_REDIS in dead.search.note
    assert dead.search.mode == "words"
    assert {hit.title for hit in dead.search.hits} == {
        "the parcel is late", "parcels are late on Mondays",
    }  # fmt: skip


def test_a_search_by_words_misses_nothing(dead: Dead) -> None:
    assert dead.words.note == NO_REDIS  # of which results are only slower
    assert [hit.id for hit in dead.words.hits] == [hit.id for hit in dead.search.hits]


def test_a_context_without_its_embedder_is_complete_and_reports_it(dead: Dead) -> None:
    assert dead.context.degraded
    assert NOBODY in dead.context.note
    assert NO_REDIS in dead.context.note
    assert "parcels are late on Mondays" in dead.context.text


def test_doctor_names_the_embedder_that_does_not_answer(dead: Dead) -> None:
    found = of(dead.doctor, "model")
    assert (found.verdict, found.fix) == ("failure", "until this is fixed, search uses text only")
    assert found.detail.startswith(NOBODY)
    assert "2 of them without a vector" in of(dead.doctor, "search").detail


@pytest.mark.parametrize("depth", ["doctor", "quick"])
def test_doctor_names_the_redis_that_does_not_answer(dead: Dead, depth: str) -> None:
    found = of(getattr(dead, depth), "redis")
    assert found.verdict == "warning"
    assert "Redis did not answer" in found.detail or "Redis does not answer" in found.detail
    assert "redis_url" in found.fix
    assert SECRET not in str(getattr(dead, depth))


def test_nothing_else_is_in_trouble(dead: Dead) -> None:
    trouble = {one.check for one in dead.doctor if one.verdict != "ok"}
    assert trouble - {"hooks"} == {"model", "redis"}


def test_a_language_model_that_does_not_answer_is_named(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}/v1"
    settings = lone(tmp_path, language_model="compatible:m", language_base_url=url)
    with closing(Memoranda.open(settings=settings, workspace="shop")) as memory:
        memory.remember("parcels are late on Mondays")
        found = of(memory.store.doctor(), "language model")
        assert found.verdict == "warning"
        assert "compatible at 127.0.0.1" in found.detail
        assert "does not answer" in found.detail
        assert not memory.search("late parcels").degraded  # it was not needed yet
        LastFailure(settings.data_dir, settings.language_model).keep("it does not answer")
        for result in (memory.search("late parcels"), memory.context(query="late parcels")):
            assert result.degraded
            assert "the language model compatible:m is not used: it does not answer" in result.note


def test_a_memory_without_an_embedder_is_not_degraded(tmp_path: Path) -> None:
    with closing(Memoranda.open(settings=lone(tmp_path), workspace="shop")) as memory:
        memory.remember("parcels are late on Mondays")
        found = memory.search("late parcels")
        assert (found.degraded, found.note, len(found.hits)) == (False, "", 1)
        assert not memory.context(query="late parcels").degraded
        assert not [one for one in memory.store.doctor() if one.check in ("model", "redis")]


@pytest.mark.parametrize("scheme", ["redis", "rediss"])
def test_working_memory_goes_on_beside_a_redis_that_is_away(tmp_path: Path, scheme: str) -> None:
    settings = lone(tmp_path, redis_url=f"{scheme}://127.0.0.1:{free_port()}/0")
    with closing(Memoranda.open(settings=settings, workspace="shop")) as memory:
        memory.observe("the port is 8443", task="till")
        memory.working.put("till", "port", "8443")
        assert memory.working.get("till", "port").value == "8443"
        assert of(list(memory.store.doctor(quick=True)), "redis").verdict == "warning"


def test_a_command_reports_it_to_a_person(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("MEMORANDA_REDIS_URL", f"redis://:{SECRET}@127.0.0.1:{free_port()}/0")
    (tmp_path / "spool").mkdir()
    output = CliRunner().invoke(cli, ["--data-dir", str(tmp_path), "doctor", "--quick"])
    line = next(line for line in output.stdout.splitlines() if "redis" in line)
    assert "does not answer" in line
    assert SECRET not in output.output


@pytest.fixture(scope="module")
def staged(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Service]:
    """Return a service with one stage of one task, named till."""
    with closing(Service(lone(tmp_path_factory.mktemp("staged")))) as service:
        payload = {"task": "till", "workspace": "shop"}
        service.call(owner(), "observe", {"content": "We begin.", **payload})
        service.call(owner(), "stages.set", {"task": "till", "name": "planning"})
        for number in range(8):
            text = f"Decided: till {number} rounds half up, by the penny, and prints the total."
            service.call(owner(), "observe", {"content": text, "type": "decision", **payload})
        service.call(owner(), "stages.complete", {"task": "till"})
        yield service


@pytest.mark.parametrize("ratio", OUTSIDE)
def test_a_ratio_out_of_range_is_refused_by_every_server_door(
    staged: Service, ratio: float
) -> None:
    before = Rpc(staged).call("memory.get_compression_metrics", task_id="till")
    with pytest.raises(InvalidInput, match="a ratio must be between 2 and 20, not "):
        staged.call(owner(), "stages.compress", {"task": "till", "ratio": ratio})
    error = Rpc(staged).error(
        "memory.adjust_compression", {"task_id": "till", "compression_ratio": ratio}
    )
    assert error["data"]["code"] == "invalid"
    assert "between 2 and 20" in error["message"]
    client = TestClient(rest_app(staged), headers={"authorization": "Bearer ada"})
    answer = client.post("/api/v1/tasks/till/stage/compress", json={"ratio": ratio})
    assert (answer.status_code, answer.json()["code"]) == (422, "invalid")
    assert Rpc(staged).call("memory.get_compression_metrics", task_id="till") == before


@pytest.mark.parametrize("ratio", ["lots", None, [], True, "nan"])
def test_what_is_no_ratio_is_refused(staged: Service, ratio: Any) -> None:
    payload = {"task_id": "till", "compression_ratio": ratio}
    assert Rpc(staged).error("memory.adjust_compression", payload)["code"] in (-32602, -32000)


@pytest.mark.parametrize("ratio", [2, 2.5, 20])
def test_a_ratio_in_range_makes_the_summary_again(staged: Service, ratio: float) -> None:
    payload = {"task_id": "till", "compression_ratio": ratio}
    made = Rpc(staged).call("memory.adjust_compression", **payload)
    assert made["metrics"]["compression_ratio"] > 1
    assert "half up" in str(made)


def test_ratios_are_refused_by_the_object_the_client_and_the_command(tmp_path: Path) -> None:
    with closing(Service(lone(tmp_path))) as service:
        rpc = RpcServer(service, lambda _: owner())
        with (
            serving(rpc),
            closing(connected(Memoranda, HttpTransport(parsed(rpc.url), "t"))) as far,
        ):
            far.observe("something", task="till", workspace="shop")
            for ratio in [*OUTSIDE, float("inf"), float("nan")]:
                with pytest.raises(InvalidInput):
                    far.stages.compress("till", ratio=ratio)
    with closing(Memoranda.open(settings=lone(tmp_path))) as memory:
        for ratio in [*OUTSIDE, float("inf"), float("nan"), float("-inf")]:
            with pytest.raises(InvalidInput, match="a ratio must be between 2 and 20"):
                memory.stages.compress("till", ratio=ratio)
    for ratio in ("1", "21", "nan", "lots"):
        words = ["--data-dir", str(tmp_path), "stage", "compress", "till", "--ratio", ratio]
        output = CliRunner().invoke(cli, words)
        assert output.exit_code == 2, (ratio, output.output)
