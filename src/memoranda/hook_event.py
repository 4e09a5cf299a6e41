"""Reads the event on standard input and appends it to the spool.

Loaded from its file by `hook.py`; uses only the standard library. It takes no lock and opens no
port and no database.

A line of the spool is ``{"v":1,"t":<ns>,"h":<host>,"p":<payload as received>}``, with ``"git":<git
directory>`` at the end if the session runs in a linked work tree. Instead of ``p``, the member
``live`` records what an agent saw of a shortened output, and ``given`` records which context was
printed; both contain only counts and short names.

While capture is switched off, only the session's id is recorded, as an empty file next to the
spool, so that no later import stores the session.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from collections.abc import Callable, Mapping
    from typing import Any

MAX_EVENT = 256 << 20
"""Maximum number of bytes of one event.

A larger event is dropped; the host continues.
"""
MAX_REJECTED = 65_536
"""Maximum number of bytes that are stored of an input that is not an event."""
IDLE_SECONDS = 0.15
"""Maximum seconds without input; needed because some hosts never close standard input."""
DEADLINE_SECONDS = 0.25
"""Time limit in seconds for everything except reading a steady stream."""
PAUSE_SECONDS = 0.5
"""Additional seconds at a pause of the agent, because a late context is better than none."""
WAIT_SECONDS = 3.5
"""Additional seconds at the start of a session.

The end of the previous session may not be stored yet; the host waits up to five seconds.
"""
BYTES_A_SECOND = 50 << 20
"""Write rate of a slow disk, which extends the time limit for large events."""
ENDS = (
    b'"Stop"', b'"StopFailure"', b'"SessionEnd"', b'"PreCompact"', b'"AfterAgent"', b'"stop"',
    b'"sessionEnd"',
)  # fmt: skip
"""Events of any host that end a turn or session; an import always starts after them."""
PAUSES = (b'"SessionStart"', b'"SubagentStop"')
"""Events at which the agent waits in any case, so that an import may start."""
TRIES = 100
"""Maximum number of attempts to write a line.

An import may take the file during a write; even on a busy machine with continuous imports, this
happens in at most one of twenty writes.
"""
WIDE = {
    b"\xff\xfe": "utf-16", b"\xfe\xff": "utf-16", b"{\0": "utf-16-le", b"\0{": "utf-16-be"
}  # fmt: skip
"""First bytes of an event in UTF-16: its byte order mark, or its first brace."""
BOM = b"\xef\xbb\xbf"
"""Byte order mark that Windows shells write before a text."""
UNRECORDED = "not-recorded"
"""Folder next to the spool, with an empty file for each session that is not recorded."""
OFF = ".memoranda-off"
"""File that switches capture off in its folder and all folders below."""
NAME = b"abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_"


def record(arguments: list[str], part: Callable[[str], dict[str, Any]]) -> None:
    """Spool the event on standard input; in context mode, print the context.

    ``part`` returns the names of another module next to this one.
    """
    mode = arguments[0] if arguments else "spool"
    starts = mode == "context"
    grant = watchdog(WAIT_SECONDS + PAUSE_SECONDS if starts else DEADLINE_SECONDS)
    payload = read_event(grant)
    if not payload:
        return
    host = arguments[1] if len(arguments) > 1 else "claude-code"
    folder = data_dir()
    if os.environ.get("MEMORANDA_DISABLED") or switched_off_in(_place(payload)):
        _note_unrecorded(folder, payload)
        return
    if payload[:1] != b"{" or payload[-1:] != b"}":  # the import stores it in redacted form
        write_line(folder, "unnamed.jsonl", b"\n%s\n" % _on_one_line(payload[:MAX_REJECTED]))
        return
    place = None
    try:
        place = spool(folder, host, payload)
    except OSError:
        # a context can be printed without the event, for example if the disk is full
        if not starts:
            raise
    if mode == "live" and place and len(payload) > (limit := int(arguments[2])):
        shown = part("hook_output")["replace"](place, host, payload, limit)
        if shown:
            spool(folder, host, shown, "live")
    ends = any(event in payload[:4096] for event in ENDS)
    if starts:
        part("hook_session")["start"](
            folder, payload, host, WAIT_SECONDS, lambda note: spool(folder, host, note, "given")
        )
    elif ends or any(event in payload[:4096] for event in PAUSES):
        grant[0] = PAUSE_SECONDS
        part("hook_session")["start_drain"](folder, always=ends)


def watchdog(seconds: float) -> list[float]:
    """Start a thread that exits the process with 0 after ``seconds``.

    The returned list contains the remaining time, which the caller increases when there is
    progress.
    """
    import _thread

    grant = [seconds]
    never = _thread.allocate_lock()
    never.acquire()

    def watch() -> None:
        while grant[0]:
            seconds, grant[0] = grant[0], 0.0
            never.acquire(True, seconds)
        os._exit(0)

    _thread.start_new_thread(watch, ())
    return grant


def data_dir(environ: Mapping[str, str] = os.environ) -> str:
    """Return the default data directory.

    Only absolute paths are accepted, because a hook runs in the folder of each session.
    """
    is_absolute = os.path.isabs
    chosen = os.path.expanduser(environ.get("MEMORANDA_DATA_DIR", ""))
    if is_absolute(chosen):
        return chosen
    name = "LOCALAPPDATA" if sys.platform == "win32" else "XDG_DATA_HOME"
    base = environ.get(name, "")
    if sys.platform != "darwin" and is_absolute(base):
        return f"{base}/memoranda"
    home = home_folder(environ)
    if sys.platform == "darwin":
        return f"{home}/Library/Application Support/memoranda"
    return f"{home}/{'AppData/Local' if sys.platform == 'win32' else '.local/share'}/memoranda"


def home_folder(environ: Mapping[str, str]) -> str:
    """Return the home folder from the environment, or else that of the login.

    The environment's value is used only if it is absolute. The result is empty, for the root
    folder, if the login is unknown, as in some containers.
    """
    for name in ("HOME", "USERPROFILE"):
        if os.path.isabs(home := environ.get(name, "")):
            return home
    try:
        import pwd

        return pwd.getpwuid(os.getuid()).pw_dir
    except (ImportError, KeyError):
        return ""


def read_event(grant: list[float]) -> bytes | None:
    """Read standard input as UTF-8; None if it is too large for an event."""
    chunks: list[bytes] = []
    size = 0
    while _readable():
        chunk = os.read(0, 1 << 20)
        if not chunk:
            break
        chunks.append(chunk)
        size += len(chunk)
        grant[0] = max(grant[0], DEADLINE_SECONDS + size / BYTES_A_SECOND)
        if size > MAX_EVENT:
            return None
    payload = b"".join(chunks)
    wide = WIDE.get(payload[:2])
    if wide and payload[2:4] != b"\0\0":  # as written by a Windows program
        payload = payload.decode(wide, "replace").encode("utf-8", "replace")
    payload = payload.strip()
    while payload[:3] == BOM:
        payload = payload[3:].lstrip()
    return payload


def spool(folder: str, host: str, payload: bytes, member: str = "p") -> tuple[str, int] | None:
    """Append the event to its session's file in one write.

    Return the file and its number, or None if the event was not written completely. The line also
    starts with a line break, so that an event truncated by a full disk damages only itself. If an
    import renames the file between opening and writing, the line is written again to the new file;
    the key of the event prevents it from being stored twice.
    """
    line = b'\n{"v":1,"t":%d,"h":"%s","%s":%s%s}\n' % (
        _now_ns(),
        host.encode("ascii", "replace"),
        member.encode(),
        _on_one_line(payload),
        _git_directory(payload),
    )
    return write_line(folder, _file_name(payload), line)


def _on_one_line(payload: bytes) -> bytes:
    return payload.replace(b"\r", b" ").replace(b"\n", b" ")


def write_line(folder: str, name: str, line: bytes) -> tuple[str, int] | None:
    """Append a line to a spool file, which an import may rename concurrently."""
    spool_dir = f"{folder}/spool"
    path = f"{spool_dir}/{name}"
    for _ in range(TRIES):
        number = _append(path, spool_dir, line)
        if number is not None:
            return (path, number) if number else None
    return None


def _readable() -> bool:
    if sys.platform == "win32":
        return True
    import select

    return bool(select.select([0], [], [], IDLE_SECONDS)[0])


def _now_ns() -> int:
    import time

    return time.time_ns()


def _git_directory(payload: bytes) -> bytes:
    """Return the git directory of an event's linked work tree, as a member.

    The directory is read at this time because the work tree may be deleted before the import. The
    result is empty for other folders.
    """
    try:
        place = _place(payload)
        if not os.path.isabs(place):
            return b""
        place, home = os.path.realpath(place), os.path.realpath(os.path.expanduser(b"~"))
        while not os.path.isdir(git := place + b"/.git"):
            if os.path.isfile(git):
                with open(git, "rb") as file:
                    pointer = file.read(4096).removeprefix(b"gitdir:").strip()
                found = os.path.normpath(os.path.join(place, pointer)).replace(b"\\", b"/")
                return b',"git":"%s"' % found.replace(b'"', b'\\"').replace(b"\n", b" ")
            place, below = os.path.dirname(place), place
            if place in (below, home):
                break
    except (OSError, ValueError):
        pass  # a failure is ignored, because the event itself matters more
    return b""


def switched_off_in(place: bytes) -> bytes:
    """Return the folder whose `OFF` file switches capture off in a folder; or empty."""
    while os.path.isabs(place):
        if os.path.exists(os.path.join(place, OFF.encode())):
            return place
        place, below = os.path.dirname(place), place
        if place == below:
            break
    return b""


def session_name(id: bytes) -> str:
    """Return the file name for a session id; empty if nothing of it can be used."""
    return bytes(c for c in id[:100] if c in NAME)[:64].decode("ascii")


def _note_unrecorded(folder: str, payload: bytes) -> None:
    """Create the file of a session that is not recorded, if it is missing."""
    name = session_name(_session(payload))
    path = f"{folder}/{UNRECORDED}/{name}"
    if name and not os.path.exists(path):
        for parent in (folder, os.path.dirname(path)):
            os.makedirs(parent, 0o700, exist_ok=True)
        os.close(os.open(path, os.O_CREAT | os.O_WRONLY, 0o600))


def _place(payload: bytes) -> bytes:
    """Return the folder of an event; empty if it has none."""
    place = _text_of(payload, (b'"cwd"', b'"workspace_roots"'))
    if b"\\" not in place:
        return place
    import json

    try:
        return str(json.loads(b'"%s"' % place)).encode()
    except ValueError:
        return b""


def _session(payload: bytes) -> bytes:
    return _text_of(payload, (b'"session_id"', b'"conversation_id"', b'"session"'))


def _file_name(payload: bytes) -> str:
    """Return the spool file name of a session, from the first session id.

    The file name matters only for contention: the event contains the id of its session.
    """
    return f"{session_name(_session(payload)) or 'unnamed'}.jsonl"


def _text_of(payload: bytes, members: tuple[bytes, ...]) -> bytes:
    """Return the text of the first listed member that has one, still escaped."""
    for member in members:
        at = payload.find(member)
        if at >= 0:
            value = payload[at + len(member) : at + len(member) + 4096].split(b'"', 2)
            if len(value) > 2 and value[1]:
                return value[1]
    return b""


def _append(path: str, spool_dir: str, line: bytes) -> int | None:
    """Write the line; return the inode of the file.

    Return 0 if the line was truncated, or None if an import took the file. The files are compared
    before the file is closed, because until then no new file can have the same inode.
    """
    flags = os.O_APPEND | os.O_CREAT | os.O_WRONLY
    flags |= getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0)
    try:
        file = os.open(path, flags, 0o600)
    except FileNotFoundError:
        os.makedirs(os.path.dirname(spool_dir), 0o700, exist_ok=True)
        os.makedirs(spool_dir, 0o700, exist_ok=True)
        file = os.open(path, flags, 0o600)
    try:
        whole = os.write(file, line) == len(line)
        number = os.fstat(file).st_ino
        return number * whole if os.stat(path).st_ino == number else None
    except FileNotFoundError:
        return None
    finally:
        os.close(file)
