"""Sessions and folders for which a person switched capture off."""

from __future__ import annotations

import os
from collections.abc import Collection, Iterator
from functools import cache
from pathlib import Path

from memoranda.capture.event import Event
from memoranda.hook_event import UNRECORDED, session_name, switched_off_in
from memoranda.private_folders import private_folder


class UnrecordedSessions:
    """What hooks did not record because a person switched capture off.

    Hooks leave an empty file for each such session, so that no import stores it.
    """

    def __init__(self, data_dir: Path) -> None:
        self._folder = data_dir / UNRECORDED

    def has(self, session: str) -> bool:
        """Return whether hooks of this session ran while capture was off."""
        name = _file_name(session)
        return bool(name) and (self._folder / name).exists()

    def note(self, sessions: Collection[str]) -> None:
        """Record sessions as left out, so that they do not count as missing."""
        private_folder(self._folder)
        for name in filter(None, map(_file_name, sessions)):
            (self._folder / name).touch(mode=0o600)

    def without(self, events: Iterator[Event], left_out: set[str]) -> Iterator[Event]:
        """Yield the events that may be stored; add the sessions of others to a set.

        Events of a folder in which capture is off now may not be stored either.
        """
        is_unrecorded, is_off = cache(self.has), cache(switched_off_in)
        for event in events:
            session = event.copied_to or event.session
            is_listed = is_unrecorded(session) or is_unrecorded(event.session)
            if is_listed or is_off(os.fsencode(event.cwd or "")):
                left_out.add(session)
            else:
                yield event


def _file_name(session: str) -> str:
    return session_name(session.encode("utf-8", "replace"))
