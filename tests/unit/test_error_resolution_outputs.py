"""Errors resolved by a later call, judged by commands and their outputs."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

from memoranda.capture.analysis.canonical_command import same_again
from memoranda.errors.open_errors import CapturedCall
from memoranda.errors.resolution_rules import AttemptedCall, ends_error
from memoranda.language.shell import parse
from tables import each

TABLE = tomllib.loads(
    Path(__file__).parents[1].joinpath("fixtures", "ended_errors.toml").read_text("utf-8")
)


def _called(line: str, output: str, *, failed: bool) -> AttemptedCall:
    """Return a call as capture sees it in the folder of a workspace."""
    command = parse(line)
    below = command.folder if command.folder and command.folder[0] != "/" else ""
    target = f"shell {same_again(command, '/srv/shop')}" + (f" @ {below}" if below else "")
    text = f"$ {line}\n{TABLE['outputs'].get(output, output)}"
    return CapturedCall(target, lambda: text, failed).attempted()


@each("pair", TABLE["pair"], ids=lambda one: f"{one['failed'][:40]} | {one['then'][:40]}")
def test_an_error_is_over_only_when_its_check_passed(pair: dict[str, Any]) -> None:
    error = _called(pair["failed"], pair["error"], failed=True)
    then = _called(pair["then"], pair["output"], failed=pair.get("fails_too", False))
    assert ends_error(then, error) is pair["over"]


def test_the_table_has_many_of_both() -> None:
    over = [one["over"] for one in TABLE["pair"]]
    assert over.count(True) >= 30
    assert over.count(False) >= 30
