"""Measure memory and processor time of all processes of a server."""

from __future__ import annotations

import os
import threading
import time
from dataclasses import dataclass
from pathlib import Path

TICKS = os.sysconf("SC_CLK_TCK")
USER, SYSTEM = 11, 12
"""Positions of the times in ``/proc/PID/stat``, after the name."""


@dataclass(frozen=True, slots=True)
class Weight:
    """Memory of processes at a time, in bytes."""

    at: float
    """Seconds after the start."""
    resident: int
    """All resident memory, including pages of mapped files."""
    own: int
    """Private memory that is no copy of a file and cannot be reclaimed."""


def tree(root: int) -> list[int]:
    """Return a process and its living descendants."""
    found, left = [], [root]
    while left:
        found.append(left.pop())
        for thread in Path(f"/proc/{found[-1]}/task").glob("*/children"):
            left += map(int, thread.read_text().split())
    return found


def processor_seconds(root: int) -> float:
    """Return the processor time of a process and its descendants."""
    total = 0.0
    for pid in tree(root):
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        total += (int(fields[USER]) + int(fields[SYSTEM])) / TICKS
    return total


def weighed(root: int, at: float = 0.0) -> Weight:
    """Return the current memory of a process and its descendants."""
    resident = own = 0
    for pid in tree(root):
        lines = Path(f"/proc/{pid}/status").read_text().splitlines()
        sizes = {name: text.split()[0] for name, _, text in (one.partition(":") for one in lines
                 ) if name in ("VmRSS", "RssAnon")}  # fmt: skip
        resident += 1024 * int(sizes.get("VmRSS", 0))
        own += 1024 * int(sizes.get("RssAnon", 0))
    return Weight(at, resident, own)


class Scales:
    """Samples the memory of a server repeatedly in the background."""

    def __init__(self, root: int, seconds: float = 1.0) -> None:
        self._root = root
        self._seconds = seconds
        self._ending = threading.Event()
        self._thread = threading.Thread(target=self._weigh, daemon=True)
        self.weights: list[Weight] = []

    def __enter__(self) -> Scales:
        self._began = time.monotonic()
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._ending.set()
        self._thread.join()

    def around(self, at: float, span: float = 5.0) -> Weight:
        """Return the sample of median private memory around a time."""
        near = [one for one in self.weights if abs(one.at - at) <= span] or self.weights[-1:]
        return sorted(near, key=lambda one: one.own)[len(near) // 2]

    def _weigh(self) -> None:
        while not self._ending.wait(self._seconds):
            self.weights.append(weighed(self._root, time.monotonic() - self._began))
