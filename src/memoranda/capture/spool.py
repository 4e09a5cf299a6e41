"""The spool: files of events from hooks, imported one at a time.

One process imports at a time, under an advisory lock that only imports request. A file is renamed
before it is read, so that hooks continue in a new file, and is removed only after its events are
durable.
"""

from __future__ import annotations

import json
import math
import os
import re
import time
from collections.abc import Callable, Collection, Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from memoranda.exceptions import StorageUnusable
from memoranda.private_folders import private_folder

TAKEN = ".draining"
WAITING = ("*.jsonl", f"*{TAKEN}")
"""Patterns of pending files: new events, and events of a running import."""
DUE = ".due"
"""Marker file that a hook creates when it starts an import.

All events spooled before the deletion of this file will be imported.
"""
AT_WORK = ".at-work"
"""File on which an import holds a shared lock.

The lock is released when the work that depends on the import is complete.
"""
NEWEST = ".newest"
"""File with the time of each host's last stored hook output."""
POLL_SECONDS = 0.02
REJECTED = "rejected.txt"
MOST_REJECTED = 1 << 20
"""Number of bytes of rejected.txt above which its older half is dropped."""
REJECTED_LINE = 100_000
"""Maximum number of stored characters of one invalid line."""
_ESCAPE = re.compile(r"\\u([0-9a-fA-F]{4})")


@dataclass(frozen=True, slots=True)
class SpoolState:
    """Number and size of pending events in the spool."""

    files: int
    bytes: int
    oldest_at: int | None
    """Time of the oldest change, in microseconds since the epoch."""
    rejected_bytes: int
    """Size of rejected.txt, which contains invalid lines in redacted form."""


class Spool:
    """Directory that hooks write to."""

    def __init__(self, directory: Path) -> None:
        self.directory = directory

    @contextmanager
    def exclusively(self, *, wait: float) -> Iterator[bool]:
        """Hold the import lock.

        Yields False if another process has the lock for longer than ``wait`` seconds, which may be
        infinite.

        Raises:
            StorageUnusable: the spool is not a writable directory.
        """
        with self._opened(".lock") as lock:
            yield _locked(lock, wait)

    @contextmanager
    def at_work(self) -> Iterator[None]:
        """Signal that an import and its follow-up work are not complete."""
        import fcntl

        with self._opened(AT_WORK) as lock:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield

    def is_attended(self) -> bool:
        """Return whether another process is `at_work`; False if this one is."""
        with self._opened(AT_WORK) as lock:
            return not _locked(lock, 0)

    def take(self) -> Iterator[Path]:
        """Yield files to import, oldest first, after those of an interrupted run."""
        (self.directory / DUE).unlink(missing_ok=True)
        yield from sorted(self._files(f"*{TAKEN}"))
        for path in sorted(self._files("*.jsonl"), key=lambda p: p.stat().st_mtime_ns):
            taken = path.with_name(f"{path.stem}.{path.stat().st_mtime_ns}{TAKEN}")
            path.rename(taken)
            yield taken

    def reject(self, text: str) -> None:
        """Append an invalid, already redacted line to rejected.txt.

        `doctor` and `status` report this file. Only the newest lines are kept.
        """
        target = self.rejected
        file = os.open(target, os.O_APPEND | os.O_CREAT | os.O_WRONLY, 0o600)
        with os.fdopen(file, "a", encoding="utf-8") as out:
            out.write(text.rstrip()[:REJECTED_LINE] + "\n")
        if target.stat().st_size > MOST_REJECTED:
            newest = target.read_bytes()[-MOST_REJECTED // 2 :].partition(b"\n")[2]
            self._replace(target, newest.decode("utf-8", "replace"))

    def rejected_lines(self) -> list[str]:
        """Return the stored invalid lines with their escapes decoded."""
        try:
            lines = self.rejected.read_text("utf-8", "replace").split("\n")
        except FileNotFoundError:
            return []
        return [_unescaped(line) for line in lines if line]

    def remove_rejected(self, matches: Callable[[str], bool]) -> None:
        """Remove the invalid lines that match after decoding their escapes."""
        if not any(map(matches, self.rejected_lines())):
            return
        with self.exclusively(wait=math.inf):
            lines = self.rejected.read_text("utf-8", "replace").split("\n")
            kept = [f"{line}\n" for line in lines if line and not matches(_unescaped(line))]
            self._replace(self.rejected, "".join(kept))
            if not kept:
                self.rejected.unlink()

    def waits(self) -> bool:
        """Return whether spooled events are missing from the store or contexts."""
        return any(path for pattern in WAITING for path in self.directory.glob(pattern))

    def count_events(self) -> int:
        """Return the number of pending lines, including those being imported."""
        result = 0
        for path in (path for pattern in WAITING for path in self._files(pattern)):
            with suppress(FileNotFoundError):  # another import has removed the file
                result += sum(1 for _ in spooled_lines(path))
        return result

    def note_newest(self, newest: Mapping[str, int]) -> None:
        """Store the time of each host's newest event.

        Times are microseconds since the epoch.
        """
        if newest:
            noted = self._noted()
            later = {host: max(at, noted.get(host, 0)) for host, at in newest.items()}
            self._replace(self.directory / NEWEST, json.dumps(noted | later))

    def newest(self) -> dict[str, int]:
        """Return the time of each host's last hook output, stored or pending."""
        result = self._noted()
        for path in (path for pattern in WAITING for path in self._files(pattern)):
            *_, last = (b"", *spooled_lines(path))
            with suppress(ValueError, KeyError, TypeError):
                line = json.loads(last)
                result[line["h"]] = max(line["t"] // 1000, result.get(line["h"], 0))
        return result

    def _noted(self) -> dict[str, int]:
        try:
            noted = json.loads((self.directory / NEWEST).read_text("utf-8"))
        except (OSError, ValueError):
            return {}
        return {host: at for host, at in noted.items() if isinstance(at, int)}

    @property
    def rejected(self) -> Path:
        """File of invalid lines, redacted."""
        return self.directory / REJECTED

    def state(self) -> SpoolState:
        """Measure the pending files."""
        if not self.directory.is_dir():
            return SpoolState(0, 0, None, 0)
        stats = list(self._measured())
        rejected = self.rejected
        return SpoolState(
            files=len(stats),
            bytes=sum(stat.st_size for stat in stats),
            oldest_at=min((stat.st_mtime_ns // 1000 for stat in stats), default=None),
            rejected_bytes=rejected.stat().st_size if rejected.exists() else 0,
        )

    def _replace(self, path: Path, text: str) -> None:
        draft = path.with_name(f"{path.name}.draft")
        # the draft file of an interrupted import may be readable by others
        draft.unlink(missing_ok=True)
        file = os.open(draft, os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        with os.fdopen(file, "w", encoding="utf-8") as out:
            out.write(text)
        draft.replace(path)

    @contextmanager
    def _opened(self, name: str) -> Iterator[int]:
        """Open a lock file; its locks are released when it is closed."""
        try:
            private_folder(self.directory)
            lock = os.open(self.directory / name, os.O_CREAT | os.O_RDWR, 0o600)
        except OSError as error:
            raise StorageUnusable(
                f"cannot write the spool {self.directory}: {error.strerror}"
            ) from error
        try:
            yield lock
        finally:
            os.close(lock)

    def _files(self, pattern: str) -> Iterator[Path]:
        """Yield only regular files, since reading a named pipe would block."""
        return (path for path in self.directory.glob(pattern) if path.is_file())

    def _measured(self) -> Iterator[os.stat_result]:
        for path in (*self._files("*.jsonl"), *self._files(f"*{TAKEN}")):
            try:
                yield path.stat()
            except FileNotFoundError:  # another import has removed it
                continue


def of_sessions(sessions: Collection[str]) -> Callable[[str], bool]:
    """Return a predicate for invalid lines that mention any of the sessions."""
    named = "|".join(map(re.escape, sessions))
    pattern = re.compile(rf'"(?:session(?:_?id)?|conversation_id)"\s*:\s*"(?:{named})"', re.I)
    return lambda line: pattern.search(line) is not None


def _unescaped(line: str) -> str:
    """Return a JSON line with its escaped letters decoded."""
    text = _ESCAPE.sub(lambda escape: chr(int(escape[1], 16)), line)
    return text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def spooled_lines(path: Path) -> Iterator[bytes]:
    """Yield the non-empty lines of a taken file.

    The last line counts even without a line break.
    """
    with path.open("rb") as file:
        for raw in file:
            if raw.strip():
                yield raw


def _locked(lock: int, wait: float) -> bool:
    """Lock a file, waiting some seconds at most; return whether it is locked."""
    import fcntl

    end = time.monotonic() + wait
    while True:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            if time.monotonic() >= end:
                return False
            time.sleep(POLL_SECONDS)
        else:
            return True
