"""Run each installed command, then again with its target gone or broken."""

import json
import re
import shutil
import subprocess
import sys
from pathlib import Path

home = Path.home()
files = [
    *home.glob(".claude/*.json"),
    *home.glob(".codex/hooks.json"),
    *home.glob(".gemini/settings.json"),
    *home.glob(".cursor/hooks.json"),
]
event = json.dumps(
    {"session_id": "s1", "hook_event_name": "UserPromptSubmit", "cwd": str(home), "prompt": "Hi"}
)
blocking = home / "blocking"
blocking.write_text("#!/bin/sh\necho no such file >&2\nexit 2\n")
blocking.chmod(0o755)
script = re.compile(r"/[^ '\"]*/memoranda/hook\.py")
shells = [name for name in ("sh", "bash", "dash", "zsh") if shutil.which(name)]


def commands(value):
    if isinstance(value, dict):
        if isinstance(value.get("command"), str):
            yield value["command"]
        for part in value.values():
            yield from commands(part)
    elif isinstance(value, list):
        for part in value:
            yield from commands(part)


found = {one for file in files for one in commands(json.loads(file.read_text()))}
broken = {
    variant
    for one in found
    for variant in (
        one.replace(sys.executable, "/nowhere/bin/python"),
        one.replace(sys.executable, str(blocking)),
        one.replace(sys.executable, str(home)),
        script.sub("/nowhere/memoranda/hook.py", one),
        script.sub(str(home), one),
    )
}
assert found, files
assert not found & broken
noticed = []
for command in sorted(broken):
    for shell in shells:
        done = subprocess.run([shell, "-c", command], input=event, capture_output=True, text=True)
        if (done.returncode, done.stdout, done.stderr) != (0, "", ""):
            noticed.append([shell, command, done.returncode, done.stdout, done.stderr])
subprocess.run(["sh", "-c", next(one for one in found if " spool" in one)], input=event, text=True)
kept = (home / "data" / "spool" / "s1.jsonl").exists()
sys.stdout.write(json.dumps({"files": len(files), "noticed": noticed, "kept": kept}))
