"""Errors are open or resolved, by one word in the option, the filter and the table."""

from __future__ import annotations

from pathlib import Path

import pytest
from commands import ask, invoke

pytestmark = pytest.mark.e2e


def test_resolved_errors_are_listed_by_the_word_of_their_state(tmp_path: Path) -> None:
    data = tmp_path / "data"
    kind = ("--type", "test", "--workspace", "shop")
    ask(data, "errors", "record", "one failed", *kind)
    ended = ask(data, "errors", "record", "two failed", *kind, "--recovery", "a restart")
    for option in ("--resolved", "--over"):
        listed = ask(data, "errors", "list", "--workspace", "shop", option)["items"]
        assert [one["id"] for one in listed] == [ended["id"]]
    help_text = invoke(data, "errors", "list", "--help").out
    assert "--resolved" in help_text
    assert "--over" not in help_text
