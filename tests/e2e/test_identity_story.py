"""A person lets others in, and shows them out again: through the command line alone."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from commands import ask, forked, invoke

from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import Unauthenticated
from memoranda.identity.caller_cache import SECONDS

pytestmark = pytest.mark.e2e


@pytest.fixture(autouse=True)
def _nobody_set_anything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("HOME", str(tmp_path))


def test_callers_are_let_in_and_shown_out(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    output = forked(data_dir, "auth", "token", "create", "--role", "member", "--subject", "ada")
    key = output.out.strip()  # alone on standard output, so that a shell can take it
    assert output.code == 0, output.err
    assert key.startswith("memk_local.")
    assert "for ada, until revoked" in output.err
    words = ("--role", "agent", "--agent", "bot", "--jwt", "--hours", "2")
    token = ask(data_dir, "auth", "token", "create", *words)
    (agent,) = [one for one in ask(data_dir, "auth", "token", "list")["items"] if one["agent"]]
    assert agent["id"] == token["credential"]["id"]
    service = Service(load_settings({"data_dir": data_dir, "embedder": "none"}, {}))
    try:
        _come_and_go(service, data_dir, key, token["secret"])
    finally:
        service.close()
    shown = invoke(data_dir, "auth", "token", "list", "--past", "--format", "md").out
    assert "| agent bot |" in shown
    assert "revoked " in shown
    operations = [one["operation"] for one in ask(data_dir, "journal", "list")["items"]]
    assert [one for one in operations if one != "slow alert"] == [  # as a busy machine gives one
        "token revoke",
        "remember",
        "token create",
        "token create",
    ]
    for secret in (key, token["secret"]):
        assert secret not in shown + json.dumps(operations)


def _come_and_go(service: Service, data_dir: Path, key: str, token: str) -> None:
    authenticator = service.home.authenticator
    ada, bot = authenticator.principal(key), authenticator.principal(token)
    service.call(ada, "remember", {"statement": "Lamps are amber."})
    assert bot.agent == "bot"
    owner = (data_dir / "token").read_text().strip()
    assert authenticator.principal(owner).subject == "human"
    revoked = ask(data_dir, "auth", "token", "revoke", ada.credential[:18])
    assert (revoked["id"], revoked["revoked_by"]) == (ada.credential, "human")
    service.home.secrets.known._elapsed = lambda: float("inf")  # some seconds later
    assert SECONDS < 5
    with pytest.raises(Unauthenticated):
        authenticator.principal(key)
    assert authenticator.principal(token) == bot


def test_another_team_has_its_own_keys(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    made = ask(data_dir, "auth", "token", "create", "--role", "admin", "--team", "barn")
    assert made["secret"].startswith("memk_barn.")
    assert ask(data_dir, "auth", "token", "list")["items"] == []
    (listed,) = ask(data_dir, "auth", "token", "list", "--team", "barn")["items"]
    assert listed["id"] == made["credential"]["id"]
    id = listed["id"]
    assert invoke(data_dir, "auth", "token", "revoke", id).code == 3
    assert invoke(data_dir, "auth", "token", "revoke", id, "--team", "barn").code == 0
    assert invoke(data_dir, "auth", "token", "list", "--team", "../barn").code == 2


@pytest.mark.parametrize(
    ("words", "code"),
    [
        ("token create --role agent", 2),
        ("token create --role member --subject rule:7", 2),
        ("token create --role member --subject human --team barn", 0),
        ("token create --role nobody", 2),
        ("token create --role member --jwt --hours 25", 2),
        ("token create --role member --expires 0", 2),
        ("token revoke nonesuch", 3),
        ("token revoke some-jti --outside", 0),
    ],
)
def test_an_impossible_call_fails_with_its_exit_code(tmp_path: Path, words: str, code: int) -> None:
    output = invoke(tmp_path / "data", "auth", *words.split())
    assert output.code == code, output.out + output.err


@pytest.mark.parametrize(
    "words",
    ["token create --role member", "token create --role member --team barn", "key rotate"],
)
def test_an_agent_at_the_command_line_lets_nobody_in(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, words: str
) -> None:
    monkeypatch.setenv("MEMORANDA_AGENT_ID", "bot")
    output = invoke(tmp_path / "data", "auth", *words.split())
    assert output.code == 5
    assert "is not allowed for the role agent" in output.err


def test_tokens_go_on_after_their_keys_are_rotated(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    old = ask(data_dir, "auth", "token", "create", "--role", "member", "--jwt")["secret"]
    rotated = ask(data_dir, "auth", "key", "rotate")
    assert rotated["retired_at"] is None
    new = ask(data_dir, "auth", "token", "create", "--role", "member", "--jwt")["secret"]
    service = Service(load_settings({"data_dir": data_dir, "embedder": "none"}, {}))
    try:
        for text in (old, new):
            assert service.home.authenticator.principal(text).subject == "human"
    finally:
        service.close()


def test_a_server_does_not_start_with_secrets_that_others_can_read(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    ask(data_dir, "auth", "token", "create", "--role", "member", "--jwt")
    (data_dir / "signing.json").chmod(0o644)
    output = invoke(data_dir, "auth", "token", "create", "--role", "member", "--jwt")
    assert output.code == 13
    assert "chmod 600" in output.err


def test_a_copied_store_lets_nobody_in_without_the_installations_key(tmp_path: Path) -> None:
    data_dir, other = tmp_path / "data", tmp_path / "other"
    key = ask(data_dir, "auth", "token", "create", "--role", "admin")["secret"]
    ask(other, "config", "set", "telemetry", "none")
    assert ask(other, "workspace", "list")["items"] == []  # which makes the store
    ask(data_dir, "copy", str(data_dir), str(other))
    assert len(ask(other, "auth", "token", "list")["items"]) == 1
    settings = load_settings({"data_dir": other, "embedder": "none"}, {})
    service = Service(settings)
    try:
        with pytest.raises(Unauthenticated):
            service.home.authenticator.principal(key)
    finally:
        service.close()
    (other / "key").write_bytes((data_dir / "key").read_bytes())
    service = Service(settings)
    try:
        assert service.home.authenticator.principal(key).subject == "human"
    finally:
        service.close()
