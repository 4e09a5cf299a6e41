"""Open errors whose cause a commit of a later session names."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from happenings import START, ran

from memoranda import Memoranda
from memoranda.config import load_settings

pytestmark = pytest.mark.integration

ERROR = "ERROR: R8: Missing class Modifier (referenced from com.squareup.moshi.codegen.Adapter)"


@pytest.fixture
def memory(tmp_path: Path) -> Iterator[Memoranda]:
    settings = load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {})
    with Memoranda.open(settings=settings) as opened:
        yield opened


def line_of_error(memory: Memoranda, log: str, session: str = "two") -> str:
    failed = {"stdout": "", "stderr": ERROR, "exit_code": 1}
    later = START + 86_400_000_000
    memory.capture.take([ran("1", "make release", failed, cwd="/srv/app", session="one")])
    memory.capture.take(
        [ran("2", "git log --oneline", log, cwd="/srv/app", session=session, occurred_at=later)]
    )
    text = memory.context(workspace="app", at_start=True).text
    return next(line for line in text.split("\n") if "make release" in line)


def test_a_commit_of_a_later_session_that_names_the_cause_may_have_fixed_it(
    memory: Memoranda,
) -> None:
    log = "16b489d version 1.9.0\nb3fed10 build: keep moshi codegen out of the classpath"
    assert "Perhaps fixed by commit b3fed10, not run since: make release" in line_of_error(
        memory, log
    )


@pytest.mark.parametrize(
    "log",
    [
        "b3fed10 build: update the changelog of the release",
        "b3fed10 wip: keep moshi codegen out of the classpath",
        "b3fed10 fix the failing release build",
    ],
)
def test_a_commit_about_something_else_or_unfinished_fixes_nothing(
    memory: Memoranda, log: str
) -> None:
    assert "Still failing: make release" in line_of_error(memory, log)


def test_a_commit_of_the_same_session_fixes_nothing(memory: Memoranda) -> None:
    log = "b3fed10 build: keep moshi codegen out of the classpath"
    assert "Still failing: make release" in line_of_error(memory, log, session="one")
