"""Runs a program on standard input and output, with a deadline."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

MOST_BYTES = 2 << 20
"""Maximum size of an answer in bytes.

What is longer is cut off and so unusable.
"""


@dataclass(frozen=True, slots=True)
class FinishedProcess:
    """Result of a finished program."""

    code: int
    out: bytes
    err: bytes


def run(
    command: Sequence[str], text: str, environ: Mapping[str, str], folder: Path, seconds: float
) -> FinishedProcess:
    """Run a program in a folder until it ends, with a text on standard input.

    On a timeout, everything that it started in its process group ends with it.

    Raises:
        TimeoutError: it did not end in time.
        OSError: it cannot be started.
    """
    process = subprocess.Popen(
        command,
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=dict(environ),
        cwd=folder,
        start_new_session=True,
    )
    try:
        sent = text.encode("utf-8", "replace")
        out, err = process.communicate(sent, timeout=seconds)
    except subprocess.TimeoutExpired:
        raise TimeoutError(f"no answer within {seconds:g} seconds") from None
    finally:
        if process.returncode is None:
            _kill(process)
    return FinishedProcess(process.returncode, out[:MOST_BYTES], err[:MOST_BYTES])


def _kill(process: subprocess.Popen[bytes]) -> None:
    """Kill a program and its children.

    A pipe that an unrelated process has open is not waited for.
    """
    if hasattr(os, "killpg"):
        with suppress(ProcessLookupError):
            os.killpg(process.pid, signal.SIGKILL)
    process.kill()
    process.wait()
    for pipe in (process.stdin, process.stdout, process.stderr):
        if pipe is not None:
            with suppress(OSError):  # what was not written yet has nowhere to go
                pipe.close()
