"""Fixtures with one recording per host, shared by all tests.

The end of a run lists hosts that were left out.
"""

from __future__ import annotations

import fcntl
import os
import pickle
import traceback
from collections.abc import Callable
from functools import cache
from pathlib import Path

import pytest
import stories
from host_packages import Unreachable, agent_sdk_python, host_programs
from host_programs import HOSTS, AgentSdk
from recordings import Recording, Stage

from model_server import ModelServer

REQUIRED = "MEMORANDA_REQUIRE_HOSTS"
"""When set, hosts that cannot be installed fail instead of being skipped."""
UNTESTED = "NOT TESTED:"
NOTES = pytest.StashKey[list[str]]()


def pytest_configure(config: pytest.Config) -> None:
    """Prepare the notes that are printed at the end of the run."""
    config.stash[NOTES] = []


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark each test of this folder."""
    for item in items:
        if Path(__file__).parent in item.path.parents:
            item.add_marker(pytest.mark.hosts)


def pytest_terminal_summary(
    terminalreporter: pytest.TerminalReporter, config: pytest.Config
) -> None:
    """Report hosts that were left out, and the time that hooks add."""
    for note in config.stash[NOTES]:
        if note.startswith(UNTESTED):
            terminalreporter.write_sep("!", note, red=True, bold=True)
        else:
            terminalreporter.write_line(note)


@pytest.fixture(scope="session")
def programs(pytestconfig: pytest.Config) -> Path:
    """Return the folder of the hosts' programs, or skip and report it."""
    return _installed(pytestconfig, host_programs, "real hosts")


def _installed(config: pytest.Config, install: Callable[[], Path], what: str) -> Path:
    try:
        return install()
    except Unreachable as problem:
        if os.environ.get(REQUIRED):
            raise
        note = f"{UNTESTED} {what}: {problem}"
        if note not in config.stash[NOTES]:
            config.stash[NOTES].append(note)
        pytest.skip(note)


@pytest.fixture(scope="session")
def recorded(
    programs: Path, tmp_path_factory: pytest.TempPathFactory, pytestconfig: pytest.Config
) -> Callable[[str], Recording]:
    """Return a function that returns a host's recording, made once per run."""
    shared = tmp_path_factory.getbasetemp()
    if "PYTEST_XDIST_WORKER" in os.environ:
        shared = shared.parent

    def play(name: str) -> Recording:
        home = tmp_path_factory.mktemp(name)
        work = home / "shop"
        with ModelServer(stories.scripts(stories.TOOLS[HOSTS[name].name](str(work)))) as server:
            recording = Stage.prepare(HOSTS[name](programs, home, work, server.url), server).play()
        if "bare" in recording.runs:
            bare, hooked = (recording.runs[step].seconds for step in ("bare", "with hooks"))
            pytestconfig.stash[NOTES].append(
                f"{name}: one prompt took {hooked / bare:.2f} times as long with hooks as without"
            )
        return recording

    @cache
    def recording_of(name: str) -> Recording:
        if HOSTS[name] is AgentSdk:
            _installed(pytestconfig, agent_sdk_python, "the Claude Agent SDK")
        kept = shared / f"recording-{name}.pickle"
        with (shared / f"{name}.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)
            if not kept.exists():
                try:
                    played: Recording | str = play(name)
                except Exception:
                    played = traceback.format_exc()
                kept.write_bytes(pickle.dumps(played))
        found = pickle.loads(kept.read_bytes())
        assert isinstance(found, Recording), f"the story could not be played:\n{found}"
        return found

    return recording_of


@pytest.fixture(params=HOSTS)
def sessions(request: pytest.FixtureRequest, recorded: Callable[[str], Recording]) -> Recording:
    """Return the recording of each host, of which some have nothing but sessions."""
    return recorded(request.param)


@pytest.fixture(params=[name for name, kind in HOSTS.items() if kind.own_hooks])
def recording(request: pytest.FixtureRequest, recorded: Callable[[str], Recording]) -> Recording:
    """Return the whole recording of each host with hooks of its own."""
    return recorded(request.param)


@pytest.fixture(params=[name for name, kind in HOSTS.items() if kind.forks])
def forked(request: pytest.FixtureRequest, recorded: Callable[[str], Recording]) -> Recording:
    """Return the recordings of hosts that fork sessions."""
    return recorded(request.param)


@pytest.fixture(params=[name for name, kind in HOSTS.items() if kind.imports and kind.own_hooks])
def imported(request: pytest.FixtureRequest, recorded: Callable[[str], Recording]) -> Recording:
    """Return the recordings of hosts whose transcripts are imported."""
    return recorded(request.param)
