"""Write the transcript of a session as Claude Code does."""

import json
from pathlib import Path

SAID = (
    ("user", "Please add the coupon form. By the way, we never put prices into templates, they "
             "come from the catalogue. And no commit yet today, I want to read it first."),
    ("assistant", "I'll look at the form first."),
    ("echo tiny", None),
    ("assistant", "The form is there now. Shall I add a field for the date?"),
    ("user", "Yes. I'd like all dates in ISO format throughout this project, please. What does the "
             "test say?"),
    ("assistant", "All green."),
    ("user", "thanks, that looks good"),
)  # fmt: skip
rows, parent = [], None


def row(kind: str, message: dict[str, object]) -> None:
    """Add a line."""
    global parent
    id = f"aaaa0000-0000-4000-8000-{len(rows):012d}"
    rows.append({"parentUuid": parent, "isSidechain": False, "userType": "external",
                 "cwd": "/srv/shop", "sessionId": "aaaa0000-0000-4000-8000-0000000000ff",
                 "version": "2.1.331", "gitBranch": "main", "type": kind, "message": message,
                 "uuid": id, "timestamp": f"2026-10-01T10:{len(rows):02d}:00.000Z"})  # fmt: skip
    parent = id


for who, text in SAID:
    if who == "user":
        row("user", {"role": "user", "content": text})
    elif who == "assistant":
        row("assistant", {"id": f"m{len(rows)}", "type": "message", "role": "assistant",
                          "model": "m", "content": [{"type": "text", "text": text}]})  # fmt: skip
    else:
        for _ in range(2):
            use = f"toolu_{len(rows):06d}"
            call = {"type": "tool_use", "id": use, "name": "Bash", "input": {"command": who}}
            row("assistant", {"id": f"m{len(rows)}", "type": "message", "role": "assistant",
                              "model": "m", "content": [call]})  # fmt: skip
            row("user", {"role": "user", "content": [
                {"type": "tool_result", "tool_use_id": use, "content": "Error: Exit code 1\ntiny",
                 "is_error": True}]})  # fmt: skip
Path("session.jsonl").write_text("".join(json.dumps(one) + "\n" for one in rows), "utf-8")
