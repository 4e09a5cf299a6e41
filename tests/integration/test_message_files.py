"""A PDF or picture in a message is replaced by a description, as the page on recording states."""

from __future__ import annotations

import json
from base64 import b64encode
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner

from memoranda import Memoranda
from memoranda.blocks.block_writer import NewBlock
from memoranda.cli import cli
from transcript_files import user_line, write

pytestmark = pytest.mark.integration

PDF = b64encode(b"%PDF-1.7 " + bytes(3_000)).decode()
PNG = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(3_000)).decode()
TEXT = "Here is the plan of the harbour."
_CLAUDE = [
    {"type": "image", "source": {"type": "base64", "media_type": "image/png", "data": PNG}},
    {"type": "text", "text": TEXT},
    {
        "type": "document",
        "source": {"type": "base64", "media_type": "application/pdf", "data": PDF},
    },
]
_QUEUED = {"type": "queued_command", "commandMode": "prompt", "prompt": _CLAUDE}
_CODEX = {
    "type": "message",
    "role": "user",
    "content": [
        {"type": "input_text", "text": TEXT},
        {"type": "input_image", "image_url": f"data:image/png;base64,{PNG}"},
        {"type": "input_file", "file_data": f"data:application/pdf;base64,{PDF}"},
    ],
}
_META = {"id": "c1", "cwd": "/srv/harbour", "source": "cli", "timestamp": "2026-01-02T03:04:05Z"}
_GEMINI = [
    {"text": TEXT},
    {"inlineData": {"mimeType": "application/pdf", "data": PDF}},
    {"inlineData": {"mimeType": "image/png", "data": PNG}},
]
TRANSCRIPTS: dict[str, Sequence[Any]] = {
    "claude-code.jsonl": [user_line("a1", None, _CLAUDE)],
    "queued.jsonl": [
        user_line("a1", None, "Go on."),
        {**user_line("a2", "a1", ""), "type": "attachment", "attachment": _QUEUED},
    ],
    "rollout-codex.jsonl": [
        {"timestamp": "2026-01-02T03:04:05Z", "type": "session_meta", "payload": _META},
        {"timestamp": "2026-01-02T03:04:06Z", "type": "response_item", "payload": _CODEX},
    ],
    "cursor.jsonl": [{"role": "user", "message": {"content": _CLAUDE}}],
    "session-1.jsonl": [
        {"sessionId": "g1", "projectHash": "0" * 64, "kind": "main"},
        {"id": "m1", "type": "user", "timestamp": "2026-01-02T03:04:05Z", "content": _GEMINI},
    ],
}


@pytest.mark.parametrize("name", TRANSCRIPTS)
def test_an_imported_message_has_the_descriptions_of_its_files(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, TRANSCRIPTS[name])
    environment = {"MEMORANDA_DATA_DIR": str(tmp_path / "data"), "MEMORANDA_EMBEDDER": "none"}

    def run(*words: str) -> Any:
        result = CliRunner(env=environment).invoke(cli, ["--format", "json", *words])
        assert result.exit_code == 0, result.output
        return json.loads(result.stdout)

    assert "block:document" not in str(run("import", str(path)))
    titles = [one["title"] for one in run("observation", "list")["items"]]
    assert titles.count(TEXT) == 1
    for label in ("[document (application/pdf, 2.9 KB", "[image (image/png, 2.9 KB"):
        assert len([one for one in titles if one.startswith(label)]) == 1, titles
    assert run("import", str(path))["observations"] == 0


PIXEL = b64encode(b"\x89PNG\r\n\x1a\n" + bytes(range(62))).decode()


@pytest.mark.parametrize(
    ("url", "label"),
    [
        (f"data:image/png;base64,{PIXEL}", "[image (image/png, 70 B, "),
        (f"data:image/png;base64,{PNG}", "[image (image/png, 2.9 KB, "),
        (f"data:image/svg+xml;charset=utf-8;base64,{PNG}", "[image (image/svg+xml, 2.9 KB, "),
        ("data:text/plain;base64,SGVsbG8=", "data:text/plain;base64,SGVsbG8="),
        ("data:image/svg+xml;utf8,<svg/>", "data:image/svg+xml;utf8,<svg/>"),
    ],
)
def test_an_image_in_any_text_is_described(memory: Memoranda, url: str, label: str) -> None:
    text = f"The icon of the harbour is {url} in the style sheet."
    made = memory.remember(text)
    block = memory.blocks.create(NewBlock("icon", text))
    seen = memory.observe(text)
    texts = (
        memory.memories.show(made.id).memory.content,
        block.value,
        memory.observations.show(seen.id).content,
    )

    assert all(label in one and one.endswith(" in the style sheet.") for one in texts)
    assert label.startswith("data:") or not any(";base64," in one for one in texts)
