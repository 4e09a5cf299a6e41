"""Sessions with subagents; the transcript of one session of each host is missing."""

import json
from pathlib import Path


def write(path: str, *records: dict[str, object]) -> None:
    Path(path).parent.mkdir(parents=True, exist_ok=True)
    Path(path).write_text("".join(json.dumps(one) + "\n" for one in records))


def chat(path: str, session: str, kind: str, text: str) -> None:
    at = "2026-05-22T14:59:00.000Z"
    header = {"sessionId": session, "projectHash": "5e", "startTime": at, "kind": kind}
    content = [{"text": text}]
    write(path, header, {"id": f"{session}-1", "timestamp": at, "type": "user", "content": content})


def claude(path: str, session: str, text: str, **more: object) -> None:
    entry = {
        "parentUuid": None,
        "sessionId": session,
        "type": "user",
        "uuid": f"{session}-{text}",
        "timestamp": "2026-05-22T14:59:00.000Z",
        "message": {"role": "user", "content": text},
    }
    write(path, entry | more)


chats = "gemini/tmp/shop/chats"
chat(f"{chats}/session-2026-05-22T14-59-aaaaaaaa.jsonl", "aaaaaaaa-1", "main", "request of a1")
chat(f"{chats}/aaaaaaaa-1/k1.jsonl", "k1", "subagent", "order of a1")
chat(f"{chats}/bbbbbbbb-2/k2.jsonl", "k2", "subagent", "order of b2")

one, two = "64444444-0000-4000-8000-000000000004", "64444444-0000-4000-8000-000000000005"
side = {"isSidechain": True, "agentId": "k"}
claude(f"claude/{one}.jsonl", one, "request of c1", isSidechain=False)
claude(f"claude/{one}/subagents/agent-k3.jsonl", one, "order of c1", **side)
claude(f"claude/{two}/subagents/agent-k4.jsonl", two, "order of c2", **side)
write(f"claude/{two}/tool-results/t1.jsonl", {"type": "user", "uuid": "no transcript"})
