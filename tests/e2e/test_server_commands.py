"""Commands that ask a server say what they say of a store here."""

from __future__ import annotations

import json
import re
import signal
import time
import urllib.request
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from commands import SOURCES, CommandOutput, ask, forked, invoke

import forked_processes
from servers import free_port

pytestmark = pytest.mark.e2e

_CHANGING = re.compile(
    r"[0-9a-f]{8}-[0-9a-f-]{27}|[0-9a-f]{8}-[0-9a-f]{4}(-[0-9a-f]{4})?|[0-9a-f]{64}"
    r"|id=.{1,2}[0-9a-f]{8}|\d+(?=,? (?:of \d+ )?tokens)|(?<=\"needed\": )\d+"
    r"|\d{4}-\d\d-\d\d[T ][\d:.]+Z?|\d\.\d{3,}"
)


@contextmanager
def served(folder: Path) -> Iterator[tuple[str, Path]]:
    """A server process with a store of its own below `folder`; its address, its data directory."""
    data_dir = folder / "data"
    data_dir.mkdir(mode=0o700)
    environment = {"PYTHONPATH": SOURCES, "HOME": str(folder), "MEMORANDA_EMBEDDER": "none"}
    words = ["--port", "0", "--format", "json", "--data-dir", str(data_dir)]
    process = forked_processes.serve(words, environment)
    try:
        yield json.loads(process.stdout.readline())["url"], data_dir
    finally:
        process.send_signal(signal.SIGTERM)
        process.wait(20)
        process.close()


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[tuple[str, Path]]:
    """One for all tests that do not mind what the others left in it."""
    with served(tmp_path_factory.mktemp("there")) as running:
        yield running


@pytest.fixture
def untouched(tmp_path: Path) -> Iterator[tuple[str, Path]]:
    """One in which nothing was done yet."""
    (tmp_path / "there").mkdir()
    with served(tmp_path / "there") as running:
        yield running


def result_fields(message: CommandOutput) -> tuple[int, str, str]:
    """What was said, without ids, times and scores."""
    return message.code, _CHANGING.sub("…", message.out), _CHANGING.sub("…", message.err)


STORY = (
    ("remember", "Prices are net.", "--workspace", "shop", "--critical"),
    ("remember", "The vault opens at nine.", "--everywhere"),
    ("observe", "Chose SQLite: one file", "--task", "one", "--workspace", "shop"),
    ("search", "prices", "--workspace", "shop"),
    ("search", "prices", "--format", "md"),
    ("memory", "list", "--workspace", "shop"),
    ("block", "create", "board", "--workspace", "shop"),
    ("block", "insert", "board", "buy milk", "--workspace", "shop"),
    ("block", "show", "board", "--workspace", "shop", "--format", "json"),
    ("context", "--budget", "500", "--workspace", "shop"),
    ("task", "list", "--format", "json"),
    ("workspace", "list"),
    ("timeline", "1#1"),
    ("rate", "1#1", "useful"),
    ("feedback", "add", "No, it must be port 9090.", "--task", "1"),
    ("feedback", "list", "--format", "json"),
    ("pending", "list", "--format", "json"),
    ("pending", "approve", "01a2ffff"),
    ("search", "x", "--workspace", "nowhere"),
    ("context", "--budget", "1", "--workspace", "shop", "--format", "json"),
    ("observation", "show", "9#9", "--format", "json"),
    ("forget", "1#1", "--dry-run"),
    ("reembed",),
    ("journal", "verify"),
)  # fmt: skip

READS = {"search", "list", "show", "context", "timeline", "--dry-run", "verify"}
"""Words of steps that change nothing, so that no work follows from them."""


def test_every_step_returns_the_same_on_a_server(
    untouched: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, there = untouched
    here = tmp_path / "data"
    monkeypatch.chdir(tmp_path)
    settled = True
    for words in STORY:
        reads = bool(READS.intersection(words))
        if reads and not settled:
            invoke(here, "drain")  # a server does the work that follows by itself, some time
            _settle(there, url)
        settled = reads
        local = result_fields(invoke(here, *words))
        distant = result_fields(invoke(there, "--url", url, *words))
        assert distant == local, words
    assert not (tmp_path / "data" / "token").exists()


def _settle(there: Path, url: str) -> None:
    """Wait until a server has done all that followed from what it was asked for."""
    token = (there / "token").read_text().strip()
    address = f"{url.rstrip('/')}/api/v1/status"
    question = urllib.request.Request(address, headers={"Authorization": f"Bearer {token}"})
    deadline = time.monotonic() + 120
    while json.load(urllib.request.urlopen(question, timeout=60))["jobs_waiting"]:
        assert time.monotonic() < deadline
        time.sleep(0.3)  # each question costs the server as much as a command


def test_a_proposal_is_approved_there_by_its_person(
    server: tuple[str, Path], tmp_path: Path
) -> None:
    url, there = server
    ask(there, "--url", url, "remember", "The gateway listens on 8080.", "--workspace", "barn")
    known = ask(there, "--url", url, "memory", "list", "--workspace", "barn")["items"][0]
    edited = invoke(there, "--url", url, "memory", "edit", known["id"], "--content", "On 9090.")
    assert edited.code == 0, edited
    assert (
        ask(there, "--url", url, "memory", "show", known["id"])["memory"]["content"] == "On 9090."
    )


def test_the_option_the_variable_and_the_token_of_another_place_do(
    server: tuple[str, Path], tmp_path: Path
) -> None:
    url, there = server
    token = (there / "token").read_text().strip()
    elsewhere = tmp_path / "data"
    output = forked(elsewhere, "stats", "--format", "json", "--url", url, MEMORANDA_TOKEN=token)
    assert (output.code, output.err) == (0, "")
    by_setting = forked(
        elsewhere, "stats", "--format", "json", MEMORANDA_URL=url, MEMORANDA_TOKEN=token
    )
    assert by_setting.json == output.json
    assert not (elsewhere / "memoranda.db").exists()
    refused = forked(elsewhere, "stats", "--format", "json", "--url", url, MEMORANDA_TOKEN="wrong")
    assert (refused.code, refused.error["code"]) == (9, "unauthenticated")
    none = forked(elsewhere, "stats", "--format", "json", "--url", url)
    assert (none.code, none.error["code"]) == (2, "invalid")
    assert "MEMORANDA_TOKEN" in none.error["message"]
    encrypted = url.replace("http:", "https:")
    wrong = forked(
        elsewhere, "stats", "--format", "json", "--url", encrypted, MEMORANDA_TOKEN=token
    )
    assert (wrong.code, wrong.error["code"]) == (22, "server_unavailable")
    assert "use http://" in wrong.error["message"]


def test_an_unreachable_server_is_reported_with_a_remedy(tmp_path: Path) -> None:
    url = f"http://127.0.0.1:{free_port()}"
    output = forked(
        tmp_path / "data", "stats", "--format", "json", "--url", url, MEMORANDA_TOKEN="t"
    )
    assert (output.code, output.error["code"]) == (22, "server_unavailable")
    assert "memoranda serve" in output.error["message"]


@pytest.mark.parametrize(
    "words",
    [
        ("backup", "copy.db"),
        ("restore", "copy.db", "--yes"),
        ("export", "all.jsonl"),
        ("import", "session.jsonl"),
        ("mirror", "on"),
        ("install", "claude-code", "--dry-run"),
        ("encrypt",),
    ],
    ids=" ".join,
)
def test_what_is_about_a_machine_is_refused_from_another(
    server: tuple[str, Path], words: tuple[Any, ...]
) -> None:
    url, there = server
    output = invoke(there, "--url", url, *words)
    assert output.code in (2, 5), output
    assert "machine" in output.err or "there" in output.err


def test_a_key_stores_in_its_workspace_and_for_its_agent_alone(
    server: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, there = server
    monkeypatch.chdir(tmp_path)
    words = ("--role", "agent", "--agent", "builder", "--workspace", "quay")
    made = ask(there, "--url", url, "auth", "token", "create", *words)  # a server makes keys too
    monkeypatch.setenv("MEMORANDA_TOKEN", made["secret"])
    assert "for workspace quay:" in invoke(there, "--url", url, "remember", "Quokkas smile.").out
    output = invoke(there, "--url", url, "remember", "Okapis hide.", "--private")
    assert "for agent builder alone:" in output.out
    output = invoke(there, "--url", url, "remember", "Lynxes leap.", "--everywhere")
    assert "for every workspace:" in output.out
    monkeypatch.delenv("MEMORANDA_TOKEN")
    shown = invoke(there, "--url", url, "memory", "list", "--ever").out
    assert "Quokkas" in shown
    assert "Okapis" not in shown
    listed = ask(there, "--url", url, "auth", "token", "list")["items"]
    assert made["credential"]["id"] in [one["id"] for one in listed]


def test_who_observes_is_the_caller_that_the_server_knows(
    server: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, there = server
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("CLAUDECODE", raising=False)
    typed = ask(there, "--url", url, "observe", "Gulls nest in May", "--task", "gulls")
    assert typed["origin"] == "human"
    words = ("--role", "agent", "--agent", "observer")
    made = ask(there, "--url", url, "auth", "token", "create", *words)
    monkeypatch.setenv("MEMORANDA_TOKEN", made["secret"])
    words = ("observe", "Terns nest in June", "--task", "terns")
    assert ask(there, "--url", url, *words)["origin"] == "agent"
    refused = invoke(there, "--url", url, *words, "--origin", "human")
    assert "an agent cannot store its text as a person's" in refused.err


def test_a_title_follows_the_content_unless_it_was_chosen(tmp_path: Path) -> None:
    data_dir, item = tmp_path / "data", "* Only the standard library."
    derived = ask(data_dir, "remember", item, "--title", "Only the standard library.")["id"]
    chosen = ask(data_dir, "remember", "Port 80 is open.", "--title", "Firewall")["id"]
    for id, content in ((derived, "* Also numpy."), (chosen, "Port 81 is open.")):
        invoke(data_dir, "memory", "edit", id, "--content", content)
    titles = {one["id"]: one["title"] for one in ask(data_dir, "memory", "list")["items"]}
    assert titles == {derived: "Also numpy.", chosen: "Firewall"}


def test_a_member_is_shown_no_note_on_what_only_a_reviewer_may_decide(
    server: tuple[str, Path], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    url, there = server
    monkeypatch.chdir(tmp_path)

    def key(role: str, *more: str) -> str:
        words = ("auth", "token", "create", "--role", role, *more)
        return str(ask(there, "--url", url, *words)["secret"])

    agent, member = key("agent", "--agent", "builder"), key("member")
    reviewer = key("reviewer")
    monkeypatch.setenv("MEMORANDA_TOKEN", agent)
    assert "pending" in invoke(there, "--url", url, "remember", "The crane lifts 40 tons.").out
    shown = {}
    for name, secret in {"member": member, "reviewer": reviewer}.items():
        monkeypatch.setenv("MEMORANDA_TOKEN", secret)
        found = invoke(there, "--url", url, "search", "xylophone quantum", "--scope", "all")
        shown[name] = found.out + found.err
    assert "not searched while pending" in shown["reviewer"]
    assert "pending" not in shown["member"]
    monkeypatch.setenv("MEMORANDA_TOKEN", member)
    refused = invoke(there, "--url", url, "pending", "list")
    assert refused.code != 0  # the note would have named this command
