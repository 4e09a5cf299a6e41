"""Sessions whose last record is damaged, and one in which the person went back."""

import json
from pathlib import Path


def record(name: str, number: int, kind: str, parent: str | None, text: str) -> dict[str, object]:
    content = text if kind == "user" else [{"type": "text", "text": text}]
    return {
        "parentUuid": parent,
        "isSidechain": False,
        "cwd": "/home/x/shop",
        "sessionId": name,
        "type": kind,
        "uuid": f"{name}-{number}",
        "timestamp": f"2026-10-01T10:00:0{number}.000Z",
        "message": {"role": kind, "id": f"m{number}", "content": content},
    }


def session(name: str, last: dict[str, object], lost: str = "") -> None:
    first = [
        record(name, 1, "user", None, f"request of {name}"),
        record(name, 2, "assistant", f"{name}-1", f"answer of {name}"),
        record(name, 3, "user", f"{name}-2", f"second request of {name}"),
    ]
    last.pop(lost, None)
    Path(f"{name}.jsonl").write_text("".join(json.dumps(one) + "\n" for one in [*first, last]))


session("nothing", record("nothing", 4, "assistant", None, "") | {"message": None})
session("blocks", record("blocks", 4, "user", None, "") | {"message": {"content": 7}})
session("link", record("link", 4, "assistant", None, "late answer of link"), "parentUuid")
session("null", record("null", 4, "assistant", None, "late answer of null"))
session("rewind", record("rewind", 4, "user", "rewind-2", "another request of rewind"))
