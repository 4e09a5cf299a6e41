"""Sessions and sign-in links of the web page, over processes and engines."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest

from contract.clock import FixedClock
from memoranda.api.service import Service
from memoranda.clock import MICROSECONDS
from memoranda.config import load_settings
from memoranda.exceptions import StorageUnusable, Unauthenticated
from memoranda.identity.principal import Principal, Role, owner
from memoranda.identity.sessions import HOURS, MINUTES, new_link
from postgres_stores import EmptyStores

pytestmark = pytest.mark.integration
HOUR = 3_600 * MICROSECONDS


@pytest.fixture
def clock() -> FixedClock:
    return FixedClock()


@pytest.fixture(params=["sqlite", "postgres"])
def places(
    request: pytest.FixtureRequest, tmp_path: Path, clock: FixedClock
) -> Iterator[tuple[Service, Service]]:
    """Return two processes on one store, like workers of a server."""
    arguments: dict[str, object] = {"data_dir": tmp_path / "data"}
    if request.param == "postgres":
        stores: EmptyStores = request.getfixturevalue("postgres_stores")
        arguments["database_url"] = stores.url
    opened = [Service(load_settings(arguments, {}), clock) for _ in range(2)]
    opened[0].home.authenticator  # noqa: B018 - makes the token
    yield opened[0], opened[1]
    for one in opened:
        one.close()
    if request.param == "postgres":
        stores.empty()


def link(service: Service, clock: FixedClock) -> str:
    return new_link(service.settings.data_dir, clock)


def test_a_link_signs_the_owner_in_once_in_any_process(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    here, there = places
    text = link(here, clock)
    session = here.home.sessions.begin(text)
    for one in (here, there):
        who = one.home.sessions.principal(session)
        assert (who.subject, who.role, who.team) == ("human", Role.ADMIN, "local")
        with pytest.raises(Unauthenticated, match="was already used"):
            one.home.sessions.begin(text)


def test_a_link_is_over_soon(places: tuple[Service, Service], clock: FixedClock) -> None:
    text = link(places[0], clock)
    clock.advance(MINUTES * 60 * MICROSECONDS)
    with pytest.raises(Unauthenticated, match="memoranda web link"):
        places[0].home.sessions.begin(text)


def test_a_session_is_over_after_half_a_day(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    session = places[0].home.sessions.begin(link(places[0], clock))
    clock.advance(HOURS * HOUR - 1)
    assert places[0].home.sessions.principal(session)
    clock.advance(1)
    with pytest.raises(Unauthenticated):
        places[0].home.sessions.principal(session)


def test_a_session_is_over_with_the_token_it_was_made_with(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    here, there = places
    made = here.memory(owner()).tokens.create("member", subject="ada", jwt=True, hours=2)
    session = here.home.sessions.begin(made.secret)
    assert there.home.sessions.principal(session).subject == "ada"
    clock.advance(3 * HOUR)
    with pytest.raises(Unauthenticated):
        there.home.sessions.principal(session)


def test_a_session_is_of_whoever_showed_the_key(places: tuple[Service, Service]) -> None:
    here, there = places
    for role in Role:
        agent = "bob" if role is Role.AGENT else None
        arguments = {"subject": None if agent else "ada", "agent": agent, "workspace": "shop"}
        made = here.memory(owner("barn")).tokens.create(role, **arguments)  # type: ignore[arg-type]
        found = there.home.sessions.principal(here.home.sessions.begin(made.secret))
        expected = made.credential.principal
        assert _who(found) == _who(expected)


def _who(principal: Principal) -> tuple[object, ...]:
    return (
        principal.team, principal.subject, principal.role, principal.agent, principal.workspace
    )  # fmt: skip


def test_signing_out_and_revoking_end_it_at_once(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    here = places[0]
    out, revoked = (here.home.sessions.begin(link(here, clock)) for _ in range(2))
    here.home.sessions.end(out)
    here.home.sessions.end(out)
    here.memory(owner()).tokens.revoke(here.home.sessions.principal(revoked).credential)
    for session in (out, revoked):
        with pytest.raises(Unauthenticated):
            here.home.sessions.principal(session)
    messages = [
        one.operation for one in here.memory(owner()).journal.list() if "session" in one.operation
    ]
    assert messages == ["session end", "session begin", "session begin"]


def test_what_a_browser_shows_is_no_credential_and_no_key_is_a_session(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    here = places[0]
    session, text = here.home.sessions.begin(link(here, clock)), link(here, clock)
    assert here.home.sessions.principal(session)  # cached by now
    key = here.memory(owner()).tokens.create("member", subject="ada").secret
    for shown in (session, text, f"\n{session}", session.replace("mems_", "memk_")):
        with pytest.raises(Unauthenticated):
            here.home.authenticator.principal(shown)
    for shown in (key, key.replace("memk_", "mems_"), text, "", "mems_x", session[:-1]):
        with pytest.raises(Unauthenticated):
            here.home.sessions.principal(shown)


def test_a_link_or_session_with_one_character_changed_is_nobodys(
    places: tuple[Service, Service], clock: FixedClock
) -> None:
    here = places[0]
    text = link(here, clock)
    session = here.home.sessions.begin(link(here, clock))
    for place in range(0, len(text), 7):
        other = text[:place] + ("x" if text[place] != "x" else "y") + text[place + 1 :]
        with pytest.raises(Unauthenticated):
            here.home.sessions.begin(other)
    for place in range(0, len(session), 7):
        other = session[:place] + ("x" if session[place] != "x" else "y") + session[place + 1 :]
        with pytest.raises(Unauthenticated):
            here.home.sessions.principal(other)
    assert here.home.sessions.begin(text)


def test_a_link_takes_a_token(tmp_path: Path, clock: FixedClock) -> None:
    with pytest.raises(StorageUnusable):
        new_link(tmp_path, clock)
