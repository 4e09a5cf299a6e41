"""What the hook does at the pauses of a session: print the context, start a drain.

Loaded by `hook.py` from its file; standard library only, like it.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable

DRAIN_EVERY_SECONDS = 5.0


def after_event(folder: str, payload: bytes, host: str, keep: Callable[[bytes], object]) -> None:
    """Print the context if the session of a ``host`` wants one, then see to the spool. ``keep``
    takes the line that tells what was printed."""
    if host:
        note = print_context(folder, payload, host)
        if note:
            keep(note)
    start_drain(folder)


def print_context(folder: str, payload: bytes, host: str) -> bytes | None:
    """Print the context that was rendered for this session, or else for its workspace, unless it
    is resumed; return what the spool keeps of that, as it was noted with it."""
    import hashlib
    import json

    event = json.loads(payload)
    if event.get("source") == "resume":
        return None

    def hashed(name: str) -> str:
        return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()

    own = hashed(f"{host}\0{event.get('session_id')}")
    for alias in workspace_aliases(str(event.get("cwd") or os.getcwd())):
        name = hashed(alias)
        for file in (f"{name}.{own}", name):
            try:
                context = _read(f"{folder}/context/{file}.json")
                note = _read(f"{folder}/context/{file}.note")
            except FileNotFoundError:
                continue
            _write_all(1, context)
            names = {"session_id": event.get("session_id"), "source": event.get("source")}
            return b'%s,"context":%s}' % (json.dumps(names)[:-1].encode(), note)
    return None


def workspace_aliases(folder: str) -> list[str]:
    """Name the workspace of a folder as `memoranda.capture.identity` does."""
    folder = os.path.realpath(folder)
    too_wide = ("/", os.path.realpath(os.path.expanduser("~")))
    place = folder
    while place == folder or place not in too_wide:
        git = f"{place}/.git" if place != "/" else "/.git"
        if os.path.isdir(git):
            return [f"git:{git}"]
        if os.path.isfile(git):
            return [f"git:{_common_dir(place, git)}"]
        parent = os.path.dirname(place)
        if parent == place:
            break
        place = parent
    return [f"path:{folder}"]


def start_drain(folder: str) -> None:
    """Start moving the spool into the store, detached, at most every few seconds."""
    mark = f"{folder}/spool/.drain"
    try:
        if time.time() - os.stat(mark).st_mtime < DRAIN_EVERY_SECONDS:
            return
    except FileNotFoundError:
        pass
    os.close(os.open(mark, os.O_CREAT | os.O_WRONLY, 0o600))
    os.utime(mark)
    command = [sys.executable, "-P", "-m", "memoranda", "drain", "--quiet"]
    environ = {**os.environ, "MEMORANDA_DISABLED": "1", "MEMORANDA_DATA_DIR": folder}
    if sys.platform == "win32":
        os.spawnve(os.P_NOWAIT, command[0], command, environ)
        return
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    os.posix_spawn(command[0], command, environ, file_actions=null, setsid=True)


def _common_dir(place: str, git: str) -> str:
    with open(git, encoding="utf-8", errors="replace") as file:
        pointer = file.read().strip()
    target = os.path.realpath(os.path.join(place, pointer.removeprefix("gitdir:").strip()))
    try:
        with open(f"{target}/commondir", encoding="utf-8", errors="replace") as file:
            return os.path.realpath(os.path.join(target, file.read().strip()))
    except FileNotFoundError:
        return target


def _read(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read(1 << 20)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
