"""Transcripts in which two writers, or one that was killed, left no line feed."""

import json
from functools import partial
from pathlib import Path


def claude(number: int, **more: object) -> str:
    entry: dict[str, object] = {
        "parentUuid": f"p{number - 1}" if number else None,
        "isSidechain": False,
        "sessionId": "51111111-0000-4000-8000-000000000001",
        "cwd": "/home/x/shop",
        "type": "user",
        "uuid": f"p{number}",
        "timestamp": f"2026-10-01T10:00:0{number}.000Z",
        "message": {"role": "user", "content": f"request {number}"},
    }
    entry |= more
    for link in ("uuid", "parentUuid"):
        entry[link] = entry[link] and f"{entry['sessionId']}-{entry[link]}"
    return json.dumps(entry)


def event(number: int, session: str) -> str:
    text = f'step {number} of {{"the": "plan"}}'
    return json.dumps(
        {"kind": "message", "session": session, "id": str(number), "origin": "human", "text": text}
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


def write(path: Path, lines: list[str]) -> None:
    path.write_text("\n".join(lines) + "\n")


for index, cut in enumerate(CUTS):
    folder = Path(f"cut{cut}")
    folder.mkdir()
    session, thread = (
        f"{head}-0000-4000-8000-00000000010{index}" for head in ("51111111", "0199a2b0")
    )
    own = partial(claude, sessionId=session)
    write(folder / f"{session}.jsonl", spliced(own, cut))
    write(folder / "events.jsonl", spliced(partial(event, session=session), cut))
    at, payload = "2026-10-01T10:00:00.000Z", {"id": thread, "cwd": "/home/x/shop"}
    header = json.dumps({"timestamp": at, "type": "session_meta", "payload": payload})
    name = f"rollout-2026-10-01T10-00-00-{thread}.jsonl"
    write(folder / name, [header, *spliced(codex, cut)])
# A torn record whose own parts are whole: none of them is a message of the person.
OTHER = {"sessionId": "51111111-0000-4000-8000-000000000002"}
inside = claude(1, toolUseResult=[{"type": "user", "message": {"content": "other"}}], **OTHER)
Path("parts.jsonl").write_text(f"{claude(0, **OTHER)}\n{inside[:-1]}\n{claude(2, **OTHER)}\n")
