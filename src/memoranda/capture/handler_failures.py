"""File of handler failures next to the store, for `memoranda doctor`.

An import that a hook started in the background has no user to whom it can show its failures.
"""

from __future__ import annotations

import json
import os
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from memoranda.clock import MICROSECONDS
from memoranda.json_data import iso_time

FILE = ".handlers"
KEPT = 7 * 24 * 3_600 * MICROSECONDS
"""How long a failure is shown after its last occurrence."""
SKIPPED = 3_600 * MICROSECONDS
"""How long no process calls a plug-in's handler that hung."""
MAXIMUM = 50
"""Maximum number of handlers in the file; those with the most recent failures are kept."""


@dataclass(frozen=True, slots=True)
class HandlerFailure:
    """Failures of one handler.

    The error's message is never stored, as it may contain text of an event.
    """

    handler: str
    """Module and function of the handler, after the plug-in's name if there is one."""
    error: str
    """Type of the last error."""
    count: int
    set_aside: bool
    """Whether the handler hung, so that its process no longer calls it."""
    at: int
    """Time of the last failure, in microseconds since the epoch."""
    version: str = ""
    """Version of the handler's package; empty if the handler is not from a plug-in."""

    def described(self) -> str:
        """Describe the failure: its kind, count and time of the last occurrence."""
        count = "once" if self.count == 1 else f"{self.count} times or more"
        how = "hangs, and is disabled" if self.set_aside else f"failed {count}"
        text = f"{how}; last {self.error}, {iso_time(self.at)}"
        if not (self.set_aside and self.version):
            return text
        until = iso_time(self.at + SKIPPED)
        return f"{text}; skipped until {until} or until its version differs from {self.version}"


class HandlerFailures:
    """File with the failures of all processes that use a store."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / FILE
        self._noted: dict[str, int] = {}

    def note(self, failure: HandlerFailure) -> None:
        """Store a failure; add it to those of the same handler within a week.

        If the file cannot be written, the failure is only in the log.
        """
        failures = dict(self._read())
        earlier = failures.get(failure.handler)
        new = failure.count - self._noted.get(failure.handler, 0)
        self._noted[failure.handler] = failure.count
        count = new + (earlier.count if earlier and failure.at - earlier.at < KEPT else 0)
        failures[failure.handler] = replace(failure, count=count)
        newest = sorted(failures.values(), key=lambda handler_failure: handler_failure.at)[
            -MAXIMUM:
        ]
        draft = self._path.with_name(f"{FILE}.{os.getpid()}.draft")
        with suppress(OSError):
            file = os.open(draft, os.O_CREAT | os.O_TRUNC | os.O_WRONLY, 0o600)
            with os.fdopen(file, "w", encoding="utf-8") as out:
                json.dump([asdict(item) for item in newest], out)
            draft.replace(self._path)

    def since(self, now: int) -> list[HandlerFailure]:
        """Return the failures of the last week, newest first."""
        failures = [failure for failure in self._read().values() if now - failure.at < KEPT]
        return sorted(failures, key=lambda handler_failure: -handler_failure.at)

    def hangs(self, handler: str, version: str, now: int) -> bool:
        """Return whether this version of a plug-in's handler hung within the last hour."""
        failure = self._read().get(handler)
        if failure is None or not (failure.set_aside and version):
            return False
        return failure.version == version and 0 <= now - failure.at < SKIPPED

    def _read(self) -> Mapping[str, HandlerFailure]:
        try:
            failures = [
                HandlerFailure(**item) for item in json.loads(self._path.read_text("utf-8"))
            ]
        except (OSError, ValueError, TypeError):
            return {}
        return {failure.handler: failure for failure in failures}
