"""Code of tutorials runs as written, in the order of the page."""

from __future__ import annotations

import json
import os
import re
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from reader_texts import ROOT
from starlette.testclient import TestClient

import forked_processes
from memoranda import Memoranda
from memoranda.api.rest.router import PREFIX
from memoranda.api.service import Service
from memoranda.config import load_settings
from rest_apps import rest_app

BLOCK = re.compile(r"^```python\n(.*?)^```$", re.MULTILINE | re.DOTALL)
COMMANDS = re.compile(r"^```sh\n(.*?)^```$", re.MULTILINE | re.DOTALL)


def page(name: str) -> str:
    """Return the text of a page."""
    return (ROOT / "docs" / name).read_text("utf-8")


def _ran(line: str, home: Path, data_dir: Path | None = None) -> str:
    """Return the output of a documented command, a process of its own, which must go well."""
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    own = {"MEMORANDA_DATA_DIR": str(data_dir or home), "HOME": str(home)}
    program, *words = shlex.split(line, comments=True)
    assert program == "memoranda"
    environ = plain | own | {"MEMORANDA_EMBEDDER": "none"}
    done = forked_processes.run(words, environ, home, seconds=60)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def test_the_chatbot_remembers_each_user_alone(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("MEMORANDA_DATA_DIR", str(tmp_path))
    blocks = BLOCK.findall(page("chatbot.md"))
    printed, names = [], dict[str, object]()
    for block in blocks:
        exec(block, names)
        printed.append(capsys.readouterr().out)
    _, tea, peanuts, walnuts, forgotten = printed
    assert "oolong tea" in tea
    assert "coffee" not in tea
    for prompt, fact in ((peanuts, "peanuts"), (walnuts, "walnuts")):
        assert f"Never suggest {fact} to Ada." in prompt
        assert prompt.index("critical-facts") < prompt.index(fact)
    assert "peanuts" not in walnuts
    assert re.match(r"2 messages and \d+ memories erased", forgotten)
    assert "coffee" not in forgotten


def test_the_users_of_a_chatbot_are_separate_on_a_server(tmp_path: Path) -> None:
    environ = {"MEMORANDA_DATA_DIR": str(tmp_path), "HOME": str(tmp_path), "PATH": "/usr/bin:/bin"}
    keys = dict[str, str]()
    for name, words in re.findall(r"^(\w+)=\$\((.*)\)$", page("chatbot.md"), re.MULTILINE):
        command = [sys.executable, "-m", *words.split()]
        made = subprocess.run(command, env=environ, cwd=tmp_path, capture_output=True, check=True)
        keys[name] = made.stdout.decode().strip()
    service = Service(load_settings({"data_dir": tmp_path, "embedder": "none"}, {}))
    client = TestClient(rest_app(service, service.home.authenticator.principal))

    def send(who: str, method: str, path: str, **value: object) -> tuple[int, str]:
        headers = {"Authorization": f"Bearer {keys[who]}"}
        found = client.request(method, f"{PREFIX}{path}", headers=headers, json=value or None)
        return found.status_code, found.text

    message = {"content": "Remember that I keep a zebra.", "session": "chat"}
    assert send("BEN", "POST", "/messages", **message)[0] == 201
    code, stored = send("BEN", "POST", "/memories", statement="My zebra is called Zoe.")
    assert code == 201
    assert send("ADA", "POST", "/memories", statement="I like tea.")[0] == 201
    for path in ("/search?query=zebra", "/context?query=zebra", "/memories"):
        mark = "&" if "?" in path else "?"
        for answer in (send("ADA", "GET", path), send("ADA", "GET", f"{path}{mark}workspace=all")):
            assert answer[0] == 200
            assert not re.search("Zoe|keep a zebra", answer[1])
        assert send("ADA", "GET", f"{path}{mark}workspace=user:ben")[0] == 404
        assert re.search("Zoe|keep a zebra", send("BEN", "GET", path)[1])
    assert send("ADA", "GET", f"/memories/{json.loads(stored)['id']}")[0] == 404
    service.close()


def test_the_budget_is_set_as_documented(tmp_path: Path) -> None:
    for line in COMMANDS.findall(page("budget.md"))[0].strip().split("\n"):
        _ran(line, tmp_path)
    with Memoranda.open(tmp_path) as memory:
        assert memory.costs.budget().limit == 20_000_000
        assert memory.costs.set_budget(20, alert_share=0.5).limit == 20_000_000


def test_a_workspace_moves_by_an_archive_as_documented(tmp_path: Path) -> None:
    with Memoranda.open(tmp_path / "one", workspace="shop") as memory:
        memory.remember("Amounts are in cents.")
    lines = COMMANDS.findall(page("share.md"))[0].strip().split("\n")
    for place, line in zip(("one", "two", "two"), lines, strict=True):
        _ran(line, tmp_path, tmp_path / place)
    with Memoranda.open(tmp_path / "two", workspace="shop") as memory:
        assert "Amounts are in cents." in memory.context(budget=500).text


def test_undo_works_as_documented(tmp_path: Path) -> None:
    for line in COMMANDS.findall(page("undo.md"))[0].strip().split("\n"):
        _ran(line, tmp_path)
    shown = json.loads(_ran("memoranda block show board --workspace shop --format json", tmp_path))
    assert (shown["value"], shown["version"]) == ("to do: parser", 3)
    _ran('memoranda remember "Use SQLite" --everywhere', tmp_path)
    acts = json.loads(_ran("memoranda undo --format json", tmp_path))
    named = [one["act"] for one in acts]
    assert named == ["remember", "block undelete", "block restore", "block replace"]
    _ran(acts[2]["command"], tmp_path)  # the printed command runs as printed
    _ran(acts[0]["command"], tmp_path)
    shown = json.loads(_ran("memoranda block show board --workspace shop --format json", tmp_path))
    assert shown["value"] == "to do: lexer"
    (memory,) = json.loads(_ran("memoranda memory list --format json", tmp_path))["items"]
    assert memory["status"] == "archived"
