"""Write a session of the TypeScript CLI as other programs save it."""

import json
from pathlib import Path


def message(kind, role, text):
    """Return a message."""
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


ITEMS = [message("input_text", "user", "Fix totals"), message("output_text", "assistant", "Fixed.")]
SESSION = {"timestamp": "2025-05-01T10:00:00.000Z", "instructions": ""}
FORMS = (
    {"items": ITEMS, "session": SESSION},
    {"version": 1, "session": SESSION, "items": ITEMS},
    {"items": ITEMS},
    ITEMS,
)
OTHERS = ({"items": [{"role": "user", "content": "Fix totals"}]}, [{"title": "Fix totals"}])
for number, form in enumerate((*FORMS, *OTHERS)):
    folder = Path("saves" if number < len(FORMS) else "others", str(number))
    folder.mkdir(parents=True)
    thread = f"aaaaaaaa-bbbb-4ccc-8ddd-{number:012}"
    name = f"rollout-2025-05-01T10-00-00-{thread}.json"
    (folder / name).write_text(json.dumps(form, indent=2 if number % 2 else None))
