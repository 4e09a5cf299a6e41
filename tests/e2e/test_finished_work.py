"""Programs that run once do the work that follows from them, or another one does it soon."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest
from commands import ask, forked, invoke

from embedding_servers import EmbeddingServer

MESSAGES = [
    {"kind": "message", "session": "s1", "origin": "human", "text": text}
    for text in ("Prices are stored in cents", "The parser fails on umlauts", "We deploy on Friday")
]
PLUG_IN = """
import os
def hears(event):
    with open(os.environ["HEARD"], "a") as out:
        out.write(event.text + "\\n")
def fails(event):
    raise KeyError("of " + event.text)
def register(handlers):
    for handler in (fails, hears):
        handlers.on("message", handler)
"""


@pytest.fixture
def data_dir(tmp_path: Path) -> Path:
    return tmp_path / "data"


def rpc(data_dir: Path, *calls: tuple[str, dict[str, Any]]) -> list[Any]:
    """Start a process for some calls, which ends with them; return the results."""
    lines = [
        json.dumps({"jsonrpc": "2.0", "id": number, "method": method, "params": params})
        for number, (method, params) in enumerate(calls)
    ]
    output = forked(data_dir, "rpc", given="\n".join(lines).encode())
    assert output.code == 0, output.err
    return [json.loads(line)["result"] for line in output.out.splitlines()]


def observed(data_dir: Path, *texts: str) -> None:
    for text in texts:
        values = ("--task", "t", "--workspace", "shop", "--tool", "Edit")
        assert invoke(data_dir, "observe", text, *values).code == 0


def test_a_stage_completed_by_a_process_that_ends_has_its_summary(data_dir: Path) -> None:
    observed(data_dir, "Edited src/app.py: rename the loader", "Edited src/db.py: use SQLite")
    (made,) = rpc(data_dir, ("memory.complete_stage", {"task_id": "1"}))
    assert "rename the loader" in made["stage_summary"]
    (later,) = rpc(data_dir, ("memory.get_stage_context", {"task_id": "1", "stage_id": 1}))
    assert later["stage"]["stage_summary"] == made["stage_summary"]


@pytest.mark.parametrize("words", [("stage", "set", "1", "verification"), ("task", "end", "1")])
def test_a_stage_that_ends_otherwise_has_its_summary(
    data_dir: Path, words: tuple[str, ...]
) -> None:
    observed(data_dir, "Edited src/app.py: rename the loader", "Edited src/db.py: use SQLite")
    assert invoke(data_dir, *words).code == 0
    shown = ask(data_dir, "stage", "show", "1", "1")
    assert "rename the loader" in shown["summary"]["text"]


def by_meaning(data_dir: Path, query: str, **variables: str) -> list[str]:
    words = ("search", query, "--mode", "vectors", "--floor", "0", "--format", "json")
    output = forked(data_dir, *words, **variables)
    assert output.code == 0, output.err
    return [hit["title"] for hit in output.json["hits"]]


def test_what_is_stored_is_found_by_meaning_without_further_commands(
    data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, MESSAGES)))
    with EmbeddingServer() as server:
        model = {"MEMORANDA_EMBEDDER": "openai", "MEMORANDA_EMBEDDING_URL": server.url}
        model |= {"MEMORANDA_EMBEDDING_MODEL": "m", "MEMORANDA_EMBEDDING_KEY": "k"}
        assert forked(data_dir, "import", str(file), "--workspace", "shop", **model).code == 0
        embedded = [text for one in server.requests for text in one.body["input"]]
        assert len(embedded) >= len(MESSAGES)  # before the import has ended
        assert "We deploy on Friday" in by_meaning(data_dir, "We deploy on Friday", **model)
        reported = ("The cache is cold", "--workspace", "shop")
        assert forked(data_dir, "observe", *reported, **model).code == 0
        assert "The cache is cold" in by_meaning(data_dir, "The cache is cold", **model)
        other = model | {"MEMORANDA_EMBEDDING_MODEL": "another"}
        assert "We deploy on Friday" in by_meaning(data_dir, "We deploy on Friday", **other)


def test_an_import_without_an_answer_of_the_model_is_kept_and_found_by_words(
    data_dir: Path, tmp_path: Path
) -> None:
    file = tmp_path / "run.jsonl"
    file.write_text("\n".join(map(json.dumps, MESSAGES)))
    dead = {"MEMORANDA_EMBEDDER": "openai", "MEMORANDA_EMBEDDING_URL": "http://127.0.0.1:9/v1"}
    dead |= {"MEMORANDA_EMBEDDING_KEY": "k", "MEMORANDA_EMBEDDING_TIMEOUT_SECONDS": "1"}
    output = forked(data_dir, "import", str(file), "--workspace", "shop", **dead)
    assert output.code == 0, output.err
    assert "umlauts" in invoke(data_dir, "search", "umlauts", "--mode", "words").out


def test_plug_ins_receive_events_that_a_drain_stores(data_dir: Path, tmp_path: Path) -> None:
    package, heard = tmp_path / "package", tmp_path / "heard"
    metadata = package / "noisy-1.0.dist-info"
    metadata.mkdir(parents=True)
    (package / "noisy_plug_in.py").write_text(PLUG_IN)
    (metadata / "METADATA").write_text("Metadata-Version: 2.1\nName: noisy\nVersion: 1.0\n")
    points = "noisy = noisy_plug_in:register\ngone = no_such_module:register\n"
    (metadata / "entry_points.txt").write_text(f"[memoranda.handlers]\n{points}")
    spool = data_dir / "spool"
    spool.mkdir(parents=True, mode=0o700)
    lines = [
        {"v": 1, "t": number * 10**9, "h": "generic", "p": one}
        for number, one in enumerate(MESSAGES, 1_800_000_000)
    ]
    (spool / "a.jsonl").write_text("\n".join(map(json.dumps, lines)))
    found = {"PYTHONPATH": str(package), "HEARD": str(heard)}
    output = forked(data_dir, "drain", **found)
    assert output.code == 0
    assert heard.read_text().splitlines() == [one["text"] for one in MESSAGES]
    shown = forked(data_dir, "doctor", "--quick", **found).out
    assert f"noisy_plug_in.fails failed {len(MESSAGES)} times or more; last KeyError" in shown
    assert "gone (no_such_module:register) failed 2 times or more" in shown  # here and there
    assert "noisy_plug_in.fails" in forked(data_dir, "status").out
    assert f"noisy_plug_in.fails, KeyError: 'of {MESSAGES[0]['text']}'" in output.err
