"""Write a session for each form of the notice of an output in a file."""

import json
from pathlib import Path

WHOLE = "line\n" * 3000 + "wombat at the end\n"
FAR = "C:\\Users\\Ada Lovelace\\.claude\\projects\\shop\\old\\tool-results\\b1.txt"


def notice(path, size="14.7KB"):
    """Return the text that Claude Code puts in place of an output."""
    saved = f"Output too large ({size}).{path and f' Full output saved to: {path}'}"
    return (
        f"<persisted-output>\n{saved}\n\nPreview (first 2KB):\nline\nline\n...\n</persisted-output>"
    )


SHORT = {"stdout": "line\nline\n", "stderr": "", "interrupted": False}
SEARCH = {"mode": "content", "numLines": 3001, "filenames": [], "content": "line\nline"}
FORMS = (
    # the result's text, its structure, the file's name, the file's text
    (notice("tool-results/b1.txt"), None, "b1.txt", WHOLE),
    (notice("./tool-results/b1.txt"), None, "b1.txt", WHOLE),
    (notice(FAR), None, "b1.txt", WHOLE),
    ([{"type": "text", "text": notice(FAR)}], None, "b1.txt", WHOLE),
    (notice(FAR), SHORT, "b1.txt", WHOLE),
    (notice(FAR), SEARCH, "b1.txt", WHOLE),
    (notice(FAR), "Error: Exit code 2\nline", "b1.txt", WHOLE),
    # gone, damaged, or not named
    (notice("tool-results/b1.txt"), None, "", ""),
    (notice(FAR), SHORT, "", ""),
    (notice(FAR), SEARCH, "", ""),
    (notice(FAR), SHORT, "b1.txt", ""),
    (notice(FAR), SHORT, "b1.txt", "line\n"),
    (notice("/Users/ada/.REDACTED.txt"), None, "b1.txt", WHOLE),
    (notice(""), None, "b1.txt", WHOLE),
    ("[Old tool result content cleared]", None, "b1.txt", WHOLE),
)
for number, (text, structured, name, saved) in enumerate(FORMS):
    session = f"aaaaaaaa-0000-4000-8000-{number:012}"
    shared = {"cwd": "/home/x/shop", "sessionId": session, "timestamp": "2026-10-01T10:00:01.000Z"}
    call = {"type": "tool_use", "id": "t1", "name": "Bash", "input": {"command": f"make {number}"}}
    result = {"type": "tool_result", "tool_use_id": "t1", "content": text}
    rows = [
        {"type": "assistant", "uuid": "u1", "message": {"role": "assistant", "content": [call]}},
        {"type": "user", "uuid": "u2", "parentUuid": "u1"},
    ]
    rows[1]["message"] = {"role": "user", "content": [result]}
    if structured:
        rows[1]["toolUseResult"] = structured
    Path("sessions").mkdir(exist_ok=True)
    transcript = Path("sessions", f"{session}.jsonl")
    transcript.write_text("".join(json.dumps({**row, **shared}) + "\n" for row in rows))
    if name:
        folder = transcript.with_suffix("") / "tool-results"
        folder.mkdir(parents=True)
        (folder / name).write_text(saved)
