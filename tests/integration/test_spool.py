"""Odd files in the spool are set aside or imported, and block nothing."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from hooking import hook, tool_used, without_drain

from memoranda import Memoranda
from memoranda.capture.context_deliveries import ContextDeliveries
from memoranda.capture.drain import Drain
from memoranda.capture.event import Event
from memoranda.capture.intake import Intake
from memoranda.capture.intake_report import IntakeReport
from memoranda.capture.live_output_marks import LiveMarks
from memoranda.capture.redaction.redactor import Redactor

pytestmark = pytest.mark.integration


def test_lines_that_are_no_events_are_set_aside_without_what_must_not_be_kept(
    data_dir: Path,
) -> None:
    without_drain(data_dir)
    spool = data_dir / "spool"
    token = "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8"
    lines = [
        b"{}",
        b"[1]",
        b"\xff\xfe",
        b'{"v":1,"t":1,"h":"x","p":{"cut": "off',
        b'{"v":1,"t":"soon","h":"x","p":{}}',
        f'{{"p": "{token}" <private>Ada Lovelace</private> tail'.encode(),
        b'{"p": \\u003cprivate\\u003eBob Lovelace',
        b"[" * 100_000,
    ]
    good = {"v": 1, "t": 10**18, "h": "claude-code", "p": tool_used("s", 1)}
    text = b"\n".join([*lines, json.dumps(good).encode(), b""])
    (spool / "s.jsonl").write_bytes(text)
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert (report.rejected, report.intake.observations) == (len(lines), 1)
        found = [f for f in memory.store.doctor() if f.check == "rejected lines"]
        assert [f.verdict for f in found] == ["warning"]
    kept = (spool / "rejected.txt").read_text("utf-8")
    assert "cut" in kept
    assert "tail" in kept
    for secret in (token, "Lovelace"):
        assert secret not in kept


def test_events_of_memorandas_own_folder_are_ignored_and_those_of_a_namesake_kept(
    tmp_path: Path,
) -> None:
    data_dir = tmp_path / "shop"
    without_drain(data_dir)
    for number, cwd in enumerate(["shop", "shop/spool", "shop-web", "shopping/src"]):
        assert hook(data_dir, tool_used("s", number, cwd=str(tmp_path / cwd))).silent
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert (report.ignored, report.intake.observations) == (2, 2)


def test_only_the_newest_rejected_lines_are_kept(data_dir: Path) -> None:
    without_drain(data_dir)
    lines = [f'{{"p": broken {number} {"x" * 90_000}' for number in range(30)]
    (data_dir / "spool" / "s.jsonl").write_text("\n".join(lines), "utf-8")
    with Memoranda.open(data_dir) as memory:
        assert memory.capture.drain().rejected == len(lines)
        kept = (data_dir / "spool" / "rejected.txt").read_text("utf-8").split("\n")[:-1]
        assert memory.store.status().rejected_bytes == sum(len(line) + 1 for line in kept)
    assert kept == lines[-len(kept) :]
    assert 0 < len(kept) * 90_000 <= 1 << 20


class Stumbling(Intake):
    """An intake that fails at one session."""

    def take(
        self, events: Iterable[Event], *, actor: str, workspace: str | None = None
    ) -> IntakeReport:
        """Fail at the session named odd."""
        result = list(events)
        if result[0].session == "odd":
            raise ValueError("a defect")
        return super().take(result, actor=actor, workspace=workspace)


def test_a_session_that_cannot_be_taken_in_holds_up_no_other(data_dir: Path) -> None:
    without_drain(data_dir)
    for session in ("first", "odd", "second"):
        assert hook(data_dir, tool_used(session, 1)).silent
    (data_dir / "spool" / "folder.jsonl").mkdir()
    os.mkfifo(data_dir / "spool" / "pipe.jsonl")
    with Memoranda.open(data_dir) as memory:
        services = memory._services
        intake = Stumbling(
            services.database, services.intake._preparer, services.clock, services.ids, "local"
        )
        marks = LiveMarks(services.database, services.counter, "local")
        values = ContextDeliveries(services.database, services.clock, "local")
        report = Drain(services.spool, intake, marks, values, Redactor(b"key"), data_dir).run()
        assert (report.files, report.stuck, report.intake.observations) == (2, 1, 2)
        assert {task.session for task in memory.tasks.list()} == {"first", "second"}
        assert services.spool.state().files == 1
        report = memory.capture.drain()
        assert (report.files, report.stuck, report.intake.observations) == (1, 0, 1)


ODD = ("\0", "\ud800", "/srv/\0/x", "/srv/\udfff", "x" * 5_000, "..", "~", "\n", "é" * 300)


@pytest.mark.parametrize("odd", ODD, ids=range(len(ODD)))
def test_no_event_stops_those_behind_it(data_dir: Path, odd: str) -> None:
    times = ("9999-12-31T23:59:59-23:59", "0001-01-01T00:00:00+23:59", odd)
    events: list[tuple[str, dict[str, Any]]] = [
        ("claude-code", tool_used("one", 1, cwd=odd)),
        ("claude-code", tool_used("one", 2, tool_name=odd, agent_id=odd, agent_type=odd)),
        ("claude-code", tool_used("one", 3, tool_use_id=odd, duration_ms=10**40)),
        ("claude-code", tool_used("one", 4, tool_input={odd: odd}, tool_response=[odd, {odd: 1}])),
        ("claude-code", tool_used("one", 5, tool_input={"file_path": odd}, tool_name="Read")),
        ("claude-code", tool_used(odd, 6)),
        *(
            ("generic", {"session": "g", "kind": "message", "text": f"at {at}", "occurred_at": at})
            for at in times
        ),
        ("generic", {"session": odd, "kind": "message", "text": "t", "host": odd, "tags": [odd]}),
        ("generic", {"session": "g", "kind": "message", "text": odd, "agent": odd, "branch": odd}),
        ("claude-code", tool_used("last", 1)),
    ]
    without_drain(data_dir)
    for host, payload in events:
        assert hook(data_dir, payload, "spool", host).silent
    with Memoranda.open(data_dir) as memory:
        report = memory.capture.drain()
        assert report.rejected == 0
        assert report.intake.observations >= len(events) - 1
        assert any(task.session == "last" for task in memory.tasks.list())
        for place in memory.workspaces.list():
            memory.context(workspace=place.id, budget=100_000)
        for entry in memory.observations.index(limit=1_000):
            memory.observations.show(entry.id)
        assert [f for f in memory.store.doctor() if f.verdict != "ok"] == []
