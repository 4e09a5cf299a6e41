"""What a session of Claude Code is told of the one before, by the plugin's own hook.

    python sessions.py

Without Claude Code: the hook is given what that would give it, and a drain follows, as at a pause.
"""

from __future__ import annotations

import json
import subprocess
import sys
import tempfile
from pathlib import Path

from memoranda import Memoranda

HOOK = Path(__file__).parents[2] / "plugins" / "claude-code" / "hook" / "run"


def tell(mode: str, session: str, cwd: Path, event: str, **more: object) -> str:
    """Run the hook as Claude Code does; return what it prints."""
    payload = {"session_id": session, "cwd": str(cwd), "hook_event_name": event, **more}
    done = subprocess.run(
        ["sh", str(HOOK), mode],
        input=json.dumps(payload),
        capture_output=True,
        text=True,
        check=True,
    )
    return done.stdout


def main() -> None:
    """Play a session in which something fails and is mended, then begin another."""
    with tempfile.TemporaryDirectory() as folder:
        shop = Path(folder).resolve() / "shop"
        shop.mkdir()
        (shop / "CLAUDE.md").write_text("# Shop\n\nAmounts are in cents.\n", "utf-8")
        said = "Mend the totals. Never edit tariffs.csv by hand."
        tell("spool", "monday", shop, "UserPromptSubmit", prompt=said)
        ran = {"tool_name": "Bash", "tool_input": {"command": "make test"}}
        tell("spool", "monday", shop, "PostToolUseFailure", **ran, error="totals: 1 failed")
        tell("spool", "monday", shop, "PostToolUse", **ran, tool_response={"stdout": "42 passed"})
        drain = [sys.executable, "-m", "memoranda", "drain", "--wait", "--quiet"]
        subprocess.run(drain, check=True)
        told = json.loads(tell("context", "tuesday", shop, "SessionStart", source="startup"))
        print(told["hookSpecificOutput"]["additionalContext"])
        with Memoranda.open() as memory:
            (found, *_) = memory.search("amounts in cents", workspace="shop").hits
        print(f"\nfound by search, not told: {found.title}")


if __name__ == "__main__":
    main()
