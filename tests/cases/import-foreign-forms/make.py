"""Write files that people pass to `memoranda import` by mistake."""

import gzip
import json
import os
import sqlite3
import zipfile
from pathlib import Path


def message(number: int, text: str, **more: object) -> dict[str, object]:
    """Return a line of Claude Code."""
    return {
        "type": "user",
        "sessionId": "s1",
        "uuid": f"u{number}",
        "timestamp": f"2026-01-05T10:00:{number:02}Z",
        "message": {"role": "user", "content": text},
        **more,
    }


LINES = [message(1, "Πόσο κοστίζει το τσάι;"), message(2, "Tea, please"), message(3, "No sugar 🍵")]
TEXT = "".join(json.dumps(line, ensure_ascii=False) + "\n" for line in LINES)
UTF8 = TEXT.encode()
Path("read").mkdir()
for name, data in {
    "utf-16-le.jsonl": b"\xff\xfe" + TEXT.encode("utf-16-le"),
    "utf-16-be.jsonl": b"\xfe\xff" + TEXT.encode("utf-16-be"),
    "utf-16-unmarked.jsonl": json.dumps(LINES[0]).encode("utf-16-le"),
    "utf-32.jsonl": b"\xff\xfe\0\0" + TEXT.encode("utf-32-le"),
    "utf-8-marked.jsonl": b"\xef\xbb\xbf" + UTF8,
    "crlf.jsonl": UTF8.replace(b"\n", b"\r\n"),
    "cr.jsonl": UTF8.replace(b"\n", b"\r"),
    "nul.jsonl": b"\0" * 8 + UTF8 + b"\0" * 8,
    "array.jsonl": json.dumps(LINES).encode(),
    "pretty.jsonl": json.dumps(LINES, indent=2).encode(),
    "several.jsonl": "\n".join(json.dumps(line, indent=1) for line in LINES).encode(),
    "named.md": UTF8,
    "named.txt": UTF8,
}.items():
    Path("read", name).write_bytes(data)
Path("torn.json").write_bytes(json.dumps(LINES, indent=2).encode()[:-60])
Path("odd.jsonl").write_text(
    "\n".join(
        (
            '{"type":"user","sessionId":"s2","uuid":"a","x":NaN,"y":-Infinity,'
            '"message":{"role":"user","content":"half \\ud800 of a pair"}}',
            '{"type":"user","sessionId":"s2","uuid":"b","message":{"content":"a"},'
            '"message":{"role":"user","content":"the later of two"}}',
            json.dumps(message(4, "a number", message={"role": "user", "content": 5})),
            '{"a":' * 10_000 + "1" + "}" * 10_000,
            "[1, 2]",
            '{"type":"user"',
        )
    )
)
Path("refused").mkdir()
packed = gzip.compress(UTF8)
pair = [{"role": "user", "content": "hi"}, {"role": "assistant", "content": "hello"}]
for name, data in {
    "empty.jsonl": b"",
    "blank.jsonl": b"\n \n",
    "whole.jsonl.gz": packed,
    "torn.jsonl.gz": packed[:40],
    "picture.jsonl": b"\x89PNG\r\n\x1a\n" + bytes(range(256)),
    "paper.pdf": b"%PDF-1.7\n",
    "page.json": b"<!doctype html><p>404",
    "noise.jsonl": bytes(range(256)) * 8,
    "deep.json": b"[" * 10_000,
    "messages.json": json.dumps(pair).encode(),
    "ui_messages.json": json.dumps([{"ts": 1, "type": "say", "text": "hi"}]).encode(),
    "opencode.json": json.dumps({"info": {"id": "s"}, "messages": []}, indent=2).encode(),
}.items():
    Path("refused", name).write_bytes(data)
with zipfile.ZipFile("refused/book.xlsx", "w") as book:
    book.writestr("xl/workbook.xml", "<x/>")
Path("refused/cut.zip").write_bytes(Path("refused/book.xlsx").read_bytes()[:-30])
for name, table in (("other.db", "things"), ("state.vscdb", "cursorDiskKV")):
    with sqlite3.connect(Path("refused", name)) as database:
        database.execute(f"create table {table} (key text, value blob)")
os.mkfifo("refused/pipe")
Path("refused/folder").mkdir()
turn = {"sender": "human", "content": "only a content", "created_at": "2026-01-05T10:00:00Z"}
call = {"sender": "assistant", "content": [{"type": "tool_use", "id": "t", "name": "search"}]}
chat = {"uuid": "c1", "name": "Tea", "chat_messages": [turn, turn | {"content": "again"}, call, {}]}
Path("claude.json").write_text(json.dumps([None, 7, chat, "x"]))
Path("sessions").mkdir()
for name, data in {
    "new.jsonl": UTF8,
    "old.jsonl.xz": b"\xfd7zXZ\0" + UTF8,
    "both.jsonl": UTF8,
    "both.jsonl.gz": packed,
    "notes.txt.gz": packed,
}.items():
    Path("sessions", name).write_bytes(data)
