"""A drain that ended leaves nothing half done, whoever does the jobs that follow from it."""

from __future__ import annotations

import json
import subprocess
import time
from pathlib import Path
from typing import Any

import pytest
from happenings import environment, start
from hooking import PROMPT, cli, hook, without_drain

pytestmark = pytest.mark.integration

RULE = "Never use tabs in the price files."

STALLED = """
import sys, time
from memoranda.cli import main
from memoranda.clock import MICROSECONDS
from memoranda.integrations import claude_files
from memoranda.jobs import table as jobs
from memoranda.jobs.worker import Worker

folder, seconds, lease, stalled = sys.argv[1], float(sys.argv[2]), float(sys.argv[3]), sys.argv[4]
jobs.LEASE = int(lease * MICROSECONDS)
do, follow = Worker._do, claude_files.follow

def stall():
    print("at it", file=sys.stderr, flush=True)
    time.sleep(seconds)

def do_slowly(worker, job):
    if job.kind == stalled:
        stall()
    do(worker, job)

def follow_slowly(*given):
    if stalled == "follow":
        stall()
    return follow(*given)

Worker._do, claude_files.follow = do_slowly, follow_slowly
main(["--data-dir", folder, "drain", *sys.argv[5:]])
"""
"""A drain that takes its time over one kind of job."""

IMPATIENT = """
import sys
from memoranda.cli import capture, main

capture.LONGEST_SECONDS = 1.5
main(["--data-dir", sys.argv[1], "drain", *sys.argv[2:]])
"""


@pytest.fixture
def told(data_dir: Path) -> Path:
    """A folder, in the spool of which a rule waits that a person stated."""
    without_drain(data_dir)
    assert hook(data_dir, PROMPT | {"prompt": RULE}).silent
    return data_dir


def stalled(
    data_dir: Path, seconds: float, kind: str = "process_feedback", *words: str, lease: float = 60
) -> subprocess.Popen[str]:
    """Start a drain, and wait until it is at the kind of job that takes its time."""
    words = words or ("--hook",)
    process = start(STALLED, data_dir, seconds, lease, kind, *words)
    assert process.stderr is not None
    assert process.stderr.readline() == "at it\n"
    return process


def ran(data_dir: Path, *words: str, code: int = 0, **variables: str) -> tuple[Any, str]:
    """Run a command to its end; return the JSON that it printed, and its remarks."""
    done = subprocess.run(
        cli(data_dir, *words, "--format", "json"),
        capture_output=True, text=True, env=environment(**variables), timeout=90, check=False,
    )  # fmt: skip
    assert done.returncode == code, done.stderr
    return json.loads(done.stdout), done.stderr


def pending(data_dir: Path) -> tuple[list[str], str]:
    found, remarks = ran(data_dir, "pending", "list", "--workspace", "all")
    return [one["after"]["content"] for one in found["items"]], remarks


@pytest.mark.parametrize("words", [["--hook"], ["--quiet"]])
def test_a_drain_waits_for_a_job_of_another_and_says_so(told: Path, words: list[str]) -> None:
    process = stalled(told, 6.0, "process_feedback", *words)
    report, remarks = ran(told, "drain")
    assert (report["busy"], report["jobs"], report["complete"]) == (False, 0, True)
    assert remarks.count("waiting for another process") == 1
    assert pending(told) == ([RULE], "")
    assert process.wait(30) == 0


def test_it_waits_for_what_follows_a_drain_beside_its_jobs(told: Path) -> None:
    process = stalled(told, 2.0, "follow")
    began = time.monotonic()
    report, _ = ran(told, "drain")
    assert report["complete"]
    assert time.monotonic() - began > 1
    assert process.poll() is not None or process.wait(2) == 0


def test_a_job_of_a_killed_process_is_done_by_who_waits(told: Path) -> None:
    process = stalled(told, 600, lease=3)
    process.kill()
    report, _ = ran(told, "drain")
    assert report["complete"]
    assert pending(told)[0] == [RULE]


def test_at_the_end_of_its_patience_it_says_what_is_to_come(told: Path) -> None:
    process = stalled(told, 30)
    command = start(IMPATIENT, told, "--format", "json")
    out, remarks = command.communicate(timeout=60)
    report = json.loads(out)
    assert (command.returncode, report["jobs"], report["complete"]) == (1, 1, False)
    assert "more of it is to come" in remarks
    quiet = start(IMPATIENT, told, "--quiet")
    assert quiet.communicate(timeout=60) == ("", "")
    assert quiet.returncode == 1
    process.kill()


def test_who_does_not_want_to_wait_is_told_what_is_to_come(told: Path) -> None:
    process = stalled(told, 30)
    began = time.monotonic()
    report, remarks = ran(told, "drain", "--no-wait")
    assert time.monotonic() - began < 10
    assert (report["jobs"], report["complete"]) == (1, False)
    assert "more of it is to come" in remarks
    process.kill()


def test_what_is_read_meanwhile_is_said_to_be_unfinished(told: Path) -> None:
    process = stalled(told, 30)
    found, remarks = pending(told)
    assert found == []
    assert "the newest events may be missing" in remarks
    process.kill()


def test_a_reader_waits_a_moment_for_a_job_that_is_nearly_done(told: Path) -> None:
    """A start of Python takes the most of it; the job lasts into the half second after that."""
    process = stalled(told, 0.4)
    found, _ = pending(told)
    assert found == [RULE]
    assert process.wait(30) == 0


def test_two_persons_who_drain_at_once_do_not_wait_for_each_other(told: Path) -> None:
    both = [
        subprocess.Popen(cli(told, "drain", "--format", "json"), env=environment(), text=True,
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE)
        for _ in range(2)
    ]  # fmt: skip
    reports = [json.loads(one.communicate(timeout=60)[0]) for one in both]
    assert [one.returncode for one in both] == [0, 0]
    assert sum(one["observations"] for one in reports) == 1
    assert all(one["complete"] for one in reports)
    assert pending(told)[0] == [RULE]


def test_the_drain_of_a_hook_follows_the_files_of_the_host(data_dir: Path, tmp_path: Path) -> None:
    (tmp_path / "CLAUDE.md").write_text("# Shop\n\nAmounts are in cents.\n", "utf-8")
    without_drain(data_dir)
    assert hook(data_dir, PROMPT | {"cwd": str(tmp_path)}, "spool", "claude-code").silent
    done = subprocess.run(
        cli(data_dir, "drain", "--hook"), env=environment(HOME=str(tmp_path)), check=True,
        capture_output=True,
    )  # fmt: skip
    assert done.stdout == b""
    found, _ = ran(data_dir, "search", "cents", "--workspace", "all")
    assert "Amounts are in cents" in json.dumps(found)
