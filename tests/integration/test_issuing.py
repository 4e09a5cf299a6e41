"""Keys and tokens: creation, use, revocation and journal, per engine."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from contract.clock import START, FixedClock
from memoranda.api.service import Service
from memoranda.config import Settings, load_settings
from memoranda.exceptions import Forbidden, InvalidInput, NotFound, StorageBusy, Unauthenticated
from memoranda.identity import issuer as issuing, table as credentials
from memoranda.identity.caller_cache import SECONDS, CallerCache
from memoranda.identity.principal import Principal, Role, owner
from memoranda.json_data import JsonValue, iso_time
from memoranda.ports import Authenticator
from tables import each

pytestmark = pytest.mark.integration

DAY = 86_400_000_000
SECOND = 1_000_000
ADMIN = Principal("barn", "eve", Role.ADMIN)


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture
def service(engine: Settings, clock: FixedClock) -> Iterator[Service]:
    opened = Service(engine, clock)
    yield opened
    opened.close()


@pytest.fixture
def alone(tmp_path: Path, clock: FixedClock) -> Iterator[Service]:
    """Return a service on SQLite, for tests independent of the engine."""
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    opened = Service(settings, clock)
    yield opened
    opened.close()


def made(service: Service, who: Principal, **arguments: JsonValue) -> dict[str, Any]:
    """Make a key or a token through a door."""
    found = service.call(who, "tokens.create", arguments)
    assert isinstance(found, dict)
    return found


def listed(service: Service, who: Principal, **arguments: JsonValue) -> list[dict[str, Any]]:
    found: Any = service.call(who, "tokens.list", arguments)
    return list(found["items"])


def knows(authenticator: Authenticator, text: str) -> bool:
    try:
        authenticator.principal(text)
    except Unauthenticated:
        return False
    return True


def test_a_key_made_at_a_door_lets_its_holder_in(service: Service) -> None:
    new = made(service, ADMIN, role="agent", agent="bot", workspace="shop", days=3)
    found = service.home.authenticator.principal(new["secret"])
    id, until = new["credential"]["id"], START + 3 * DAY
    assert found == Principal("barn", "eve", Role.AGENT, "bot", "shop", id, until)
    kept: Any = service.call(found, "remember", {"statement": "Lamps are amber."})
    assert kept["status"] == "pending"
    assert service.call(found, "workspaces.list", {})["items"][0]["name"] == "shop"  # type: ignore[index, call-overload]


def test_teams_have_their_own_keys_and_see_no_others(service: Service) -> None:
    barn = made(service, ADMIN, role="member", subject="carl")
    local = made(service, owner(), role="member", subject="ada")
    assert [one["subject"] for one in listed(service, ADMIN)] == ["carl"]
    assert [one["subject"] for one in listed(service, owner())] == ["ada"]
    with pytest.raises(NotFound) as foreign:
        service.call(owner(), "tokens.revoke", {"id": barn["credential"]["id"]})
    with pytest.raises(NotFound) as absent:
        service.call(owner(), "tokens.revoke", {"id": "0" * 36})
    assert str(foreign.value)[:18] == str(absent.value)[:18]
    authenticator = service.home.authenticator
    assert authenticator.principal(barn["secret"]).team == "barn"
    assert authenticator.principal(local["secret"]).team == "local"


def test_a_token_is_good_for_an_hour_and_half_a_minute(service: Service, clock: FixedClock) -> None:
    new = made(service, ADMIN, role="reviewer", subject="ada", jwt=True)
    authenticator = service.home.authenticator
    found = authenticator.principal(new["secret"])
    assert (found.team, found.role, found.subject) == ("barn", Role.REVIEWER, "ada")
    clock.advance(3_630 * SECOND - 1)
    assert knows(authenticator, new["secret"])
    clock.advance(1)  # it was cached a moment ago, which changes nothing
    assert not knows(authenticator, new["secret"])


def test_a_key_is_good_to_the_day(service: Service, clock: FixedClock) -> None:
    new = made(service, ADMIN, role="reader", days=1)
    authenticator = service.home.authenticator
    clock.advance(DAY - 1)
    assert knows(authenticator, new["secret"])
    clock.advance(1)
    assert not knows(authenticator, new["secret"])
    assert listed(service, ADMIN) == []
    assert len(listed(service, ADMIN, past=True)) == 1


@pytest.mark.parametrize("arguments", [{"hours": 5}, {"jwt": True, "hours": 5}], ids=str)
def test_a_key_and_a_token_are_good_for_the_hours_that_are_stated(
    service: Service, clock: FixedClock, arguments: dict[str, JsonValue]
) -> None:
    new = made(service, ADMIN, role="reader", **arguments)
    assert new["credential"]["expires_at"][:13] == iso_time(START + 5 * 3_600 * SECOND)[:13]
    clock.advance(5 * 3_600 * SECOND + 31 * SECOND)
    assert not knows(service.home.authenticator, new["secret"])


@pytest.mark.parametrize("jwt", [False, True])
def test_what_is_revoked_is_refused_at_once(service: Service, jwt: bool) -> None:
    new, other = (made(service, ADMIN, role="member", jwt=jwt) for _ in range(2))
    authenticator = service.home.authenticator
    assert knows(authenticator, new["secret"])
    assert knows(authenticator, other["secret"])
    id = new["credential"]["id"]
    first: Any = service.call(ADMIN, "tokens.revoke", {"id": id})
    assert not knows(authenticator, new["secret"])
    assert knows(authenticator, other["secret"])
    assert service.call(ADMIN, "tokens.revoke", {"id": id}) == first
    (gone,) = [one for one in listed(service, ADMIN, past=True) if one["revoked_at"]]
    assert (gone["id"], gone["revoked_by"]) == (id, "eve")


def test_what_another_process_revoked_is_refused_within_seconds(
    engine: Settings, clock: FixedClock
) -> None:
    here, there = Service(engine, clock), Service(engine, clock)
    try:
        new = made(here, owner(), role="member", subject="ada")
        elapsed = [0.0]
        there.home.secrets.known._elapsed = lambda: elapsed[0]
        assert knows(there.home.authenticator, new["secret"])
        here.call(owner(), "tokens.revoke", {"id": new["credential"]["id"]})
        assert not knows(here.home.authenticator, new["secret"])
        elapsed[0] = SECONDS - 0.01
        assert knows(there.home.authenticator, new["secret"])
        elapsed[0] = SECONDS
        assert not knows(there.home.authenticator, new["secret"])
    finally:
        here.close()
        there.close()


def test_a_caller_revoked_during_a_lookup_is_not_cached(
    alone: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = made(alone, ADMIN, role="member")
    looked = credentials.by_id
    authenticator = alone.home.authenticator

    def revoked_meanwhile(*value: Any) -> Any:
        found = looked(*value)
        monkeypatch.setattr(credentials, "by_id", looked)
        thread = threading.Thread(
            target=alone.call,
            args=(ADMIN, "tokens.revoke", {"id": new["credential"]["id"]}),
        )
        thread.start()
        thread.join()
        return found

    monkeypatch.setattr(credentials, "by_id", revoked_meanwhile)
    assert knows(authenticator, new["secret"])  # it was valid when it was read
    assert not knows(authenticator, new["secret"])


@each("name", ["tokens.create", "tokens.list", "tokens.revoke"])
@each("role", [role for role in Role if role is not Role.ADMIN])
def test_only_admins_see_to_who_comes_in(alone: Service, name: str, role: Role) -> None:
    who = Principal("barn", "x", role, "x" if role is Role.AGENT else None)
    with pytest.raises(Forbidden):
        alone.call(who, name, {})


def test_a_server_does_not_rotate_its_keys(alone: Service) -> None:
    with pytest.raises(Forbidden, match="run it there"):
        alone.call(owner(), "tokens.rotate-key", {})


def test_an_agent_at_the_machine_itself_makes_no_keys(alone: Service) -> None:
    from memoranda.memory import Memoranda

    acting = Memoranda(alone.home, Principal("local", "human", Role.AGENT, "bot").scope)
    for work in (
        lambda: acting.tokens.create("member"),
        lambda: acting.tokens.revoke("x"),
        lambda: acting.tokens.revoke("x", outside=True),
        acting.tokens.rotate_key,
    ):
        with pytest.raises(Forbidden, match="not allowed for the role agent"):
            work()


@each(
    "arguments",
    [
        {"role": "owner"},
        {"role": "agent"},
        {"role": "admin", "agent": "bot"},
        {"role": "member", "subject": "human"},
        {"role": "member", "subject": "rule:1"},
        {"role": "member", "subject": ""},
        {"role": "agent", "agent": "human"},
        {"role": "agent", "agent": "rule:1"},
        {"role": "agent", "agent": ""},
        {"role": "member", "days": 0},
        {"role": "member", "days": 3_651},
        {"role": "member", "hours": 0},
        {"role": "member", "days": 1, "hours": 1},
        {"role": "member", "jwt": True, "days": 5},
        {"role": "member", "jwt": True, "hours": 24.1},
        {"role": "member", "jwt": True, "hours": 0},
        {"role": "member", "jwt": True, "hours": -1},
        {"role": "member", "workspace": "all"},
        {"role": "member", "workspace": ""},
        {"role": "member", "workspace": "a\nb"},
        {"role": "member", "workspace": "x" * 201},
        {"role": "member", "team": "local"},
    ],
    ids=str,
)
def test_nobody_creates_a_key_with_excessive_rights(
    alone: Service, arguments: dict[str, JsonValue]
) -> None:
    with pytest.raises(InvalidInput):
        alone.call(ADMIN, "tokens.create", arguments)
    assert listed(alone, ADMIN, past=True) == []


def test_the_owner_makes_keys_for_other_machines_of_their_own(alone: Service) -> None:
    new = made(alone, owner(), role="admin")
    assert alone.home.authenticator.principal(new["secret"]).subject == "human"
    again = alone.home.authenticator.principal(new["secret"])
    assert made(alone, again, role="reader")["credential"]["subject"] == "human"


def test_a_token_lives_for_a_day_at_most(alone: Service, clock: FixedClock) -> None:
    new = made(alone, ADMIN, role="member", jwt=True, hours=24)
    clock.advance(DAY - SECOND)
    assert knows(alone.home.authenticator, new["secret"])


def test_everything_is_written_down_and_no_secret_is(alone: Service, tmp_path: Path) -> None:
    new = made(alone, ADMIN, role="agent", agent="bot")
    token = made(alone, ADMIN, role="member", jwt=True)
    alone.home.authenticator.principal(new["secret"])
    alone.call(ADMIN, "tokens.revoke", {"id": new["credential"]["id"][:23]})
    lines: Any = alone.call(ADMIN, "journal.list", {})
    operations = [(one["actor"], one["operation"], one["detail"]) for one in lines["items"]]
    assert operations == [
        ("eve", "token revoke", {"kind": "key"}),
        ("eve", "token create", {"kind": "token", "role": "member", "for": "eve"}),
        ("eve", "token create", {"kind": "key", "role": "agent", "for": "bot"}),
    ]
    secrets = [new["secret"].rpartition(".")[2], token["secret"].rpartition(".")[2]]
    alone.home.database.write(lambda tx: None)
    for file in (tmp_path / "data").rglob("*"):
        data = file.read_bytes() if file.is_file() else b""
        assert not [one for one in secrets if one.encode() in data], file


def test_rotation_is_written_down_and_leaves_tokens_good(alone: Service, clock: FixedClock) -> None:
    old = made(alone, owner(), role="member", subject="ada", jwt=True)
    memory = alone.memory(owner())
    clock.advance(60 * SECOND)
    rotated = memory.tokens.rotate_key()
    assert memory.journal.list().items[0].subject == rotated.kid
    new = made(alone, owner(), role="member", subject="ada", jwt=True)
    assert knows(alone.home.authenticator, old["secret"])
    assert knows(alone.home.authenticator, new["secret"])
    clock.advance(2 * 3_600 * SECOND)
    assert not knows(alone.home.authenticator, old["secret"])


def test_a_token_that_a_retired_key_signs_is_refused(alone: Service, clock: FixedClock) -> None:
    """An attacker with an old signing key cannot make tokens."""
    signing = alone.home.secrets.signing
    before = signing.path.read_bytes()
    alone.memory(owner()).tokens.rotate_key()
    after = signing.path.read_bytes()
    clock.advance(31 * SECOND)
    from memoranda.identity import key_files as private

    private.replace(signing.path, before)
    forged = made(alone, owner(), role="member", subject="ada", jwt=True)
    assert knows(alone.home.authenticator, forged["secret"])
    private.replace(signing.path, after)
    alone.home.secrets.known.forget()
    assert not knows(alone.home.authenticator, forged["secret"])


def test_the_last_day_of_use_is_noted_once_a_day(service: Service, clock: FixedClock) -> None:
    new = made(service, ADMIN, role="member")
    assert listed(service, ADMIN)[0]["last_used"] is None
    authenticator = service.home.authenticator
    authenticator.principal(new["secret"])
    assert listed(service, ADMIN)[0]["last_used"] == "2025-06-15T00:00:00.000Z"
    clock.advance(DAY)
    service.home.secrets.known.forget()
    authenticator.principal(new["secret"])
    assert listed(service, ADMIN)[0]["last_used"] == "2025-06-16T00:00:00.000Z"


def test_somebody_comes_in_also_while_nothing_can_be_written(
    alone: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = made(alone, ADMIN, role="member")

    def busy(*_: object) -> bool:
        raise StorageBusy("locked")

    monkeypatch.setattr(credentials, "use", busy)
    assert knows(alone.home.authenticator, new["secret"])


def test_a_store_that_does_not_answer_is_no_fault_of_the_caller(
    alone: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = made(alone, ADMIN, role="member")

    def busy(*_: object) -> None:
        raise StorageBusy("locked")

    monkeypatch.setattr(credentials, "by_id", busy)
    with pytest.raises(StorageBusy):
        alone.home.authenticator.principal(new["secret"])


def test_there_are_only_so_many_keys_and_tokens_that_are_over_do_not_count(
    alone: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(issuing, "MAXIMUM", 2)
    made(alone, ADMIN, role="member", jwt=True)
    key = made(alone, ADMIN, role="member")
    with pytest.raises(InvalidInput, match="there are already 2"):
        made(alone, ADMIN, role="member")
    clock.advance(2 * DAY)
    made(alone, ADMIN, role="member")
    assert len(listed(alone, ADMIN, past=True)) == 2  # the expired token is gone
    with pytest.raises(InvalidInput):
        made(alone, ADMIN, role="member")
    alone.call(ADMIN, "tokens.revoke", {"id": key["credential"]["id"]})
    made(alone, ADMIN, role="member")


def test_the_list_goes_page_by_page(alone: Service) -> None:
    ids = [made(alone, ADMIN, role="member")["credential"]["id"] for _ in range(5)]
    seen: list[str] = []
    cursor: JsonValue = None
    while True:
        page: Any = alone.call(ADMIN, "tokens.list", {"limit": 2, "cursor": cursor})
        seen += [one["id"] for one in page["items"]]
        cursor = page["cursor"]
        if cursor is None:
            break
    assert seen == ids[::-1]


def test_a_beginning_of_several_ids_names_none_of_them(alone: Service) -> None:
    ids = [made(alone, ADMIN, role="member")["credential"]["id"] for _ in range(2)]
    assert ids[0][:8] == ids[1][:8]
    with pytest.raises(InvalidInput, match="more than one"):
        alone.call(ADMIN, "tokens.revoke", {"id": ids[0][:8]})
    with pytest.raises(NotFound):
        alone.call(ADMIN, "tokens.revoke", {"id": ""})
    with pytest.raises(InvalidInput):
        alone.call(ADMIN, "tokens.revoke", {"id": "a\nb", "outside": True})


def test_one_known_caller_is_not_looked_up_again(
    alone: Service, monkeypatch: pytest.MonkeyPatch
) -> None:
    new = made(alone, ADMIN, role="member")
    looked, ids = credentials.by_id, []

    def counted(*value: Any) -> Any:
        ids.append(value)
        return looked(*value)

    monkeypatch.setattr(credentials, "by_id", counted)
    with ThreadPoolExecutor(4) as pool:
        alone.home.authenticator.principal(new["secret"])
        found = list(pool.map(alone.home.authenticator.principal, [new["secret"]] * 50))
    assert len(ids) == 1
    assert len(set(found)) == 1


def test_all_teams_forget_together(alone: Service) -> None:
    known = alone.home.secrets.known
    assert isinstance(known, CallerCache)
    before = known.generation
    new = made(alone, ADMIN, role="member")
    alone.call(ADMIN, "tokens.revoke", {"id": new["credential"]["id"]})
    assert known.generation == before + 1


@pytest.mark.parametrize(
    ("arguments", "wrong"),
    [
        ({"issuer_keys_file": "/nonesuch/jwks.json", "issuer": "x"}, "nonesuch"),
        ({"issuer_keys_file": "/nonesuch/jwks.json"}, "needs the setting issuer"),
        (
            {"issuer_keys_file": "/nonesuch/jwks.json", "issuer": "memoranda"},
            "Memoranda's own tokens",
        ),
    ],
)
def test_an_outside_issuer_that_is_half_set_stops_the_start(
    tmp_path: Path, arguments: dict[str, str], wrong: str
) -> None:
    from memoranda.exceptions import MemorandaError

    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"} | arguments, {})
    service = Service(settings)
    try:
        with pytest.raises(MemorandaError, match=wrong):
            service.home.authenticator.principal("x")
    finally:
        service.close()


def test_the_primary_store_is_queried_where_a_replica_may_lag(
    alone: Service, clock: FixedClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    keys = [made(alone, owner(), role="member", jwt=jwt)["secret"] for jwt in (False, True)]
    settings = replace(alone.settings, read_url="postgresql://replica.example/memoranda")
    monkeypatch.setattr(alone.home, "settings", settings)
    authenticator = alone.home.authenticator

    def behind(work: object) -> object:
        raise AssertionError("a replica was asked")

    monkeypatch.setattr(alone.home.database, "read", behind)
    assert all(knows(authenticator, key) for key in keys)
