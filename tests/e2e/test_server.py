"""A team moves its memory to a server and works there; the same commands, and back again."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from commands import ask, invoke

from made_stores import copied
from servers import PostgresServer

pytestmark = pytest.mark.e2e


@pytest.fixture(scope="module")
def server() -> Iterator[PostgresServer]:
    made = PostgresServer()
    yield made
    made.close()


def test_a_store_moves_to_a_server_and_back(
    server: PostgresServer,
    imported_example: Path,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    local, here = copied(imported_example, tmp_path / "local"), tmp_path / "here"
    before = ask(local, "stats")

    monkeypatch.setenv("MEMORANDA_OWNER_URL", server.url("postgres"))
    made = ask(here, "db", "create", "team", "--login", "memo")
    monkeypatch.setenv("MEMORANDA_OWNER_URL", server.url("team"))
    assert ask(here, "db", "migrate") == {"migrations": []}
    assert ask(here, "db", "status")["partitions"] == 16
    login = next(role for role in ask(here, "db", "roles") if role["name"] == "memo")
    assert (login["member"], login["exempt"]) == (True, False)

    tables = ask(here, "copy", str(local), made["url"])
    assert sum(table["written"] for table in tables) == sum(table["rows"] for table in tables) > 300
    assert invoke(here, "copy", str(local), made["url"]).out.count("0") > 5

    monkeypatch.setenv("MEMORANDA_DATABASE_URL", made["url"])
    after = ask(here, "stats")
    assert {**after, "last_recorded_at": None} == {**before, "last_recorded_at": None}
    assert {finding["verdict"] for finding in ask(here, "doctor")} == {"ok"}
    found = ask(here, "search", "half up rounding", "--workspace", "parcel")["hits"]
    assert found
    shown = invoke(here, "observation", "show", found[0]["ref"], "--format", "table")
    assert shown.code == 0
    brief = ask(here, "context", "--workspace", "parcel", "--budget", "1500")
    assert brief["tokens"] <= 1500
    assert "Never edit tariffs/2026.csv by hand" in brief["text"]

    ask(here, "observe", "moved to the server", "--workspace", "parcel")
    receipt = ask(here, "forget", found[0]["ref"], "--yes")
    assert receipt["observations"] == 1
    assert ask(here, "journal", "verify")["broken_at"] is None
    assert "pg_dump" in invoke(here, "backup", str(tmp_path / "x.db")).err
    assert made["url"].split(":")[2].split("@")[0] not in invoke(here, "config", "show").out

    monkeypatch.delenv("MEMORANDA_DATABASE_URL")
    back = tmp_path / "back"
    ask(back, "config", "set", "telemetry", "none")  # a directory of a store
    ask(back, "stats")  # makes an empty store
    ask(here, "copy", made["url"], str(back))
    assert ask(back, "stats")["observations"] == before["observations"]
    assert {finding["verdict"] for finding in ask(back, "doctor")} == {"ok"}


def test_an_address_that_leads_nowhere_is_a_clear_error(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("MEMORANDA_DATABASE_URL", "postgresql://memo:geheim@127.0.0.1:1/team")
    output = invoke(tmp_path, "stats")
    assert output.code == 13
    assert "127.0.0.1:1/team" in output.err
    assert "geheim" not in output.err
    assert invoke(tmp_path, "db", "status", "--url", "nonsense").code == 2
    assert "MEMORANDA_OWNER_URL" in invoke(tmp_path, "db", "migrate").err
