"""Server log: one JSON object per line, with only known names and numbers.

The arguments of a log message and the message of an exception are omitted, since either may contain
text of a memory, a query or a key. The location in the code is logged instead.
"""

from __future__ import annotations

import json
import logging
import os
import re
import sys
import threading
import traceback
import warnings
from dataclasses import dataclass
from datetime import UTC, datetime
from logging.handlers import WatchedFileHandler
from pathlib import Path
from types import TracebackType
from typing import TextIO

from memoranda.json_data import JsonValue

OURS = ("memoranda", "uvicorn")
"""Memoranda's own loggers, whose messages are logged without arguments.

For other loggers, and for messages of several lines such as the traceback of a failed start, only
the code location is logged.
"""
RECORD_FIELDS = (
    "door",
    "operation",
    "outcome",
    "status",
    "code",
    "milliseconds",
    "request_id",
    "kind",
    "error",
    "exporter",
    "handler",
    "place",
)
"""Further record attributes that a line includes."""
FRAMES = 8
"""Maximum number of frames of a traceback, innermost last."""
_NAME = re.compile(r"[\w./:-]{0,80}", re.ASCII)
_FILLED_IN = re.compile(r"%[^a-zA-Z]*[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Destination and level of a server's log."""

    file: Path | None = None
    """Log file; None for standard error."""
    level: int = logging.WARNING
    """Minimum level; at ``INFO``, every call and every request gets a line."""


TO_STANDARD_ERROR = LogSettings()


class JsonLine(logging.Formatter):
    """Formatter that writes a record as one line of JSON."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, JsonValue] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat("T", "milliseconds"),
            "level": record.levelname.lower(),
            "event": _event(record),
        }
        line |= {name: item for name in RECORD_FIELDS if (item := _plain(record, name)) is not None}
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            line |= {"error": kind.__name__, "frames": frames(trace)}
        elif found := getattr(record, "frames", None):
            line["frames"] = found
        line |= {"process": os.getpid(), "logger": record.name}
        return json.dumps(line)


def frames(trace: TracebackType | None) -> list[JsonValue]:
    """Return a traceback's frames: file, line and function, without values."""
    found = traceback.extract_tb(trace)[-FRAMES:]
    return [f"{Path(item.filename).name}:{item.lineno} {item.name}" for item in found]


def start_log(log: LogSettings) -> None:
    """Write all logs of this process to a file or to standard error.

    The logs include exceptions that end a thread or cannot be raised. If the log file is moved
    away, for example by log rotation, a new one is created.

    Raises:
        OSError: the file cannot be written.
    """
    handler: logging.StreamHandler[TextIO] | WatchedFileHandler
    handler = logging.StreamHandler(sys.stderr) if log.file is None else _to_file(log.file)
    handler.setFormatter(JsonLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("memoranda").setLevel(log.level)
    logging.getLogger("memoranda.api.jsonrpc").setLevel(logging.WARNING)  # calls are already logged
    warnings.showwarning = _warned
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda caught: _uncaught(caught.exc_value)
    sys.unraisablehook = lambda caught: _uncaught(caught.exc_value)


def _to_file(file: Path) -> WatchedFileHandler:
    file.touch(0o600)
    return WatchedFileHandler(file, encoding="utf-8")


def _uncaught(error: BaseException | None) -> None:
    if error is not None and not isinstance(error, KeyboardInterrupt):
        logging.getLogger("memoranda").error("uncaught", exc_info=error)


def _warned(
    message: Warning | str,
    category: type[Warning],
    filename: str,
    lineno: int,
    file: TextIO | None = None,
    line: str | None = None,
) -> None:
    """Log a library's warning by its category and location."""
    fields = {"kind": category.__name__, "place": f"{Path(filename).name}:{lineno}"}
    logging.getLogger("memoranda").warning("a library warned", extra=fields)


def _event(record: logging.LogRecord) -> str:
    """Return the event name of a record.

    Memoranda's own messages are returned as the unformatted template, others only as the code
    location.
    """
    message = str(record.msg).strip()
    if record.name.partition(".")[0] in OURS and "\n" not in message:
        return _FILLED_IN.sub("_", message).removesuffix(": _")
    return f"{Path(record.pathname).name}:{record.lineno}"


def _plain(record: logging.LogRecord, name: str) -> JsonValue:
    result = getattr(record, name, None)
    if isinstance(result, bool | int | float):
        return result
    return result if isinstance(result, str) and _NAME.fullmatch(result) else None
