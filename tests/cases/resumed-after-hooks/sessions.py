"""Writes the transcript of the session that the hooks reported now, and a resumed copy of it."""

from __future__ import annotations

import json
from datetime import UTC, datetime
from pathlib import Path

FIRST, RESUMED = (f"51515151-0000-4000-8000-00000000000{number}" for number in (1, 2))
OUTPUT = {"stdout": "sorted", "stderr": "", "interrupted": False, "isImage": False}
CALL = {"type": "tool_use", "id": "toolu_slip1", "name": "Bash"}
TURNS = (
    ("user", "Sort the till slips"),
    ("assistant", [CALL | {"input": {"command": "sort slips.txt"}}]),
    ("user", [{"tool_use_id": "toolu_slip1", "type": "tool_result", "content": "sorted"}]),
    ("assistant", [{"type": "text", "text": "Sorted."}]),
    ("user", "go on"),
    ("assistant", [{"type": "text", "text": "Went on."}]),
)


def entry(number: int, role: str, content: object, session: str) -> dict[str, object]:
    made: dict[str, object] = {
        "type": role,
        "uuid": f"entry-{number}",
        "parentUuid": f"entry-{number - 1}" if number else None,
        "sessionId": session,
        "cwd": "/home/x/kiosk",
        "isSidechain": False,
        "timestamp": datetime.now(UTC).isoformat(),
        "message": {"role": role, "content": content},
    }
    return made | ({"toolUseResult": OUTPUT} if number == 2 else {})


entries = [entry(number, *turn, FIRST) for number, turn in enumerate(TURNS)]
copies = [one | {"sessionId": RESUMED} for one in entries]
copies.append(entry(len(TURNS), "user", "go on", RESUMED))
for session, lines in ((FIRST, entries), (RESUMED, copies)):
    text = "".join(json.dumps(line) + "\n" for line in lines)
    Path(f"{session}.jsonl").write_text(text, "utf-8")
