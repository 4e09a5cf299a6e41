"""Write rollouts of a repository in each form of its folder or remote."""

import json
from pathlib import Path

FOLDERS = (
    # folder, branch
    (r"C:\Users\x\Shop", "main"),
    ("c:/users/x/shop/", "main"),
    ("/mnt/c/Users/x/shop", "main"),
    ("/c/Users/x/shop", "main"),
    ("/cygdrive/c/Users/x/shop", "main"),
    ("/c:/Users/x/shop", "main"),
    ("file:///c%3A/Users/x/shop", "main"),
    (r"\\?\C:\Users\x\shop", "main"),
    (r"C:\Users\x\shop\src\assets", "main"),
    (r"\\wsl.localhost\Ubuntu\home\x\mill", "main"),
    (r"\\wsl$\Ubuntu\home\x\mill", "main"),
    ("/home/x/mill", "main"),
    ("vscode-remote://wsl%2Bubuntu/home/x/mill", "main"),
    ("/home/x/mill/src", "fix"),
    ("/Users/x/Barn", "main"),
    ("/Users/x/barn", "main"),
    (r"\\server\share\silo", "main"),
    ("//server/share/silo", "main"),
    # A folder without a repository contains others, which do not belong to it.
    ("/home/x/code", None),
    ("/home/x/code/loft", None),
)
REMOTES = (
    "git@github.com:acme/till.git",
    "https://GitHub.com/Acme/till",
    "ssh://git@github.com:22/acme/till.git",
    "gh:acme/till",
    "github.com/acme/till",
    "https://mirror.example/https://github.com/acme/till.git",
    "https://acme@dev.azure.com/acme/proj/_git/vat",
    "https://acme.visualstudio.com/DefaultCollection/proj/_git/vat",
    "acme@vs-ssh.visualstudio.com:v3/acme/proj/vat",
    "https://git.example.org/scm/prj/cart.git",
    "ssh://git@git.example.org:7999/prj/cart.git",
    "https://gerrit.example.org/a/tools/loom",
    "ssh://ada@gerrit.example.org:29418/tools/loom",
    "https://review.example.org/a/tools/reel",
    "https://review.example.org/tools/reel",
    "https://github.com/a/reed",
    "https://github.com/b/reed",
)
places = [*FOLDERS, *((f"/gone/{number}/x", None) for number in range(len(REMOTES)))]
remotes = [*(None for _ in FOLDERS), *REMOTES]
for number, ((folder, branch), remote) in enumerate(zip(places, remotes, strict=True)):
    thread = f"019f0000-0000-7000-8000-{number:012x}"
    git = {"branch": branch, "repository_url": remote}
    at = "2026-10-01T10:00:01.000Z"
    content = [{"type": "input_text", "text": f"Task {number}"}]
    message = {"type": "message", "role": "user", "content": content}
    meta = {"id": thread, "timestamp": at, "cwd": folder, "git": git}
    rows = (
        {"timestamp": at, "type": "session_meta", "payload": meta},
        {"timestamp": at, "type": "response_item", "payload": message},
    )
    place = Path(f"rollout-2026-10-01T10-00-00-{thread}.jsonl")
    place.write_text("".join(json.dumps(row) + "\n" for row in rows))
