"""Write a transcript for each way to write another system's folder."""

import json
from pathlib import Path

FOLDERS = (
    "c:/users/X/shop/",
    "file:///C:/Users/x/shop",
    "\\\\?\\C:\\Users\\x\\shop",
    "C:\\Users\\x\\shop\\.claude\\worktrees\\fix",
    "\\\\wsl.localhost\\Ubuntu\\home\\x\\barn",
    "/mnt/z/Users/x/mill",
    "/Volumes/stick/forge",
    "relative/lamp",
)
for number, folder in enumerate(FOLDERS):
    entry = {
        "type": "user",
        "cwd": folder,
        "sessionId": f"bbbbbbbb-0000-4000-8000-00000000000{number}",
        "uuid": f"0000000{number}-1111-4111-8111-111111111111",
        "timestamp": "2026-10-01T10:00:01.000Z",
        "message": {"role": "user", "content": f"Look at the price list {number}"},
    }
    path = Path(f"{entry['sessionId']}.jsonl")
    path.write_text(json.dumps(entry) + "\n", "utf-8")
