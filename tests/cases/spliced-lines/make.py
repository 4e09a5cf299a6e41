"""Transcripts in which two writers, or one that was killed, left no line feed."""

import json
from pathlib import Path


def claude(number: int, **more: object) -> str:
    entry = {
        "parentUuid": f"p{number - 1}" if number else None,
        "isSidechain": False,
        "sessionId": "51111111-0000-4000-8000-000000000001",
        "cwd": "/home/x/shop",
        "type": "user",
        "uuid": f"p{number}",
        "timestamp": f"2026-10-01T10:00:0{number}.000Z",
        "message": {"role": "user", "content": f"request {number}"},
    }
    return json.dumps({**entry, **more})


def event(number: int) -> str:
    text = f'step {number} of {{"the": "plan"}}'
    return json.dumps(
        {"kind": "message", "session": "run", "id": str(number), "origin": "human", "text": text}
    )


def codex(number: int) -> str:
    content = [{"type": "input_text", "text": f"wish {number}"}]
    return json.dumps(
        {
            "timestamp": f"2026-10-01T10:00:0{number}.000Z",
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": content},
        }
    )


CUTS = (40, 60, -4, -30)
"""Lengths of truncated records; some end inside a text, some after an object."""


def spliced(make: object, cut: int) -> list[str]:
    first, second, torn, third, *rest = (make(number) for number in range(6))  # type: ignore[operator]
    return [first + second, torn[:cut] + third, " , ".join(rest)]


HEADER = json.dumps(
    {
        "timestamp": "2026-10-01T10:00:00.000Z",
        "type": "session_meta",
        "payload": {"id": "0199a2b0-1111-7222-8333-444455556666", "cwd": "/home/x/shop"},
    }
)
for cut in CUTS:
    folder = Path(f"cut{cut}")
    folder.mkdir()
    (folder / "51111111-0000-4000-8000-000000000001.jsonl").write_text(
        "\n".join(spliced(claude, cut)) + "\n"
    )
    (folder / "events.jsonl").write_text("\n".join(spliced(event, cut)) + "\n")
    (folder / "rollout-2026-10-01T10-00-00-0199a2b0-1111-7222-8333-444455556666.jsonl").write_text(
        "\n".join([HEADER, *spliced(codex, cut)])
    )
# A torn record whose own parts are whole: none of them is a message of the person.
OTHER = {"sessionId": "51111111-0000-4000-8000-000000000002"}
inside = claude(1, toolUseResult=[{"type": "user", "message": {"content": "other"}}], **OTHER)
Path("parts.jsonl").write_text(f"{claude(0, **OTHER)}\n{inside[:-1]}\n{claude(2, **OTHER)}\n")
