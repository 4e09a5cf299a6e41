"""Counts the tests of another project by what came of them, and why.

A plug-in of pytest; scripts/suites loads it. A test counts only if it used what was put in the
place of the project's own.
"""

from __future__ import annotations

import json
import os
import shutil
import tempfile
from pathlib import Path
from typing import Any

import pytest

from memoranda import Memoranda
from memoranda.config import load_settings
from postgres_stores import EmptyStores
from servers import PostgresServer

SUBSTITUTED = os.environ.get("UPSTREAM_CLASSES") != "own"
"""Whether classes are replaced; without, one sees which tests fail with the project's own."""

_state: dict[str, Any] = {}
_used = set[str]()
_running = ""
_results: dict[str, tuple[str, str]] = {}


class Substituted:
    """What stands in the place of a class of another project."""

    def __init__(self) -> None:
        """Note which test uses it."""
        _used.add(_running)


def opened() -> Memoranda:
    """Return the memory of this run, on the engine that UPSTREAM_ENGINE names."""
    return _state["memory"]


def pytest_configure(config: pytest.Config) -> None:
    """Start a PostgreSQL server, which some tests need themselves, and open a memory."""
    folder = Path(tempfile.mkdtemp(prefix="memoranda-upstream-"))
    arguments: dict[str, Any] = {"data_dir": folder / "data", "embedder": "local"}
    _state["folder"] = folder
    if os.environ.get("UPSTREAM_ENGINE") == "postgres":
        server = _state["server"] = PostgresServer(settings=("max_connections=200",))
        os.environ |= {"PGHOST": "127.0.0.1", "PGPORT": str(server.port), "PGUSER": "postgres"}
        arguments["database_url"] = EmptyStores(server).url
    _state["memory"] = Memoranda.open(settings=load_settings(arguments, {}))


def pytest_unconfigure() -> None:
    """Leave nothing behind."""
    if "memory" in _state:
        _state["memory"].close()
    if "server" in _state:
        _state["server"].close()
    if "folder" in _state:
        shutil.rmtree(_state["folder"], ignore_errors=True)


@pytest.hookimpl(tryfirst=True)
def pytest_runtest_setup(item: pytest.Item) -> None:
    """Remember which test runs."""
    global _running
    _running = item.nodeid


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item: pytest.Item, call: pytest.CallInfo[None]) -> Any:
    """Remember what came of a test."""
    report = yield
    before = _results.get(item.nodeid, ("", ""))[0]
    if report.skipped and not before:
        _results[item.nodeid] = "skipped", ""
    elif report.failed and before != "failed":
        assert call.excinfo is not None
        _results[item.nodeid] = "failed", _reason(call.excinfo)
    elif call.when == "call" and report.passed:
        _results[item.nodeid] = "passed", ""
    return report


def _reason(info: pytest.ExceptionInfo[BaseException]) -> str:
    error = info.value
    text = str(error).splitlines()[0][:150] if str(error) else ""
    return f"{type(error).__name__}: {text}"


def pytest_sessionfinish() -> None:
    """Write what came of the tests, for the script that runs them."""
    found = {
        name: {"outcome": outcome, "reason": reason, "used": name in _used}
        for name, (outcome, reason) in _results.items()
    }
    Path(os.environ["UPSTREAM_REPORT"]).write_text(json.dumps(found), encoding="utf-8")
