"""Valid server addresses, and addresses that may receive a token."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda.api.client.address import TOKEN_FILE, credential, parsed
from memoranda.config import Settings, is_address, load_settings
from memoranda.exceptions import InvalidInput
from tables import each


def settings(data_dir: Path, **arguments: str) -> Settings:
    return load_settings({"data_dir": data_dir, **arguments}, {})


@each(
    ("place", "is_one"),
    [
        ("http://127.0.0.1:7077", True),
        ("HTTPS://memory.example", True),
        ("unix:/run/memoranda.sock", True),
        ("/srv/memory", False),
        ("http", False),
        (Path("http://x"), False),
        (None, False),
    ],
)
def test_an_address_differs_from_a_folder(place: object, is_one: bool) -> None:
    assert is_address(place) is is_one


@each(
    ("text", "url", "socket", "local"),
    [
        ("http://127.0.0.1:7077", "http://127.0.0.1:7077", None, True),
        ("http://127.0.0.1:7077/", "http://127.0.0.1:7077", None, True),
        ("http://localhost:80", "http://localhost:80", None, True),
        ("http://[::1]:7077", "http://[::1]:7077", None, True),
        ("https://memory.example/team", "https://memory.example/team", None, False),
        ("http://127.0.0.1.evil.example", "http://127.0.0.1.evil.example", None, False),
        ("http://10.0.0.1", "http://10.0.0.1", None, False),
        ("unix:/run/m.sock", "http://localhost", "/run/m.sock", True),
        ("unix:///run/m.sock", "http://localhost", "/run/m.sock", True),
    ],
)
def test_an_address_states_its_host_and_whether_it_is_local(
    text: str, url: str, socket: str | None, local: bool
) -> None:
    found = parsed(text)
    assert (found.url, found.socket, found.local) == (url, socket, local)


@each(
    "text",
    [
        "http://",
        "http://me:hunter2@memory.example",
        "https://memory.example?token=hunter2",
        "https://memory.example#hunter2",
        "http://127.0.0.1:port",
        "http://127.0.0.1:99999999",
        "http://[::1",
        "unix:",
        "ftp://memory.example",
    ],
)
def test_what_is_no_address_is_refused_without_repeating_a_secret(text: str) -> None:
    with pytest.raises(InvalidInput) as caught:
        parsed(text)
    assert "hunter2" not in str(caught.value)


def test_a_passed_token_precedes_the_settings_and_those_the_file(
    tmp_path: Path,
) -> None:
    (tmp_path / TOKEN_FILE).write_text("kept\n")
    here = parsed("http://127.0.0.1:7077")
    assert credential(here, "given", settings(tmp_path, token="set")) == "given"
    assert credential(here, None, settings(tmp_path, token="set")) == "set"
    assert credential(here, None, settings(tmp_path)) == "kept"


def test_the_token_of_this_machine_never_goes_to_another_one(tmp_path: Path) -> None:
    (tmp_path / TOKEN_FILE).write_text("kept\n")
    with pytest.raises(InvalidInput, match="MEMORANDA_TOKEN") as caught:
        credential(parsed("https://memory.example"), None, settings(tmp_path))
    assert "kept" not in str(caught.value)


def test_no_token_goes_over_an_open_wire(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="https"):
        credential(parsed("http://memory.example"), "given", settings(tmp_path))
    assert credential(parsed("https://memory.example"), "given", settings(tmp_path)) == "given"


@pytest.mark.parametrize("token", ["two words", "line\nbreak", "x" * 20_000, "ü"])
def test_what_is_no_token_is_refused_without_showing_it(tmp_path: Path, token: str) -> None:
    with pytest.raises(InvalidInput, match="visible ASCII") as caught:
        credential(parsed("http://127.0.0.1"), token, settings(tmp_path))
    assert token not in str(caught.value)


def test_where_no_token_is_found_the_place_is_named(tmp_path: Path) -> None:
    with pytest.raises(InvalidInput, match="no token for requests") as caught:
        credential(parsed("unix:/run/m.sock"), None, settings(tmp_path))
    assert str(tmp_path / TOKEN_FILE) in str(caught.value)
    assert "is `memoranda serve` running" in str(caught.value)
