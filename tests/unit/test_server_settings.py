"""Settings that name a server and authenticate the caller."""

from __future__ import annotations

from pathlib import Path

import pytest

from memoranda.config import load_settings
from memoranda.exceptions import InvalidInput


@pytest.mark.parametrize(
    "url", ["http://127.0.0.1:7077", "https://memory.example/team", "unix:/run/m.sock", ""]
)
def test_a_server_may_be_named_or_not(tmp_path: Path, url: str) -> None:
    settings = load_settings({"data_dir": tmp_path}, {"MEMORANDA_URL": url})
    assert (settings.url, settings.shown("url")) == (url, url)


@pytest.mark.parametrize("url", ["memory.example", "https://me:hunter2@memory.example", "unix:m"])
def test_what_is_no_address_of_a_server_is_refused(tmp_path: Path, url: str) -> None:
    with pytest.raises(InvalidInput, match="url: must look like") as caught:
        load_settings({"data_dir": tmp_path}, {"MEMORANDA_URL": url})
    assert "hunter2" not in str(caught.value)


def test_a_token_is_never_shown(tmp_path: Path) -> None:
    settings = load_settings({"data_dir": tmp_path}, {"MEMORANDA_TOKEN": "hunter2"})
    assert settings.token == "hunter2"
    assert settings.shown("token") == "***"
    assert "hunter2" not in repr(settings)
    with pytest.raises(InvalidInput, match="token: must consist") as caught:
        load_settings({"data_dir": tmp_path}, {"MEMORANDA_TOKEN": "hunter2 twice"})
    assert "hunter2" not in str(caught.value)
