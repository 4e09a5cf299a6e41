"""Two causes of a command's failures have two fixes and two lessons."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from happenings import message_event, ran
from histories import opened

from memoranda.capture.event import EventKind
from memoranda.cli import cli

pytestmark = pytest.mark.integration

_PYTHON = 'Traceback (most recent call last):\n  File "/srv/shop/export.py", line 4, in <module>\n'
PYTHON = (
    ("python export.py", f"{_PYTHON}ModuleNotFoundError: No module named 'pyarrow'", True),
    ("ls", "export.py  README.md", False),
    ("pip install pyarrow", "Successfully installed pyarrow-15.0.0", False),
    ("python export.py", f"{_PYTHON}TimeoutError: db.internal:5432 timed out", True),
    ("wg-quick up office", "[#] ip link add office type wireguard", False),
    ("python export.py", "exported 1200 rows", False),
)
NODE = (
    ("npm run build", "Error: Cannot find module 'sharp'\nRequire stack:\n- /srv/build.js", True),
    ("npm install sharp", "added 12 packages", False),
    ("npm run build", "Error: connect ECONNREFUSED 127.0.0.1:1337", True),
    ("npm run cms:start", "CMS listens on 1337", False),
    ("npm run build", "Build complete.", False),
)
MAKE = (
    ("make migrate", "dial tcp: connect: connection refused\nmake: *** [migrate] Error 1", True),
    ("git commit -m 'Add the column'", "[main 1a2b3c4] Add the column", False),
    ("docker compose up -d db", "Container db Started", False),
    ("make migrate", "pq: password authentication failed\nmake: *** [migrate] Error 1", True),
    ("./set-password shop", "password of shop was set", False),
    ("make migrate", "applied 3 migrations", False),
)


def run_json(data_dir: Path, *words: str) -> Any:
    answer = CliRunner().invoke(cli, ["--data-dir", str(data_dir), *words, "--format", "json"])
    assert answer.exit_code == 0, answer.output
    return json.loads(answer.stdout)


def proposed(data_dir: Path, steps: tuple[tuple[str, str, bool], ...]) -> list[str]:
    events = [message_event("goal", "Get it to run", cwd="/srv/shop")]
    events += [
        ran(f"k{at}", command, output, failed=failed, cwd="/srv/shop")
        for at, (command, output, failed) in enumerate(steps)
    ]
    events.append(replace(message_event("end", "", cwd="/srv/shop"), kind=EventKind.TASK_END))
    with opened(data_dir) as memory:
        memory.capture.take(events)
        memory.capture.drain(wait=True)
    found = run_json(data_dir, "pending", "list")
    return [json.dumps(one, ensure_ascii=False) for one in found["items"]]


@pytest.mark.parametrize(
    ("steps", "pairs"),
    [
        (PYTHON, {"pyarrow'": "pip install pyarrow", "timed out": "wg-quick up office"}),
        (NODE, {"'sharp'": "npm install sharp", "ECONNREFUSED": "npm run cms:start"}),
        (MAKE, {"connection refused": "docker compose up", "password auth": "./set-password shop"}),
    ],
    ids=["python", "node", "make"],
)
def test_each_cause_has_a_lesson_with_what_ended_it(
    data_dir: Path, steps: tuple[tuple[str, str, bool], ...], pairs: dict[str, str]
) -> None:
    lessons = proposed(data_dir, steps)
    for cause, change in pairs.items():
        (lesson,) = (one for one in lessons if f"{cause}" in one.partition("this ended it")[0])
        assert change in lesson
        assert not any(other in lesson for other in pairs.values() if other != change)
        assert not any(aside in lesson for aside in ("ls \u2192", "git commit"))
    described = [one["description"] for one in run_json(data_dir, "errors", "list")["items"]]
    for cause in pairs:
        assert any(cause in one for one in described)
    assert not any(one.startswith(("at ", "Require", "make:")) for one in described)


def test_only_what_was_done_between_attempts_was_tried(data_dir: Path) -> None:
    refused = "curl: (7) Failed to connect to api.internal port 443"
    lessons = proposed(
        data_dir,
        (
            ("curl https://api.internal/health", refused, True),
            ("git commit -m 'Notes on the api'", "[main 1a2b3c4] Notes on the api", False),
            ("curl https://api.internal/health", refused, True),
            ("npm run format", "formatted", False),
        ),
    )
    assert not any("Tried without success" in one for one in lessons)
