"""Record real hosts' hook payloads and transcripts as fuzzing seeds.

    PYTHONPATH=tests .venv/bin/python tests/hosts/fixture_recorder.py

It rewrites tests/fixtures/hosts for `scripts/bench fuzz`. Paths of the machine and long texts of
the hosts' makers are removed.
"""

from __future__ import annotations

import json
import re
import tempfile
from pathlib import Path
from typing import Any

import stories
from host_packages import host_programs
from host_programs import HOSTS, HostProgram
from recordings import Stage

from model_server import ModelServer

FIXTURES = Path(__file__).parents[1] / "fixtures" / "hosts"
LONGEST, BEGINNING = 600, 40
"""Maximum characters of a whole text; characters kept of a longer one."""
STEPS = (stories.FIX, stories.HELP, stories.CHECK)
WITNESS = """
import os, sys
line = sys.stdin.buffer.read().replace(b"\\n", b" ") + b"\\n"
file = os.open({place!r}, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
os.write(file, line)
"""
MAKERS = re.compile(
    r"prompt_snapshot|api-request|skill_listing|world_state"
    r"|agent_listing|deferred_tools|mcp_instructions"
)
"""Records that consist mostly of texts of the host's maker."""
REPEATED = ("rendered", "base_instructions")
"""Members in which Claude Code and Codex repeat such a text."""


def record(name: str, programs: Path) -> None:
    """Run the story with a host and keep its payloads and transcripts."""
    with tempfile.TemporaryDirectory(prefix="memoranda-record-") as folder:
        home = Path(folder)
        with ModelServer(stories.scripts(stories.TOOLS[name](str(home / "shop")))) as server:
            host = HOSTS[name](programs, home, home / "shop", server.url)
            stage = Stage.prepare(host, server)
            stage.environment.call("install", name)
            payloads = home / "payloads.jsonl"
            (stage.environment.package / "hook.py").write_text(
                WITNESS.format(place=str(payloads)), "utf-8"
            )
            for prompt in STEPS:
                host.run(prompt)
        write(name, "hooks", payloads.read_text("utf-8"), host)
        for number, path in enumerate(host.sessions(), 1):
            write(name, f"transcript-{number}", path.read_text("utf-8"), host)


def write(name: str, what: str, text: str, host: HostProgram) -> None:
    """Write JSON lines without data of this machine or the host's maker."""
    place = FIXTURES / name / f"{what}.jsonl"
    place.parent.mkdir(parents=True, exist_ok=True)
    slug = re.sub(r"[^A-Za-z0-9]", "-", str(host.home))
    plain = text.replace(str(host.home), "/home/ada").replace(slug, "-home-ada")
    lines = [line for line in plain.split("\n") if line.strip() and not MAKERS.search(line)]
    shortened = [json.dumps(_shortened(json.loads(line)), ensure_ascii=False) for line in lines]
    place.write_text("".join(f"{line}\n" for line in shortened), "utf-8")


def _shortened(value: Any) -> Any:
    match value:
        case str() if len(value) > LONGEST:
            return value[:BEGINNING] + "…"
        case list():
            return [_shortened(one) for one in value]
        case dict():
            return {key: _shortened(one) for key, one in value.items() if key not in REPEATED}
    return value


if __name__ == "__main__":
    where = host_programs()
    for each in stories.TOOLS:
        record(each, where)
