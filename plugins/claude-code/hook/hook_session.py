"""Actions of the hook at pauses: print the context, start an import.

Loaded from its file by `hook.py`; uses only the standard library.
"""

from __future__ import annotations

import os
import sys
import time

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Any

DRAIN_EVERY_SECONDS = 5.0
"""Minimum seconds between imports that are started at pauses.

The end of a turn or session starts an import in any case.
"""
STARTING_SECONDS = 10.0
"""Maximum seconds until an import that was started takes the spooled events."""
POLL_SECONDS = 0.02
"""Seconds between checks of whether the running import has finished."""
LARGE = 1 << 20
"""Size in bytes of a session file that certainly contains more than a start event."""


def start(
    folder: str, payload: bytes, host: str, seconds: float, keep: Callable[[bytes], object]
) -> None:
    """Print the context if the session needs one, then start an import.

    Spooled events of earlier sessions of the workspace are stored first, for at most ``seconds``.
    ``keep`` spools the record of what was printed.
    """
    event = parsed(payload)
    if event.get("source") != "resume" and not repeats_other_hooks(event):
        try:
            if event.get("hook_event_name") == "SessionStart" and is_waiting(folder, event):
                drain_within(folder, event, seconds)
        except OSError:
            pass  # an outdated context is better than none
        note = print_context(folder, event, host)
        if note:
            keep(note)
    start_drain(folder)


def parsed(payload: bytes) -> Any:
    """Parse an event leniently: accept control characters and invalid bytes."""
    import json

    try:
        return json.loads(payload)
    except ValueError:
        return json.loads(payload.decode("utf-8", "replace"), strict=False)


def repeats_other_hooks(event: dict[str, Any]) -> bool:
    """Return whether Claude Code's settings have hooks of their own.

    Claude Code would run these hooks and the plugin's, but the agent must receive the context only
    once.
    """
    if not os.environ.get("MEMORANDA_PLUGIN"):
        return False
    home = os.environ.get("CLAUDE_CONFIG_DIR") or os.path.expanduser("~/.claude")
    project = os.environ.get("CLAUDE_PROJECT_DIR") or _folder_of(event)
    files = (
        f"{home}/settings.json",
        f"{project}/.claude/settings.json",
        f"{project}/.claude/settings.local.json",
    )
    return any(map(_has_our_hooks, files))


def is_waiting(folder: str, event: dict[str, Any]) -> bool:
    """Return whether events that the context needs are still spooled.

    These are events of earlier sessions of this workspace, or events of this session before a
    compaction.
    """
    here = workspace_aliases(_folder_of(event))
    for name in os.listdir(f"{folder}/spool"):
        if name.endswith((".jsonl", ".draining")):
            try:
                lines = _read(f"{folder}/spool/{name}")
            except FileNotFoundError:  # an import has removed the file
                continue
            if _has_more(lines) and _place(lines) in (None, here):
                return True
    return False


def drain_within(folder: str, event: dict[str, Any], seconds: float) -> None:
    """Wait until spooled events are in the contexts, if an import can do that.

    A second import alongside one that is nearly complete would only delay it.
    """
    import select

    if sys.platform == "win32":
        return
    end = time.monotonic() + seconds
    while is_being_drained(folder):
        if time.monotonic() > end or not is_waiting(folder, event):
            return
        time.sleep(POLL_SECONDS)
    reading, writing = os.pipe()
    start_drain(folder, always=True, out=writing)
    os.close(writing)
    select.select([reading], [], [], max(0.0, end - time.monotonic()))
    os.close(reading)


def is_being_drained(folder: str) -> bool:
    """Return whether the latest import processes the spooled events."""
    try:
        os.kill(int(_read(f"{folder}/spool/.drain")), 0)
    except (OSError, ValueError):
        return False
    spooled = [name for name in os.listdir(f"{folder}/spool") if name.endswith(".jsonl")]
    return _age(f"{folder}/spool/.due") < STARTING_SECONDS or not any(
        _has_more(_read(f"{folder}/spool/{name}")) for name in spooled
    )


def print_context(folder: str, event: dict[str, Any], host: str) -> bytes | None:
    """Print the prepared context; return its record for the spool.

    It is the context of this session; if there is none, the context of its workspace, of another
    clone of the repository, or of new folders.
    """
    import hashlib
    import json

    def hashed(name: str) -> str:
        return hashlib.sha256(name.encode("utf-8", "replace")).hexdigest()

    own = hashed(f"{host}\0{event.get('session_id')}")
    here = workspace_aliases(_folder_of(event))
    for alias in (*here, *remote_aliases(here[0]), "new"):
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
    """Return a folder's aliases, as in `memoranda.workspaces.recognition`."""
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


def remote_aliases(alias: str) -> list[str]:
    """Return the alias of a repository's remote, which identifies new clones.

    The usual forms of an address are parsed as in `memoranda.workspaces.repositories`; an address
    in another form is recognised once the session is stored.
    """
    kind, _, common = alias.partition(":")
    try:
        config = _read(f"{common}/config").decode("utf-8", "replace") if kind == "git" else ""
    except OSError:
        return []
    origin = config.partition('[remote "origin"]')[2].partition("\n[")[0]
    fields = (line.partition("=") for line in origin.split("\n"))
    url = next((value.strip() for name, _, value in fields if name.strip() == "url"), "")
    scheme, has_scheme, address = url.strip('"').partition("://")
    host, _, path = address.partition("/") if has_scheme else scheme.partition(":")
    host = host.rpartition("@")[2].partition(":")[0]
    if not host or not path.strip("/"):
        return []
    return [f"remote:{host}/{path.strip('/')}".lower().removesuffix(".git")]


def start_drain(folder: str, always: bool = False, out: int | None = None) -> None:
    """Start a detached import: ``always``, or at most every few seconds.

    No import is started if one that is starting will still take the spooled events, including the
    event of this hook, or if the time of the last start is in the future. The import closes ``out``
    once contexts are rendered.
    """
    started, due = f"{folder}/spool/.drain", f"{folder}/spool/.due"
    if out is None:
        if -1 < _age(due) < STARTING_SECONDS:
            return
        if _age(started) < (0 if always else DRAIN_EVERY_SECONDS):
            return
    for mark in (started, due):
        os.close(os.open(mark, os.O_CREAT | os.O_WRONLY, 0o600))
        os.utime(mark)
    command = [sys.executable, "-P", "-m", "memoranda", "drain", "--hook"]
    environ = {**os.environ, "MEMORANDA_DISABLED": "1", "MEMORANDA_DATA_DIR": folder}
    if sys.platform == "win32":
        os.spawnve(os.P_NOWAIT, command[0], command, environ)
        return
    null = [(os.POSIX_SPAWN_OPEN, fd, os.devnull, os.O_RDWR, 0) for fd in (0, 1, 2)]
    redirects = [(os.POSIX_SPAWN_DUP2, out, 1)] if out is not None else []
    actions = [*null, *redirects]
    pid = os.posix_spawn(command[0], command, environ, file_actions=actions, setsid=True)
    with open(started, "wb") as file:
        file.write(b"%d" % pid)


def _age(path: str) -> float:
    """Return the seconds since a file was touched; infinity if it is missing."""
    try:
        return time.time() - os.stat(path).st_mtime
    except FileNotFoundError:
        return float("inf")


def _has_our_hooks(settings: str) -> bool:
    """Return whether a settings file runs a hook of an existing installation."""
    import re

    try:
        text = _read(settings).decode("utf-8", "replace")
    except OSError:
        return False
    scripts = re.findall(r"(/[^\"'\\]*/memoranda/hook\.py)['\"\\ ]+context", text)
    return any(os.path.exists(script) or os.path.exists(script.split()[-1]) for script in scripts)


def _folder_of(event: dict[str, Any]) -> str:
    return str(event.get("cwd") or os.getcwd())


def _has_more(lines: bytes) -> bool:
    """Return whether a spooled file contains more than the start of a session."""
    return any(
        b'"p":' in line[:200] and b'"SessionStart"' not in line[:4096]
        for line in lines.split(b"\n")
    )


def _place(lines: bytes) -> list[str] | None:
    """Return the workspace of a spooled file; None if its first line has none."""
    import json

    try:
        folder = json.loads(lines.lstrip().split(b"\n", 1)[0])["p"]["cwd"]
    # or an event that is larger than the part that was read
    except (KeyError, TypeError, ValueError):
        return None
    return workspace_aliases(str(folder))


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
        return file.read(LARGE)


def _write_all(file: int, data: bytes) -> None:
    while data:
        data = data[os.write(file, data) :]
