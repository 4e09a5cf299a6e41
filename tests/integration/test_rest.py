"""Operations as resources over HTTP, on real stores."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from contextlib import closing
from dataclasses import replace
from typing import Any

import httpx
import pytest
from starlette.testclient import TestClient

from memoranda.api.rest.openapi import document
from memoranda.api.rest.router import PREFIX
from memoranda.api.rest.routes import routes
from memoranda.api.service import Service
from memoranda.config import Settings
from memoranda.identity.principal import Role
from memoranda.memory import Memoranda
from memoranda.operations import OPERATIONS
from rest_apps import TOKENS, rest_app
from tables import each

pytestmark = [pytest.mark.integration, pytest.mark.engines("sqlite")]
Ask = Callable[..., httpx.Response]


def asking(service: Service) -> Ask:
    """Return a client of a service, as Ada by default."""
    client = TestClient(rest_app(service), raise_server_exceptions=True)

    def ask(method: str, path: str, who: str = "ada", **value: Any) -> httpx.Response:
        headers = {"Authorization": f"Bearer {who}", **value.pop("headers", {})}
        found: httpx.Response = client.request(method, f"{PREFIX}{path}", headers=headers, **value)
        return found

    return ask


@pytest.fixture
def service(engine: Settings) -> Iterator[Service]:
    with closing(Service(replace(engine, embedder="none"))) as opened:
        yield opened


@pytest.fixture
def ask(service: Service) -> Ask:
    return asking(service)


def made(ask: Ask, statement: str = "Prices are net.", who: str = "ada") -> Any:
    """Store a memory."""
    answer = ask("POST", "/memories", who, json={"statement": statement, "workspace": "shop"})
    assert answer.status_code == 201, answer.text
    return answer.json()


def code(answer: httpx.Response) -> tuple[int, str]:
    """Return the code of a refusal, which always has the same form."""
    assert answer.headers["content-type"] == "application/problem+json"
    response = answer.json()
    assert response["status"] == answer.status_code
    assert response["request_id"] == "test"
    assert response["detail"]
    return answer.status_code, response["code"]


def test_a_memory_is_made_found_changed_and_its_history_shown(ask: Ask) -> None:
    memory = made(ask)
    assert ask("GET", f"/memories/{memory['id']}").json()["memory"]["content"] == "Prices are net."
    (hit,) = ask("GET", "/search?query=prices&kinds=memory").json()["hits"]
    assert hit["id"] == memory["id"]
    where = {"kinds": ["memory"], "categories": ["insight"]}
    posted = ask("POST", "/search", json={"query": "prices", "where": where})
    assert [one["id"] for one in posted.json()["hits"]] == [memory["id"]]
    edit = {"edit": {"content": "Prices are gross."}, "reason": "asked"}
    assert ask("PATCH", f"/memories/{memory['id']}", json=edit).status_code == 200
    versions = ask("GET", f"/memories/{memory['id']}/history").json()["items"]
    assert [one["reason"] for one in versions] == ["asked"]


@pytest.mark.engines("sqlite", "postgres")
def test_a_task_is_worked_on_by_its_paths(ask: Ask) -> None:
    seen = ask("POST", "/observations", json={"content": "began", "task": "one"}).json()
    task = seen["task"]
    first = ask("POST", f"/tasks/{task}/checkpoints", json={"phase": "coding"})
    assert (first.status_code, first.json()["sequence"]) == (201, 1)
    for number in range(5):
        ask("POST", "/observations", json={"content": f"step {number}", "task": "one"})
    page = ask("GET", f"/tasks/{task}/checkpoints/1/replay?limit=2")
    assert [one["summary"] for one in page.json()["items"]] == ["step 0", "step 1"]
    (following,) = page.headers.get_list("link")
    assert following.endswith('; rel="next"')
    after = ask("GET", following.partition(">")[0].removeprefix(f"<{PREFIX}"))
    assert [one["summary"] for one in after.json()["items"]] == ["step 2", "step 3"]
    put = ask("PUT", f"/tasks/{task}/working/a/b c", json={"value": [1, {"x": None}]})
    assert put.status_code == 200
    assert ask("GET", f"/tasks/{task}/working/a%2Fb%20c").json()["value"] == [1, {"x": None}]
    assert ask("DELETE", f"/tasks/{task}/working/a/b c").json() is True
    assert code(ask("GET", f"/tasks/{task}/working/a/b c")) == (404, "not_found")


@pytest.mark.engines("sqlite", "postgres")
def test_a_list_is_walked_by_its_links(ask: Ask) -> None:
    ids = {made(ask, f"Fact {number} holds.")["id"] for number in range(5)}
    path, seen = "/memories?limit=2&workspace=shop", list[str]()
    while path:
        answer = ask("GET", path)
        seen += [one["id"] for one in answer.json()["items"]]
        path = answer.headers.get("link", "").partition(">")[0].removeprefix(f"<{PREFIX}")
    assert len(seen) == 5
    assert set(seen) == ids


def test_a_block_is_changed_only_in_the_version_that_was_read(ask: Ask) -> None:
    ask("POST", "/blocks", json={"block": {"label": "plan", "value": "one"}})
    shown = ask("GET", "/blocks/plan")
    tag = shown.headers["etag"]
    assert ask("GET", "/blocks/plan", headers={"If-None-Match": tag}).status_code == 304
    assert ask("GET", "/blocks/plan", headers={"If-None-Match": '"9", *'}).status_code == 422
    change = {"json": {"text": "two"}, "headers": {"If-Match": tag}}
    assert ask("PUT", "/blocks/plan/value", **change).status_code == 200
    again = {"json": {"text": "three"}, "headers": {"If-Match": tag}}
    assert code(ask("PUT", "/blocks/plan/value", **again)) == (412, "stale")
    assert ask("GET", "/blocks/plan").json()["value"] == "two"
    assert ask("GET", "/blocks/plan", headers={"If-None-Match": tag}).status_code == 200
    assert code(ask("DELETE", "/blocks/plan", headers={"If-Match": tag})) == (412, "stale")
    weak = {"If-Match": 'W/"2"'}
    assert code(ask("DELETE", "/blocks/plan", headers=weak)) == (412, "stale")
    assert ask("DELETE", "/blocks/plan", headers={"If-Match": '"7", "2"'}).status_code == 200


def test_a_memory_is_changed_only_as_it_was_shown(ask: Ask) -> None:
    path = f"/memories/{made(ask)['id']}"
    tag = ask("GET", path).headers["etag"]
    body = {"edit": {"content": "Prices are gross."}}
    for header, status in ((tag, 200), (tag, 412), ("*", 200)):
        answer = ask("PATCH", path, json=body, headers={"If-Match": header})
        assert answer.status_code == status, header
        body = {"edit": {"content": f"Prices are as {header} says."}}
    gone = ask("PATCH", "/memories/none", json=body, headers={"If-Match": "*"})
    assert code(gone) == (404, "not_found")


def test_a_proposal_is_approved_as_it_was_shown_and_never_by_an_agent(ask: Ask) -> None:
    made(ask, who="bot")
    (proposal,) = ask("GET", "/proposals").json()["items"]
    path = f"/proposals/{proposal['id']}"
    tag = ask("GET", path).headers["etag"]
    assert code(ask("POST", f"{path}/approve", "bot", json={"shown": tag})) == (403, "forbidden")
    wrong = {"If-Match": f'"{"0" * 64}"'}
    assert code(ask("POST", f"{path}/approve", json={}, headers=wrong)) == (412, "stale")
    assert code(ask("POST", f"{path}/approve", json={})) == (422, "invalid")
    right = ask("POST", f"{path}/approve", json={}, headers={"If-Match": tag})
    assert (right.status_code, right.json()["status"]) == (200, "approved")


@each(
    ("method", "path", "arguments", "expected"),
    [
        ("GET", "/memories/none", {}, (404, "not_found")),
        ("GET", "/nonesuch", {}, (404, "not_found")),
        ("GET", "/search", {}, (422, "invalid")),
        ("GET", "/search?query=x&limit=0", {}, (422, "invalid")),
        ("GET", "/search?query=x&mode=nonesuch", {}, (422, "invalid")),
        ("GET", "/stats?nonesuch=1", {}, (422, "invalid")),
        ("GET", "/stats", {"headers": {"If-Match": "*"}}, (422, "invalid")),
        ("POST", "/memories", {"content": b"{"}, (422, "invalid")),
        ("POST", "/observations", {"content": b'{"content":"a","content":"b"}'}, (422, "invalid")),
        (
            "POST",
            "/documents",
            {"content": b'{"new":{"key":"k","value":{"a":1,"a":2}}}'},
            (422, "invalid"),
        ),
        ("PUT", "/tasks/1/working/n", {"content": b'{"value": [NaN]}'}, (422, "invalid")),
        ("PUT", "/tasks/1/working/n", {"content": b'{"value": 1e400}'}, (422, "invalid")),
        ("PUT", "/budget", {"json": {}}, (422, "invalid")),
        ("PUT", "/budget", {"json": {"alert_share": 0.5}}, (422, "invalid")),
        ("POST", "/approval-rules", {"json": {}}, (422, "invalid")),
        ("POST", "/memories", {"json": {"statement": 1}}, (422, "invalid")),
        ("POST", "/memories", {"json": {}, "headers": {"If-Match": "*"}}, (422, "invalid")),
        ("DELETE", "/stats", {}, (405, "user_error")),
        ("GET", "/context?budget=1", {}, (422, "invalid")),
    ],
)
def test_an_impossible_call_is_reported_as_a_problem(
    method: str, path: str, arguments: dict[str, Any], expected: tuple[int, str], ask: Ask
) -> None:
    answer = ask(method, path, **arguments)
    assert code(answer)[0] == expected[0]
    assert code(answer)[1] in (expected[1], "budget_too_small")


@each("name", ["a\r\nb", "a\0b", "\u202eevil", "a\u2066b", "../../etc", "a/.."])
def test_a_new_name_shows_what_it_is(name: str, ask: Ask) -> None:
    for path, body in (
        ("/observations", {"content": "x", "workspace": name}),
        ("/observations", {"content": "x", "task": name}),
        ("/tasks", {"name": name}),
        ("/memories", {"statement": "Prices are net.", "workspace": name}),
    ):
        assert code(ask("POST", path, json=body)) == (422, "invalid"), (path, body)
    assert ask("GET", "/workspaces").json()["items"] == []


def test_no_label_and_no_error_has_a_secret(ask: Ask) -> None:
    secret = "ghp_" + "0123456789abcdefABCDEF0123456789abcd"
    label = ask("POST", "/blocks", json={"block": {"label": secret, "value": "x"}})
    missing = ask("GET", f"/memories/{secret}")
    assert (code(label), code(missing)) == ((422, "invalid"), (404, "not_found"))
    assert secret not in label.text + missing.text


def test_a_repeated_key_with_other_content_is_a_conflict(ask: Ask) -> None:
    body = {"content": "built", "task": "one", "key": "build-117"}
    first, again = (ask("POST", "/observations", json=body) for _ in range(2))
    assert (first.status_code, first.json()) == (201, again.json())
    other = ask("POST", "/observations", json={**body, "content": "built twice"})
    assert code(other) == (409, "conflict")


def test_an_unauthorised_caller_is_refused_whatever_else_is_wrong(ask: Ask) -> None:
    """Every route refuses by the table of access before it reads arguments."""
    for route in routes():
        path = route.template.replace("{", "").replace("}", "")
        for who in ("eye", "bot", "mia", "rev"):
            if TOKENS[who].role in route.operation.roles:
                continue
            body = {} if route.in_query else {"content": b"{"}
            query = "?nonesuch=1" if route.in_query else ""
            answer = ask(route.method, f"{path}{query}", who, **body)
            assert code(answer) == (403, "forbidden"), (route.id, who)


def test_nobody_gets_in_without_a_token(ask: Ask) -> None:
    for route in routes():
        path = route.template.replace("{", "").replace("}", "")
        assert code(ask(route.method, path, "nobody")) == (401, "unauthenticated")
    assert ask("GET", "/openapi.json", "nobody").status_code == 401
    assert ask("GET", "/openapi.json", "eye").json()["openapi"] == "3.1.0"


@pytest.mark.engines("sqlite", "postgres")
def test_absent_and_foreign_records_are_indistinguishable(ask: Ask) -> None:
    memory = made(ask)["id"]
    block = ask("POST", "/blocks", json={"block": {"label": "plan", "value": "one"}}).json()["id"]
    task = ask("POST", "/observations", json={"content": "began", "task": "t"}).json()["task"]
    for path, id in (("/memories/{}", memory), ("/blocks/{}", block), ("/tasks/{}", task)):
        foreign = ask("GET", path.format(id), "eve")
        other = id[:-4] + "0000"
        absent = ask("GET", path.format(other), "eve")
        assert code(foreign) == (404, "not_found")
        assert foreign.json()["detail"].replace(id, "X") == absent.json()["detail"].replace(
            other, "X"
        )
    assert ask("GET", "/memories", "eve").json()["items"] == []


def test_every_plain_listing_can_be_read_by_an_admin(ask: Ask) -> None:
    made(ask)
    ask("POST", "/observations", json={"content": "began", "task": "one"})
    for route in routes():
        if route.method == "GET" and not route.in_path:
            known = route.operation.signature(Memoranda)
            needed = {one.name for one in known.arguments if one.required}
            if not needed:
                answer = ask("GET", route.path)
                assert answer.status_code == 200, (route.id, answer.text)


def test_answers_fit_their_schemas_in_the_description(ask: Ask) -> None:
    from jsonschema import Draft202012Validator

    made(ask)
    ask("POST", "/blocks", json={"block": {"label": "plan", "value": "one"}})
    task = ask("POST", "/observations", json={"content": "began", "task": "one"}).json()["task"]
    effort = {"tokens": 5, "cost": 1, "duration_ms": 9}
    ask("POST", f"/tasks/{task}/checkpoints", json={"phase": "coding", "effort": effort})
    described = ask("GET", "/openapi.json").json()
    for path in ("/memories", "/blocks/plan", "/effort", "/tasks", "/context", "/stats",
                 "/search?query=prices&explain=true", f"/tasks/{task}/resumption"):  # fmt: skip
        bare = path.partition("?")[0].replace("plan", "{label}").replace(task, "{task}")
        answers = described["paths"][f"{PREFIX}{bare}"]["get"]["responses"]
        schema = answers["200"]["content"]["application/json"]["schema"]
        whole = {**schema, "components": described["components"]}
        answer = ask("GET", path)
        assert answer.status_code == 200, answer.text
        assert list(Draft202012Validator(whole).iter_errors(answer.json())) == [], path


def test_only_roles_of_the_table_reach_an_operation() -> None:
    assert {Role.READER, Role.AGENT} & OPERATIONS["proposals.approve"].roles == set()


_REFUSALS = {400, 403, 404, 409, 422}
"""A missing record is reported before an invalid value."""


def _outside(schema: dict[str, Any]) -> list[Any]:
    """Return values just outside of an argument's described range."""
    parts = [schema, *schema.get("anyOf", ())]
    found: list[Any] = ["" for one in parts if one.get("minLength") == 1]
    for one in parts:
        if one.get("type") == "integer" and one["maximum"] < 2**63 - 1:
            found += [one["minimum"] - 1, one["maximum"] + 1]
        if one.get("type") == "number" and "maximum" in one:
            found += [one["minimum"] - 1, one["maximum"] * 2]
    return found


def _refused(ask: Ask, method: str, path: str, name: str, **arguments: Any) -> Iterator[str]:
    """Yield the values that were not refused."""
    answer = ask(method.upper(), re.sub(r"\{\w+\}", "1", path), **arguments)
    if answer.status_code not in _REFUSALS:
        yield f"{method} {path} {name} {answer.status_code}"


def test_values_outside_of_what_is_described_are_refused(ask: Ask) -> None:
    taken: list[str] = []
    count = 0
    for path, methods in document("")["paths"].items():
        for method, described in methods.items():
            body = described.get("requestBody", {}).get("content", {}).get("application/json", {})
            schema = body.get("schema", {})
            needed = dict.fromkeys(schema.get("required", ()), "1")
            parameters = [(name, one, "json") for name, one in schema.get("properties", {}).items()]
            parameters += [
                (one["name"], one["schema"], "params")
                for one in described.get("parameters", ())
                if one.get("in") == "query"
            ]
            for name, result, where in parameters:
                for value in _outside(result):
                    arguments = {where: (needed if where == "json" else {}) | {name: value}}
                    taken += _refused(ask, method, path, name, **arguments)
                    count += 1
    assert taken == []
    assert count > 80


def test_the_description_requires_the_shown_hash_for_an_approval() -> None:
    described = document("")["paths"]["/proposals/{id}/approve"]["post"]
    schema = described["requestBody"]["content"]["application/json"]["schema"]
    assert "shown" in schema["required"]


def test_every_change_is_described_with_the_body_that_servers_want() -> None:
    for methods in document("")["paths"].values():
        for described in methods.values():
            assert described.get("requestBody", {"required": True})["required"]


def test_a_wrong_statement_is_refused_with_what_it_may_have(ask: Ask) -> None:
    wrong = {"content": "Okapis hide.", "visibility": "private"}
    said = ask("POST", "/memories", "ada", json={"statement": wrong}).json()["detail"]
    assert said == "statement.visibility must be one of agent, workspace, team, not 'private'"
    body = {"statement": "Use SQLite.", "category": "decision"}
    said = ask("POST", "/memories", "ada", json=body).json()["detail"]
    assert '{"statement": {"category": ...}}; its fields: content, title, category' in said
