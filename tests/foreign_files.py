"""Files as other systems write them: built by their own code where it is at hand, else by their
published schemas."""

from __future__ import annotations

import json
import sqlite3
from pathlib import Path
from typing import Any
from zipfile import ZipFile

CLAUDE_MEM_TABLES = """
create table sdk_sessions (id integer primary key autoincrement,
  content_session_id text unique not null, memory_session_id text unique, project text not null,
  platform_source text not null default 'claude', user_prompt text, started_at text not null,
  started_at_epoch integer not null, completed_at text, completed_at_epoch integer,
  status text not null default 'active', worker_port integer, prompt_counter integer default 0,
  custom_title text);
create table observations (id integer primary key autoincrement, memory_session_id text not null,
  project text not null, text text, type text not null, title text, subtitle text, facts text,
  narrative text, concepts text, files_read text, files_modified text, prompt_number integer,
  discovery_tokens integer default 0, content_hash text, created_at text not null,
  created_at_epoch integer not null);
create table session_summaries (id integer primary key autoincrement,
  memory_session_id text not null, project text not null, request text, investigated text,
  learned text, completed text, next_steps text, files_read text, files_edited text, notes text,
  prompt_number integer, created_at text not null, created_at_epoch integer not null);
create table user_prompts (id integer primary key autoincrement, content_session_id text not null,
  prompt_number integer not null, prompt_text text not null, created_at text not null,
  created_at_epoch integer not null);
create table directives (id integer primary key autoincrement,
  scope text not null default 'global', project text, content text not null,
  status text not null default 'active', source text not null default 'manual',
  created_at text not null, created_at_epoch integer not null, updated_at_epoch integer not null);
"""
"""What is read of claude-mem's ``schema.sql``, as of its migration 35."""
DAY = 1_760_000_000_000
"""Milliseconds; claude-mem counts in them."""


def claude_mem(path: Path) -> Path:
    """Two sessions of two projects, one observation without a session, two directives."""
    with sqlite3.connect(path) as database:
        database.executescript("pragma journal_mode = wal;" + CLAUDE_MEM_TABLES)
        database.executemany(
            "insert into sdk_sessions (content_session_id, memory_session_id, project, user_prompt,"
            " started_at, started_at_epoch, completed_at_epoch, status)"
            " values (?, ?, ?, ?, '', ?, ?, ?)",
            [
                ("s-1", "m-1", "shop", "Mend the cart", DAY, DAY + 9_000, "completed"),
                ("s-2", "m-2", "blog", "Write the feed", DAY + 10_000, None, "active"),
            ],
        )
        database.executemany(
            "insert into user_prompts (content_session_id, prompt_number, prompt_text, created_at,"
            " created_at_epoch) values (?, 1, ?, '', ?)",
            [("s-1", "Mend the cart", DAY + 1_000), ("s-2", "Write the feed", DAY + 11_000)],
        )
        lists = json.dumps(["Totals were rounded twice", "Half up is used now"])
        database.executemany(
            "insert into observations (memory_session_id, project, type, title, subtitle, facts,"
            " narrative, concepts, files_modified, created_at, created_at_epoch)"
            " values (?, ?, ?, ?, ?, ?, ?, ?, ?, '', ?)",
            [
                ("m-1", "shop", "bugfix", "Cart rounds half up", "once", lists, "Was twice.",
                 '["problem-solution"]', '["src/cart.py"]', DAY + 2_000),
                ("m-1", "shop", "decision", "Keep prices in cents", None, "", "Floats drift.",
                 "[]", "not json", DAY + 3_000),
                ("m-9", "shop", "discovery", "Tax table is generated", None, None, None, None,
                 None, DAY + 4_000),
            ],
        )  # fmt: skip
        database.execute(
            "insert into session_summaries (memory_session_id, project, request, learned,"
            " completed, created_at, created_at_epoch)"
            " values ('m-1', 'shop', 'Mend it', 'Rounding', 'Done', '', ?)", [DAY + 8_000]
        )  # fmt: skip
        database.executemany(
            "insert into directives (scope, project, content, status, created_at,"
            " created_at_epoch, updated_at_epoch) values (?, ?, ?, ?, '', ?, ?)",
            [
                ("global", None, "Answer in English", "active", DAY, DAY),
                ("project", "shop", "Never edit the tax table", "active", DAY, DAY),
                ("global", None, "Old rule", "archived", DAY, DAY),
            ],
        )
    database.close()
    return path


def mem0_history(path: Path) -> Path:
    """Three memories: one that was changed twice, one deleted, one as it was. By mem0's code."""
    from mem0.memory.storage import SQLiteManager

    history = SQLiteManager(str(path))
    first, second = "2026-03-01T10:00:00+00:00", "2026-03-02T10:00:00+00:00"
    history.add_history("a", None, "Likes tea", "ADD", created_at=first)
    history.add_history("b", None, "Lives in Bonn", "ADD", created_at=first)
    history.add_history(
        "a", "Likes tea", "Likes green tea", "UPDATE", created_at=first, updated_at=second
    )
    history.add_history(
        "a", "Likes green tea", "Likes oolong", "UPDATE", created_at=first,
        updated_at="2026-03-03T10:00:00+00:00",
    )  # fmt: skip
    history.add_history("b", "Lives in Bonn", None, "DELETE", is_deleted=1)
    history.add_history("c", None, "Works at night", "ADD", created_at=second)
    history.close()
    return path


def mem0_export(path: Path) -> Path:
    """What ``get_all`` gives."""
    items = [
        {"id": "a", "memory": "Likes oolong", "hash": "x", "user_id": "ada",
         "metadata": {"topic": "drinks"}, "categories": ["food"],
         "created_at": "2026-03-01T02:00:00-08:00", "updated_at": None},
        {"id": "d", "memory": "Has a cat", "user_id": "ada", "created_at": "2026-03-04T10:00:00Z"},
        {"id": "e", "memory": ""},
    ]  # fmt: skip
    return written(path, {"results": items})


def mcp_memory(path: Path) -> Path:
    """What the reference memory server keeps."""
    lines: list[Any] = [
        {"type": "entity", "name": "Ada", "entityType": "person",
         "observations": ["speaks German", "likes tea", "likes tea"]},
        {"type": "entity", "name": "Shop", "entityType": "project", "observations": []},
        {"type": "relation", "from": "Ada", "to": "Shop", "relationType": "works on"},
        {"type": "note"},
    ]  # fmt: skip
    path.write_text("\n".join(map(json.dumps, lines)), "utf-8")
    return path


def letta(path: Path) -> Path:
    """An agent with two blocks that spoke, and used a tool."""
    messages = [
        {"role": "system", "content": [{"type": "text", "text": "You are helpful"}]},
        {"role": "user", "content": [{"type": "text", "text": json.dumps(
            {"type": "user_message", "message": "Hello, I am Ada"})}],
         "created_at": "2026-03-01T10:00:00Z"},
        {"role": "assistant", "content": [], "created_at": "2026-03-01T10:00:01Z", "tool_calls": [
            {"id": "t1", "function": {"name": "send_message",
                                      "arguments": '{"message": "Hello Ada"}'}}]},
        {"role": "tool", "tool_call_id": "t1", "content": [{"type": "text", "text": "{}"}]},
        {"role": "assistant", "content": [{"type": "text", "text": "I will look."}],
         "created_at": "2026-03-01T10:00:02Z", "tool_calls": [
            {"id": "t2", "function": {"name": "run_code", "arguments": '{"code": "1+1"}'}}]},
        {"role": "tool", "tool_call_id": "t2", "created_at": "2026-03-01T10:00:03Z",
         "content": [{"type": "text", "text": '{"status": "OK", "message": "2"}'}]},
        {"role": "user", "content": [{"type": "text", "text": '{"type": "heartbeat"}'}]},
    ]  # fmt: skip
    blocks = [
        {"id": "block-0", "label": "human", "value": "Name: Ada", "limit": 2_000},
        {"id": "block-1", "label": "persona", "value": "Helpful", "limit": 10,
         "description": "Who I am", "read_only": True},
    ]  # fmt: skip
    agent = {"id": "agent-0", "name": "guide", "block_ids": ["block-0", "block-1", "block-7"],
             "messages": messages}  # fmt: skip
    return written(path, {"agents": [agent], "blocks": blocks, "tools": [], "groups": []})


def chatgpt(path: Path) -> Path:
    """One conversation whose second answer was made anew, zipped as it is downloaded."""

    def node(
        id: str, parent: str | None, below: list[str], role: str, text: str, **more: Any
    ) -> Any:
        author = {"role": role, **more.pop("author", {})}
        content = {"content_type": "text", "parts": [text]}
        message = {"id": id, "author": author, "create_time": 1.76e9, "content": content, **more}
        return {"id": id, "parent": parent, "children": below, "message": message}

    mapping = {
        "root": {"id": "root", "parent": None, "children": ["u1"], "message": None},
        "u1": node("u1", "root", ["a1", "a2"], "user", "How do I round half up?"),
        "a1": node("a1", "u1", [], "assistant", "With round()."),
        "a2": node("a2", "u1", ["c1"], "assistant", "With decimal."),
        "c1": node("c1", "a2", ["t1"], "assistant", "print(1)", recipient="python"),
        "t1": node("t1", "c1", [], "tool", "1", author={"name": "python"}),
    }
    values = {"conversation_id": "g-1", "title": "Rounding", "create_time": 1.76e9,
            "current_node": "t1", "mapping": mapping}  # fmt: skip
    with ZipFile(path, "w") as zip:
        zip.writestr("export/conversations.json", json.dumps([values]))
        zip.writestr("export/user.json", "{}")
    return path


def claude_export(folder: Path) -> Path:
    """One conversation with a tool, and what Claude remembers of its user."""
    content = [
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "t", "name": "repl", "input": {"code": "1"}},
        {"type": "tool_result", "tool_use_id": "t", "name": "repl", "content": "1"},
    ]
    values = {"uuid": "c-1", "name": "Tea", "created_at": "2026-03-01T10:00:00Z", "chat_messages": [
        {"uuid": "m1", "sender": "human", "text": "Which tea?", "content": [],
         "created_at": "2026-03-01T10:00:00Z",
         "attachments": [{"file_name": "list.txt", "extracted_content": "oolong"}]},
        {"uuid": "m2", "sender": "assistant", "text": "", "content": content,
         "created_at": "2026-03-01T10:00:05Z"}]}  # fmt: skip
    folder.mkdir(parents=True, exist_ok=True)
    written(folder / "conversations.json", [values, {"uuid": "c-2", "chat_messages": []}])
    remembered = {"conversations_memory": "**Work**\n\nAda sells tea.\n\n# Tastes\n\nOolong."}
    written(folder / "memories.json", [remembered])
    return folder


def notes(folder: Path) -> Path:
    """A tree of Markdown with what is not to be read among it."""
    texts = {
        "CLAUDE.md": "# Shop\n\nUse cents.\n\n## Tests\n\n- run `make test`\n\n"
        "```\n# no heading\n```\n<!-- hidden -->\n",
        "docs/tax.md": "---\ntitle: Tax\n---\nThe table is generated.\n",
        "docs/empty.md": "# Nothing\n",
        "node_modules/x/README.md": "not ours",
        ".hidden/x.md": "not ours",
        "code.py": "# not Markdown",
    }
    for name, text in texts.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, "utf-8")
    return folder


def written(path: Path, value: Any) -> Path:
    """Write JSON."""
    path.write_text(json.dumps(value), "utf-8")
    return path
