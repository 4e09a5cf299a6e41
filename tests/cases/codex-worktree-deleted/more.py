"""Write rollouts of deleted worktrees whose headers name a repository in other ways."""

import json
from pathlib import Path

REMOTES = {
    "d0": ("/home/x/.codex/worktrees/aa01/shop", "https://ada:s3cr3t@Example.org:8443/X/Shop.git/"),
    "d1": ("/home/x/.conductor/paris", "ssh://git@example.org:2222/x/shop"),
    "d2": ("D:\\code\\shop-fix", "git+ssh://git@example.org/x/shop.git"),
    "d3": ("/home/y/.codex/worktrees/bb02/shop", "git@example.org:y/shop.git"),
    "d4": ("/home/y/.codex/worktrees/bb03/shop", "git@another.example:x/shop.git"),
}
for end, (folder, remote) in REMOTES.items():
    session = f"019f0002-0000-7000-8000-0000000000{end}"
    meta = {"id": session, "cwd": folder, "git": {"branch": "b", "repository_url": remote}}
    text = {"type": "input_text", "text": f"Task {end} in a worktree"}
    lines = [
        {"type": "session_meta", "payload": meta},
        {
            "type": "response_item",
            "payload": {"type": "message", "role": "user", "content": [text]},
        },
    ]
    stamped = [{"timestamp": "2026-10-03T10:00:00.000Z", **line} for line in lines]
    path = Path(f"rollout-2026-10-03T10-00-00-{session}.jsonl")
    path.write_text("".join(json.dumps(line) + "\n" for line in stamped), "utf-8")
