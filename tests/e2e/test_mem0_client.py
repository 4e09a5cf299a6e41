"""A program that was written for mem0 runs against our server: its own client, a real process."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import httpx
import pytest

from serving import Served

pytestmark = pytest.mark.timeout(180)
ADA, BOB = {"user_id": "ada"}, {"user_id": "bob"}


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    server = Served(tmp_path_factory.mktemp("mem0") / "data")
    yield server
    server.stop()


@pytest.fixture
def client(served: Served) -> Iterator[Any]:
    from mem0 import MemoryClient

    made = MemoryClient(api_key=served.token, host=f"http://127.0.0.1:{served.port}/mem0")
    yield made
    made.client.close()


@pytest.fixture
def plain(served: Served) -> Iterator[httpx.Client]:
    """A program that calls the routes of the open-source server."""
    headers = {"X-API-Key": served.token}
    with httpx.Client(base_url=f"http://127.0.0.1:{served.port}/mem0", headers=headers) as client:
        yield client


def _texts(found: Any) -> list[str]:
    return [one["memory"] for one in found["results"]]


def test_a_session_of_its_client(client: Any) -> None:
    talk = [
        {"role": "user", "content": "I like oolong tea"},
        {"role": "assistant", "content": "Noted."},
        {"role": "user", "content": "I work at night"},
    ]
    made = client.add(talk, filters=ADA, metadata={"topic": "habits"})["results"]
    assert [(one["memory"], one["event"]) for one in made] == [
        ("I like oolong tea", "ADD"),
        ("I work at night", "ADD"),
    ]
    client.add("I like oolong tea", filters=BOB)

    tea = client.get(made[0]["id"])
    assert (tea["memory"], tea["user_id"]) == ("I like oolong tea", "ada")
    assert tea["metadata"] == {"topic": "habits"}
    assert _texts(client.get_all(filters=ADA)) == ["I work at night", "I like oolong tea"]
    assert _texts(client.get_all(filters=BOB)) == ["I like oolong tea"]
    found = client.search("which tea", filters=ADA)["results"]
    assert (found[0]["memory"], found[0]["user_id"]) == ("I like oolong tea", "ada")
    assert 0 < found[0]["score"] <= 1
    assert {one["user_id"] for one in found} == {"ada"}

    client.update(tea["id"], text="I like green tea", metadata={"topic": "drinks"})
    assert client.get(tea["id"])["metadata"] == {"topic": "drinks"}
    client.update(tea["id"], metadata={"priority": "low"})  # what it does not name stays
    assert client.get(tea["id"])["metadata"] == {"topic": "drinks", "priority": "low"}
    history = client.history(tea["id"])
    assert [(one["event"], one["old_memory"], one["new_memory"]) for one in history] == [
        ("ADD", None, "I like oolong tea"),
        ("UPDATE", "I like oolong tea", "I like green tea"),
    ]

    client.batch_update([{"memory_id": made[1]["id"], "text": "I work by day"}])
    assert client.get(made[1]["id"])["memory"] == "I work by day"
    people = {
        (one["type"], one["name"]): one["total_memories"] for one in client.users()["results"]
    }
    assert (people["user", "ada"], people["user", "bob"]) == (2, 1)

    client.delete(tea["id"])
    assert client.history(tea["id"])[-1]["event"] == "DELETE"
    client.batch_delete([{"memory_id": made[1]["id"]}])
    assert _texts(client.get_all(filters=ADA)) == []
    client.delete_users(user_id="bob")
    assert _texts(client.get_all(filters=BOB)) == []


def test_its_filters_are_heeded(client: Any) -> None:
    for number in range(5):
        owner = {"user_id": "cy", "run_id": f"r{number % 2}"}
        client.add(f"note number {number}", filters=owner, metadata={"n": number}, infer=False)
    every = {"user_id": "cy"}
    ours = [f"note number {number}" for number in (4, 3, 2, 1, 0)]
    assert _texts(client.get_all(filters=every)) == ours
    assert _texts(client.get_all(filters={"AND": [every, {"run_id": "r1"}]})) == [ours[1], ours[3]]
    either = {"AND": [every, {"OR": [{"metadata": {"n": 0}}, {"metadata": {"n": 4}}]}]}
    assert _texts(client.get_all(filters=either)) == [ours[0], ours[4]]
    later = {"AND": [every, {"created_at": {"gte": "2000-01-01"}}, {"NOT": [{"run_id": "r0"}]}]}
    assert _texts(client.get_all(filters=later)) == [ours[1], ours[3]]
    assert _texts(client.get_all(filters={"user_id": {"in": ["cy", "di"]}})) == ours
    assert _texts(
        client.get_all(filters={"AND": [every, {"keywords": {"icontains": "NUMBER 2"}}]})
    ) == [ours[2]]
    page = client.get_all(filters=every, page=2, page_size=2)
    assert (page["count"], _texts(page)) == (5, ours[2:4])
    assert (page["previous"] is not None, page["next"] is not None) == (True, True)


def test_errors_have_the_form_that_the_client_expects(client: Any, served: Served) -> None:
    from mem0 import MemoryClient
    from mem0.exceptions import MemoryNotFoundError, ValidationError

    absent = "00000000-0000-7000-8000-000000000000"
    for call in (client.get, client.history, client.delete):
        with pytest.raises(MemoryNotFoundError):
            call(absent)
    kept = client.add("kept", filters={"user_id": "eve"})["results"][0]["id"]
    with pytest.raises(MemoryNotFoundError):
        client.batch_delete([{"memory_id": kept}, {"memory_id": absent}])
    assert client.get(kept)["memory"] == "kept"
    wrong: list[Any] = [
        lambda: client.get_all(filters={"colour": "red"}),
        lambda: client.get_all(filters={"user_id": {"near": "eve"}}),
        lambda: client.add("whose?"),
        lambda: client.get_all(filters={"metadata": {"n": {"gt": [1]}}}),
        lambda: client.get("no-uuid"),
        lambda: client.update(kept, expiration_date="soon"),
        lambda: client.delete_all(),
        lambda: client.search("x", filters={"AND": [{"NOT": "x"}]}),
    ]
    for ask in wrong:
        with pytest.raises(ValidationError):
            ask()
    host = f"http://127.0.0.1:{served.port}/mem0"
    with httpx.Client() as line, pytest.raises(ValueError, match="key"):
        MemoryClient(api_key="wrong", host=host, client=line)


def test_the_routes_of_the_open_source_server(plain: httpx.Client) -> None:
    messages = [{"role": "user", "content": "Prices are in cents"}]
    made = plain.post("/memories", json={"messages": messages, "user_id": "flo"}).json()["results"]
    id = made[0]["id"]
    assert _texts(plain.get("/memories", params={"user_id": "flo"}).json()) == [
        "Prices are in cents"
    ]
    assert plain.get(f"/memories/{id}").json()["user_id"] == "flo"
    found = plain.post("/search", json={"query": "cents", "user_id": "flo"}).json()
    assert _texts(found) == ["Prices are in cents"]
    assert _texts(plain.post("/search", json={"query": "cents", "filters": BOB}).json()) == []
    assert plain.put(f"/memories/{id}", json={"text": "Prices are in euros"}).status_code == 200
    events = [one["event"] for one in plain.get(f"/memories/{id}/history").json()]
    assert events == ["ADD", "UPDATE"]
    assert plain.post("/reset", json={}).status_code == 422
    assert plain.delete("/memories").status_code == 422
    assert plain.delete(f"/memories/{id}").status_code == 200
    assert plain.get(f"/memories/{id}").status_code == 404
    assert (
        plain.get("/memories", params={"user_id": "flo"}, headers={"X-API-Key": "no"}).status_code
        == 401
    )


def test_metadata_come_back_as_they_were_and_numbers_compare_as_numbers(client: Any) -> None:
    gil = {"user_id": "gil"}
    metadata: dict[str, Any] = {f"field {number}": number for number in range(30)}
    metadata |= {"rank": 9, "share": 0.5, "done": False, "of": {"deep": [1, None]}, "x": "x" * 500}
    kept = client.add("all of it", filters=gil, metadata=metadata)["results"][0]["id"]
    assert client.get(kept)["metadata"] == metadata
    for rank in (3, 10, 25):
        client.add(f"rank {rank}", filters=gil, metadata={"rank": rank})

    def ranks(test: Any) -> set[int]:
        found = client.get_all(filters={"AND": [gil, {"metadata": {"rank": test}}]})["results"]
        return {one["metadata"]["rank"] for one in found}

    assert ranks({"gte": 10}) == {10, 25}
    assert ranks({"gt": 9}) == {10, 25}
    assert ranks({"lt": 25}) == {3, 9, 10}
    assert ranks({"lte": "3"}) == {3}
    assert ranks(10.0) == {10}
    assert ranks({"ne": 3}) == {9, 10, 25}
    found = client.search("rank", filters={"AND": [gil, {"metadata": {"rank": {"gt": 20}}}]})
    assert _texts(found) == ["rank 25"]
    client.add("rank 3", filters=gil, metadata={"note": "again"})
    assert len(client.get_all(filters=gil)["results"]) == 4
    again = client.get_all(filters={"AND": [gil, {"metadata": {"note": "again"}}]})["results"]
    assert again[0]["metadata"] == {"rank": 3, "note": "again"}


def test_memories_are_found_by_each_of_their_owners(client: Any) -> None:
    long = "tenant/" + "é" * 200
    both = {"user_id": "hal", "agent_id": "coach"}
    client.add("Runs on Sundays", filters=both)
    client.add("Runs on Sundays", filters={"user_id": "hal", "agent_id": "cook"})
    client.add("Long names are kept", filters={"agent_id": long, "run_id": "r/1"})
    for owner in ({"agent_id": "coach"}, {"agent_id": "cook"}, {"user_id": "hal"}, both):
        assert _texts(client.get_all(filters=owner)) == ["Runs on Sundays"], owner
        assert _texts(client.search("Sundays", filters=owner)) == ["Runs on Sundays"], owner
    (kept,) = client.get_all(filters={"agent_id": long})["results"]
    assert (kept["agent_id"], kept["run_id"]) == (long, "r/1")
    assert {"type": "agent", "name": long, "id": f"agent:{long}", "total_memories": 1} in (
        client.users()["results"]
    )
    client.delete_users(run_id="r/1")
    assert _texts(client.get_all(filters={"agent_id": long})) == []
    client.delete_all(agent_id="coach")
    assert _texts(client.get_all(filters={"user_id": "hal"})) == []
    client.add("Once more", filters={"user_id": "hal"})
    client.delete_all(filters={"user_id": "hal"})
    assert _texts(client.get_all(filters={"user_id": "hal"})) == []


def test_every_memory_of_a_kind_of_owner_is_deleted_by_a_star(client: Any) -> None:
    for name in ("ida", "jon"):
        client.add(f"{name} likes tea", filters={"app_id": name})
    client.add("stays", filters={"user_id": "kim"})
    client.delete_all(app_id="*")
    assert _texts(client.get_all(filters={"app_id": {"in": ["ida", "jon"]}})) == []
    assert _texts(client.get_all(filters={"user_id": "kim"})) == ["stays"]


def test_expired_memories_are_shown_on_request_and_the_date_can_be_cleared(client: Any) -> None:
    lea = {"user_id": "lea"}
    made = client.add("Parking is free", filters=lea, expiration_date="2020-01-31")
    assert made["status"] == "SUCCEEDED"
    assert made["event_id"]
    id = made["results"][0]["id"]
    assert _texts(client.get_all(filters=lea)) == []
    assert _texts(client.get_all(filters=lea, show_expired=True)) == ["Parking is free"]
    assert _texts(client.search("parking", filters=lea)) == []
    assert _texts(client.search("parking", filters=lea, show_expired=True)) == ["Parking is free"]
    client.update(id, expiration_date=None)
    assert client.get(id)["expiration_date"] is None
    assert _texts(client.get_all(filters=lea)) == ["Parking is free"]


def test_times_and_fields_narrow_what_is_returned(client: Any) -> None:
    mia = {"user_id": "mia"}
    client.add("In spring", filters=mia, timestamp=1_745_000_000)
    client.add("In autumn", filters=mia, timestamp=1_760_000_000)
    assert _texts(client.get_all(filters=mia, end_date="2025-04-18")) == ["In spring"]
    assert _texts(client.get_all(filters=mia, start_date="2025-10-09")) == ["In autumn"]
    (found,) = client.search("autumn", filters=mia, fields=["memory"])["results"]
    assert set(found) == {"id", "memory"}


def test_a_question_about_everything_finds_everything(client: Any) -> None:
    nia = {"user_id": "nia"}
    for text in ("I like oolong tea", "I work as a nurse in Lyon"):
        client.add(text, filters=nia)
    english = ("What do you know about me?", "Tell me about the user")
    for question in (*english, "Was weißt du über mich?", "Que sais-tu de moi ?", "你知道我什么?"):
        assert len(client.search(question, filters=nia)["results"]) == 2, question
    assert _texts(client.search("quantum chromodynamics", filters=nia)) == []


def test_a_batch_of_updates_is_done_whole_or_not_at_all(client: Any) -> None:
    from mem0.exceptions import MemoryNotFoundError

    kept = client.add("before", filters={"user_id": "oda"})["results"][0]["id"]
    absent = "00000000-0000-7000-8000-000000000000"
    with pytest.raises(MemoryNotFoundError):
        client.batch_update(
            [{"memory_id": kept, "text": "after"}, {"memory_id": absent, "text": "x"}]
        )
    assert client.get(kept)["memory"] == "before"


def test_a_batch_with_one_that_is_no_object_is_refused(plain: httpx.Client, client: Any) -> None:
    kept = client.add("before", filters={"user_id": "olu"})["results"][0]["id"]
    body = {"memories": [{"memory_id": kept, "text": "after"}, "x"]}
    assert plain.request("PUT", "/v1/batch/", json=body).status_code == 422
    assert client.get(kept)["memory"] == "before"
