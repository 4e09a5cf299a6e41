"""The caller on standard input is an agent unless configured otherwise."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from memoranda.api.mcp.stdio import UNNAMED, StdioOptions, StdioSession
from memoranda.config import Settings, load_settings
from memoranda.identity.principal import Role
from memoranda.scope import PERSON
from memoranda.workspaces.recognition import find_or_make_workspace, identify


@pytest.fixture
def settings(tmp_path: Path) -> Settings:
    return load_settings({"data_dir": tmp_path / "data"})


@pytest.fixture
def sessions() -> Iterator[list[StdioSession]]:
    made: list[StdioSession] = []
    yield made
    for one in made:
        one.close()


def context(name: str | None) -> Any:
    """Return a request of a host with or without a name."""
    info = SimpleNamespace(client_info=SimpleNamespace(name=name))
    return SimpleNamespace(
        session=SimpleNamespace(client_params=info if name is not None else None)
    )


@pytest.mark.parametrize(
    ("host", "agent"),
    [
        ("claude-code", "claude-code"),
        ("Visual Studio Code", "Visual-Studio-Code"),
        ("  ../../etc ", "etc"),
        ("", UNNAMED),
        (None, UNNAMED),
        ("\u202eevil\x00", "evil"),
        ("日本", UNNAMED),
        ("x" * 500, "x" * 80),
    ],
    ids=["plain", "spaces", "path", "empty", "none", "hidden", "other-letters", "long"],
)
def test_a_host_is_an_agent_of_its_name(settings: Settings, host: str | None, agent: str) -> None:
    found = StdioSession(settings, StdioOptions()).principal(context(host))
    assert (found.role, found.agent, found.subject) == (Role.AGENT, agent, agent)
    assert found.team == settings.team


@pytest.mark.parametrize("host", ["owner", PERSON, "admin", "human", "me"])
def test_no_name_makes_a_host_a_person(settings: Settings, host: str) -> None:
    found = StdioSession(settings, StdioOptions()).principal(context(host))
    assert found.role is Role.AGENT
    assert found.agent == host


def test_the_start_names_the_agent_before_the_settings_and_the_host(settings: Settings) -> None:
    known = replace(settings, agent_id="scribe", agent_instance="2")
    assert StdioSession(known, StdioOptions()).principal(context("host")).agent == "scribe/2"
    assert StdioSession(known, StdioOptions(agent="ann")).principal(context("host")).agent == "ann"
    nobody = replace(settings, agent_id="auto")
    assert StdioSession(nobody, StdioOptions()).principal(context("host")).agent == "host"


@pytest.mark.parametrize("role", [one for one in Role if one is not Role.AGENT])
def test_the_start_arguments_determine_the_person(settings: Settings, role: Role) -> None:
    found = StdioSession(settings, StdioOptions(role=role)).principal(context("host"))
    assert (found.role, found.agent, found.subject) == (role, None, PERSON)


def test_the_workspace_of_the_start_is_meant(settings: Settings) -> None:
    found = StdioSession(settings, StdioOptions(workspace="shop")).principal(context("host"))
    assert found.workspace == "shop"


def test_the_workspace_of_a_folder_is_meant_once_there_is_one(
    settings: Settings,
    sessions: list[StdioSession],
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    folder = tmp_path / "shop"
    folder.mkdir()
    monkeypatch.chdir(folder)
    session = StdioSession(settings, StdioOptions())
    sessions.append(session)
    services = session.service().home
    assert session.principal(context("host")).workspace is None
    place = identify(str(folder))
    services.database.write(
        lambda tx: find_or_make_workspace(
            tx, settings.team, place, services.ids, services.clock.now()
        )
    )
    assert session.principal(context("host")).workspace == "shop"


def test_a_session_without_calls_opened_nothing(settings: Settings) -> None:
    session = StdioSession(settings, StdioOptions())
    session.principal(context("host"))
    session.close()
    session.close()
    assert not settings.data_dir.exists()


def test_the_store_is_opened_once(settings: Settings, sessions: list[StdioSession]) -> None:
    session = StdioSession(settings, StdioOptions())
    sessions.append(session)
    assert session.service() is session.service()
