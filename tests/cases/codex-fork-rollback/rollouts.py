"""Write a rollout, and a fork that rolls back an own and a copied turn."""

import json
from pathlib import Path

SOURCE, FORK = "019f0000-0000-7000-8000-00000000000a", "019f0001-0000-7000-8000-00000000000b"


def meta(thread, at, **more):
    """Return the header of a rollout."""
    payload = {"id": thread, "timestamp": at, "cwd": "/home/x/shop", **more}
    return {"timestamp": at, "type": "session_meta", "payload": payload}


def turn(at, prompt, answer, *blocks):
    """Return the records of a turn."""
    messages = [{"type": "output_text", "text": answer}]
    typed = [*blocks, *([{"type": "input_text", "text": prompt}] if prompt else [])]
    return [
        {
            "timestamp": at,
            "type": "response_item",
            "payload": {"type": "message", "role": role, "content": content},
        }
        for role, content in (("user", typed), ("assistant", messages))
    ]


def undone(at, turns):
    """Return the record that rolls back turns."""
    payload = {"type": "thread_rolled_back", "num_turns": turns}
    return {"timestamp": at, "type": "event_msg", "payload": payload}


def write(thread, day, rows):
    """Write a rollout."""
    name = f"rollout-2026-10-{day}T10-00-00-{thread}.jsonl"
    Path(name).write_text("".join(json.dumps(row) + "\n" for row in rows))


FIRST, LATER, OWN = (
    f"2026-10-{rest}.000Z" for rest in ("01T10:00:01", "05T10:00:00", "05T10:01:00")
)
PICTURE = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo="}
kept = [*turn(FIRST, "one", "did one"), *turn(FIRST, "two", "did two")]
write(
    SOURCE,
    "01",
    [
        meta(SOURCE, FIRST),
        *kept,
        *turn(FIRST, "", "saw the picture", PICTURE),
        undone(FIRST, 1),
        *turn(FIRST, "three", "did three"),
    ],
)
copies = [{**row, "timestamp": LATER} for row in (meta(SOURCE, FIRST), *kept)]
write(
    FORK,
    "05",
    [
        meta(FORK, LATER, forked_from_id=SOURCE),
        *copies,
        *turn(OWN, "four", "did four"),
        undone(OWN, 2),
        *turn(OWN, "five", "did five"),
    ],
)
