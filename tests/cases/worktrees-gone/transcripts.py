"""Write transcripts of sessions in existing and deleted folders."""

import json
from pathlib import Path

HERE = Path.cwd()
SESSIONS = (
    # folder of each entry, branch, and the folder that a host noted as the origin
    (("shop", "shop/assets", "shop/assets/icons"), "main", None),
    (("shop-fix", "shop-fix/src"), "fix", None),
    (("trees/far/away/src",), "away", None),
    (("shop-pruned/src",), "pricing", None),
    (("anywhere",), "worktree-a", "shop"),
    (("shop/.claude/worktrees/b/src",), "worktree-b", None),
    (("shop/removed/folder",), "main", None),
    (("plain", "plain/assets", "other"), "", None),
    (("shop-api",), "main", None),
    (("shop.worktrees/issue_12/src",), "issue_12", None),
    (("shop-merged/src",), "feature/merged", None),
    # From another machine: only the names of folders and branches are known.
    (("/home/y/code/mill-wheel/src",), "fix/wheel", None),
    (("/home/y/code/mill",), "main", None),
    (("/home/y/code/mill-gear_two",), "gear-two", None),
    (("D:\\code\\mill",), "main", None),
    (("D:\\code\\mill-wheel\\src",), "wheel", None),
)
for number, (folders, branch, origin) in enumerate(SESSIONS):
    session = f"cccccccc-0000-4000-8000-{number:012}"
    entries = []
    if origin:
        state = {"originalCwd": str(HERE / origin), "worktreePath": str(HERE / folders[0])}
        entries.append({"type": "worktree-state", "sessionId": session, "worktreeSession": state})
    for place, folder in enumerate(folders):
        entries.append(
            {
                "type": "user",
                "cwd": folder if folder[1:2] == ":" else str(HERE / folder),
                "gitBranch": branch,
                "sessionId": session,
                "uuid": f"{number:06}0{place}-1111-4111-8111-111111111111",
                "timestamp": "2026-10-01T10:00:01.000Z",
                "message": {"role": "user", "content": f"Look at the price list in {folder}"},
            }
        )
    text = "".join(json.dumps(entry) + "\n" for entry in entries)
    Path(f"{session}.jsonl").write_text(text, "utf-8")
