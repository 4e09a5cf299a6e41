"""Streams over HTTP: many lines in a request, archives, and events."""

from __future__ import annotations

import io
import json
import os
import stat
import threading
import time
import zipfile
from collections.abc import AsyncIterator, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Any

import anyio
import httpx
import pytest
from starlette.requests import ClientDisconnect, Request
from test_rest import Ask, asking, code, made

from memoranda.api.rest import archives, bulk_creation, event_stream
from memoranda.api.rest.archives import Archives
from memoranda.api.rest.event_stream import Events
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput, RateLimited, StorageFull, Unauthenticated
from memoranda.identity.principal import Principal
from rest_apps import TOKENS, rest_app

pytestmark = pytest.mark.integration


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {}))
    yield opened
    opened.close()


@pytest.fixture
def ask(service: Service) -> Ask:
    return asking(service)


def verdicts(ask: Ask, path: str, body: bytes, who: str = "ada") -> list[dict[str, Any]]:
    answer = ask("POST", path, who, content=body)
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/x-ndjson"
    return [json.loads(line) for line in answer.text.splitlines()]


class TestLinesIn:
    """Each line is accepted or refused separately."""

    def test_bad_lines_are_reported_by_number_and_change_nothing(self, ask: Ask) -> None:
        lines = ['{"content":"one"}', "", '{"content":', "[]", '{"content":"two","type":"no"}',
                 '{"nope":1}', '{"content":"six"}']  # fmt: skip
        body = "\n".join(lines).encode()
        found = verdicts(ask, "/observations:bulk", body)
        assert [(one["line"], one["status"]) for one in found] == [
            (1, 201), (3, 422), (4, 422), (5, 422), (6, 422), (7, 201),
        ]  # fmt: skip
        assert {one["code"] for one in found if one["status"] == 422} == {"invalid"}
        items = ask("GET", "/observations").json()["items"]
        assert {one["id"] for one in items} == {found[0]["id"], found[-1]["id"]}

    def test_memories_of_an_agent_wait_as_they_do_elsewhere(self, ask: Ask) -> None:
        body = b'{"statement":"A holds.","workspace":"w"}\n{"statement":"B does.","workspace":"w"}'
        assert [one["status"] for one in verdicts(ask, "/memories:bulk", body, "bot")] == [201, 201]
        assert len(ask("GET", "/proposals").json()["items"]) == 2

    def test_who_may_not_write_sends_nothing(self, ask: Ask) -> None:
        answer = ask("POST", "/observations:bulk", "eye", content=b'{"content":"one"}')
        assert code(answer) == (403, "forbidden")
        assert ask("GET", "/observations").json()["items"] == []

    def test_nothing_sent_is_nothing_done(self, ask: Ask) -> None:
        assert verdicts(ask, "/observations:bulk", b"") == []

    def test_a_line_too_long_ends_it_and_what_was_done_stays(
        self, service: Service, ask: Ask
    ) -> None:
        async def pieces() -> AsyncIterator[bytes]:
            yield b'{"content":"one"}\n'
            for _ in range(12):
                yield b"x" * 100_000

        async def work() -> list[dict[str, Any]]:
            transport = httpx.ASGITransport(rest_app(service))
            async with httpx.AsyncClient(transport=transport, base_url="http://test") as client:
                answer = await client.post(
                    "/api/v1/observations:bulk",
                    content=pieces(),
                    headers={"Authorization": "Bearer ada"},
                )
                return [json.loads(line) for line in answer.text.splitlines()]

        found = anyio.run(work)
        assert [one["status"] for one in found] == [201, 413]
        assert found[1]["line"] is None
        assert len(ask("GET", "/observations").json()["items"]) == 1

    def test_a_fault_of_the_machine_ends_it_and_names_nothing_of_it(
        self, service: Service, ask: Ask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        carry_out, calls = service.call, list[str]()

        def failing(who: Principal, name: str, value: Any) -> Any:
            calls.append(name)
            if len(calls) == 2:
                raise StorageFull("/secret/place is full")
            return carry_out(who, name, value)

        monkeypatch.setattr(service, "call", failing)
        found = verdicts(ask, "/observations:bulk", b'{"content":"x"}\n' * 4)
        assert [(one["line"], one["status"]) for one in found] == [(1, 201), (2, 507)]
        assert "secret" not in found[1]["detail"]
        assert len(calls) == 2

    def test_the_same_key_on_two_lines_is_one_observation(self, ask: Ask) -> None:
        body = b'{"content":"one","key":"k"}\n' * 3
        found = verdicts(ask, "/observations:bulk", body)
        assert len({one["id"] for one in found}) == 1

    def test_a_sender_that_listens_last_is_not_waited_for(self) -> None:
        """Results are held back while the sender does not read them."""

        async def many() -> AsyncIterator[bytes]:
            for _ in range(500):
                yield b"x" * 1_000

        async def work() -> int:
            read, sent = anyio.Event(), 0

            async def counted() -> AsyncIterator[bytes]:
                async for one in many():
                    yield one
                read.set()

            async def send(message: Any) -> None:
                nonlocal sent
                if message.get("body"):
                    await read.wait()
                    sent += len(message["body"])

            with anyio.fail_after(20):
                await bulk_creation.BulkResponse(counted())({"type": "http"}, None, send)  # type: ignore[arg-type]
            return sent

        assert anyio.run(work) == 500_000


class TestArchives:
    """An archive is exported from one store and imported into another."""

    def test_what_was_written_is_brought_in_elsewhere(self, ask: Ask, tmp_path: Path) -> None:
        memory = made(ask)
        answer = ask("GET", "/export?workspace=shop&observations=false")
        assert answer.headers["content-type"] == "application/zip"
        names = zipfile.ZipFile(io.BytesIO(answer.content)).namelist()
        assert "memories.jsonl" in names
        assert "observations.jsonl" not in names
        settings = load_settings({"data_dir": tmp_path / "other", "embedder": "none"}, {})
        other = Service(settings)
        try:
            there = asking(other)
            tried = there("POST", "/import?dry_run=true", content=answer.content)
            assert tried.status_code == 200, tried.text
            assert tried.json()["path"] == "archive.zip"  # not where the server received it
            assert there("GET", "/memories").json()["items"] == []
            assert there("POST", "/import", content=answer.content).status_code == 200
            assert there("GET", f"/memories/{memory['id']}").status_code == 200
            twice = there("POST", "/import", content=answer.content)
            assert twice.status_code == 200
            assert len(there("GET", "/memories").json()["items"]) == 1
        finally:
            other.close()

    def test_nothing_is_left_behind(self, ask: Ask, service: Service) -> None:
        ask("GET", "/export")
        ask("POST", "/import", content=b"no archive")
        assert list(service.settings.data_dir.glob("exchange-*")) == []

    def test_the_file_is_nobody_elses_while_it_is_there(
        self, ask: Ask, service: Service, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        modes = []

        def look(memory: object, name: str, arguments: dict[str, str], role: object) -> None:
            path = Path(arguments["path"])
            modes.append(stat.S_IMODE(path.stat().st_mode))
            modes.append(stat.S_IMODE(path.parent.stat().st_mode))
            assert path.is_relative_to(service.settings.data_dir)
            raise InvalidInput("seen")

        monkeypatch.setattr(archives, "call", look)
        before = os.umask(0)
        try:
            assert code(ask("POST", "/import", content=b"bytes")) == (422, "invalid")
        finally:
            os.umask(before)
        assert modes == [0o600, 0o700]

    @pytest.mark.parametrize("who", ["rev", "mia", "bot", "eye"])
    def test_they_are_for_admins(self, who: str, ask: Ask) -> None:
        assert code(ask("GET", "/export", who)) == (403, "forbidden")
        assert code(ask("POST", "/import", who, content=b"x")) == (403, "forbidden")

    @pytest.mark.parametrize(
        "query", ["path=/etc/passwd", "force=true", "nonesuch=1", "observations=maybe"]
    )
    def test_an_invalid_query_is_refused(self, query: str, ask: Ask) -> None:
        assert code(ask("GET", f"/export?{query}")) == (422, "invalid")
        assert code(ask("POST", f"/import?{query}", content=b"x")) == (422, "invalid")

    @pytest.mark.parametrize("sent", [b"PK\x03\x04 no zip", b"no archive " * 9, b""])
    def test_a_bad_archive_is_refused_and_changes_nothing(self, ask: Ask, sent: bytes) -> None:
        refused = ask("POST", "/import", content=sent)
        assert code(refused) == (422, "invalid")
        assert refused.json()["detail"].startswith("the archive: ")
        assert ask("GET", "/memories").json()["items"] == []

    def test_an_archive_too_large_is_refused_as_it_comes(
        self, ask: Ask, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(archives, "LARGEST", 1_000)
        assert code(ask("POST", "/import", content=b"x" * 1_001)) == (413, "too_large")

    def test_another_team_exports_its_own(self, ask: Ask) -> None:
        made(ask, "The canary sings.")
        assert b"canary" not in _unpacked(ask("GET", "/export", "eve").content)
        assert b"canary" in _unpacked(ask("GET", "/export").content)

    def test_what_a_killed_process_left_is_swept_and_what_is_used_is_not(
        self, service: Service
    ) -> None:
        old, new = (service.settings.data_dir / f"exchange-{name}" for name in ("old", "new"))
        for folder in (old, new):
            folder.mkdir()
        long_ago = time.time() - archives.LEFT_BEHIND - 9
        os.utime(old, (long_ago, long_ago))
        Archives(service)
        assert (old.exists(), new.exists()) == (False, True)


def _unpacked(archive: bytes) -> bytes:
    opened = zipfile.ZipFile(io.BytesIO(archive))
    return b"".join(opened.read(name) for name in opened.namelist())


def listener(service: Service, who: str, last: str | None = None) -> Request:
    headers = [(b"last-event-id", last.encode("latin-1"))] if last is not None else []
    state = {"principal": TOKENS[who], "request_id": "test"}
    return Request({"type": "http", "method": "GET", "path": "/events", "query_string": b"",
                    "headers": headers, "state": state})  # fmt: skip


def heard(
    service: Service, result: Events, who: str, wanted: int, last: str | None = None
) -> list[dict[str, Any]]:
    """Read this many events, or until a heartbeat shows there are no more."""

    async def work() -> list[dict[str, Any]]:
        answer = await result.answer(listener(service, who, last))
        assert answer.status_code == 200
        assert answer.headers["content-type"].startswith("text/event-stream")
        found: list[dict[str, Any]] = []

        async def receive() -> dict[str, Any]:
            await anyio.sleep_forever()
            raise AssertionError

        async def send(message: Any) -> None:
            for block in message.get("body", b"").decode().split("\n\n"):
                lines = dict(line.split(": ", 1) for line in block.splitlines() if ": " in line)
                if "data" in lines:
                    found.append(json.loads(lines["data"]) | {"id": int(lines["id"])})
            if len(found) >= wanted or b"still" in message.get("body", b""):
                raise OSError("gone")

        scope = {"type": "http", "asgi": {"spec_version": "2.4"}}
        with anyio.fail_after(30), suppress(ClientDisconnect):
            await answer(scope, receive, send)  # type: ignore[arg-type]
        return found

    return anyio.run(work)


class TestEvents:
    """Listeners get the events that they may see, in order, none twice."""

    @pytest.fixture
    def told(self, service: Service) -> Events:
        return Events(service, pause=0.01, heartbeat=0.3)

    def test_what_happened_after_an_event_follows_at_once(
        self, service: Service, told: Events, ask: Ask
    ) -> None:
        for number in range(4):
            made(ask, f"Fact {number} holds.")
        every = heard(service, told, "ada", 4, "0")
        assert [one["id"] for one in every] == sorted({one["id"] for one in every})
        assert {one["operation"] for one in every} >= {"remember"}
        rest = heard(service, told, "ada", 2, str(every[1]["id"]))
        assert rest == every[2:4]

    def test_no_text_of_a_memory_is_sent(self, service: Service, told: Events, ask: Ask) -> None:
        memory = made(ask, "The canary sings.")
        found = heard(service, told, "ada", 9, "0")
        (event,) = [one for one in found if one["subject"] == memory["id"]]
        assert "canary" not in json.dumps(event)
        assert event["actor"] == "ada"

    def test_without_a_last_event_only_new_events_are_sent(
        self, service: Service, told: Events, ask: Ask
    ) -> None:
        made(ask, "Before.")
        told = Events(service, pause=0.01, heartbeat=20)
        timer = threading.Timer(1.0, made, (ask, "After."))
        timer.start()
        (event,) = heard(service, told, "ada", 1)
        timer.join()
        assert event["id"] > 1

    def test_an_agent_gets_no_events_of_anothers_private_records(
        self, service: Service, told: Events, ask: Ask
    ) -> None:
        statement = {"content": "My plan is amber.", "visibility": "agent"}
        body = {"statement": statement, "workspace": "shop"}
        own = ask("POST", "/memories", "bot", json=body).json()["id"]
        shared = made(ask)["id"]
        of_rival = {one["subject"] for one in heard(service, told, "rival", 99, "0")}
        of_bot = {one["subject"] for one in heard(service, told, "bot", 99, "0")}
        assert shared in of_rival
        assert own not in of_rival
        assert {own, shared} <= of_bot
        assert all("actor" not in one for one in heard(service, told, "rival", 99, "0"))

    def test_another_team_gets_no_events(self, service: Service, told: Events, ask: Ask) -> None:
        made(ask)
        assert heard(service, told, "eve", 1, "0") == []

    def test_a_number_beyond_the_newest_goes_on_from_there(
        self, service: Service, told: Events, ask: Ask
    ) -> None:
        made(ask)
        assert heard(service, told, "ada", 1, "999999") == []

    @pytest.mark.parametrize("last", ["x", "-1", "1.5", "9" * 40, "\xb2"])
    def test_what_is_no_number_is_refused(self, last: str, told: Events, service: Service) -> None:
        with pytest.raises(InvalidInput):
            told._begin(listener(service, "ada", last))

    def test_streams_of_one_caller_are_limited_and_released(
        self, service: Service, told: Events
    ) -> None:
        for _ in range(event_stream.MAX_EACH):
            told._begin(listener(service, "ada"))
        with pytest.raises(RateLimited):
            told._begin(listener(service, "ada"))
        told._begin(listener(service, "mia"))
        told._ended(TOKENS["ada"])
        told._begin(listener(service, "ada"))

    def test_a_stream_that_ended_is_counted_no_more(
        self, service: Service, told: Events, ask: Ask
    ) -> None:
        made(ask)
        for _ in range(event_stream.MAX_EACH + 1):
            assert heard(service, told, "ada", 1, "0")
        assert not told._open

    def test_a_stream_ends_once_its_listener_is_known_no_longer(self, service: Service) -> None:
        result = Events(service, pause=0.01, heartbeat=20, standing=0.05)
        requests, looks = listener(service, "ada"), iter([True, True, False])

        def stands() -> None:
            if not next(looks):
                raise Unauthenticated("session has expired")

        async def work() -> list[object]:
            requests.state.stands = stands
            answer = await result.answer(requests)
            with anyio.fail_after(30):
                return [piece async for piece in answer.body_iterator]  # type: ignore[attr-defined]

        assert anyio.run(work) == [b"retry: 2000\n\n"]
        assert next(looks, None) is None, "looked again and again, and no more"
