"""The log of a server: a JSON object on each line, of names that are known and of numbers.

What a message was filled in with is left out, as is the message of an exception: either may hold
words of a memory, a query or a key. Where it happened is told instead.
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
"""Loggers whose messages are told, without what they are filled in with; of others the place is,
and so it is where a message has several lines, as the traceback of a failed start has."""
TOLD = (
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
    "place",
)
"""What else a line tells where its record has it."""
FRAMES = 8
"""Places of a traceback, the innermost last."""
_NAME = re.compile(r"[\w./:-]{0,80}", re.ASCII)
_FILLED_IN = re.compile(r"%[^a-zA-Z]*[a-zA-Z]")


@dataclass(frozen=True, slots=True)
class LogSettings:
    """Where a server writes its log, and what of it."""

    file: Path | None = None
    """None: standard error."""
    level: int = logging.WARNING
    """From ``INFO`` on, every call and request has a line."""


TO_STANDARD_ERROR = LogSettings()


class JsonLine(logging.Formatter):
    """Writes a record as one line."""

    def format(self, record: logging.LogRecord) -> str:
        """Return the line."""
        line: dict[str, JsonValue] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat("T", "milliseconds"),
            "level": record.levelname.lower(),
            "event": _event(record),
        }
        line |= {name: one for name in TOLD if (one := _plain(record, name)) is not None}
        if record.exc_info and record.exc_info[0] is not None:
            kind, _, trace = record.exc_info
            line |= {"error": kind.__name__, "frames": frames(trace)}
        elif found := getattr(record, "frames", None):
            line["frames"] = found
        line |= {"process": os.getpid(), "logger": record.name}
        return json.dumps(line)


def frames(trace: TracebackType | None) -> list[JsonValue]:
    """Return the places of a traceback: file, line and function, without what stands there."""
    found = traceback.extract_tb(trace)[-FRAMES:]
    return [f"{Path(one.filename).name}:{one.lineno} {one.name}" for one in found]


def start_log(log: LogSettings) -> None:
    """Have everything that this process logs written to a file, or to standard error.

    So is what ends a thread or could not be raised. A file that is moved away is made anew, so
    that it can be rotated.

    Raises:
        OSError: the file cannot be written.
    """
    handler: logging.StreamHandler[TextIO] | WatchedFileHandler
    handler = logging.StreamHandler(sys.stderr) if log.file is None else _to_file(log.file)
    handler.setFormatter(JsonLine())
    logging.basicConfig(level=logging.WARNING, handlers=[handler], force=True)
    logging.getLogger("memoranda").setLevel(log.level)
    logging.getLogger("memoranda.api.jsonrpc").setLevel(logging.WARNING)  # calls are told already
    warnings.showwarning = _warned
    sys.excepthook = lambda kind, error, trace: _uncaught(error)
    threading.excepthook = lambda told: _uncaught(told.exc_value)
    sys.unraisablehook = lambda told: _uncaught(told.exc_value)


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
    """Log what a library warns of, by its kind and place."""
    told = {"kind": category.__name__, "place": f"{Path(filename).name}:{lineno}"}
    logging.getLogger("memoranda").warning("a library warned", extra=told)


def _event(record: logging.LogRecord) -> str:
    """Return what happened: our own words as they were written, of others only the place."""
    told = str(record.msg).strip()
    if record.name.partition(".")[0] in OURS and "\n" not in told:
        return _FILLED_IN.sub("_", told).removesuffix(": _")
    return f"{Path(record.pathname).name}:{record.lineno}"


def _plain(record: logging.LogRecord, name: str) -> JsonValue:
    found = getattr(record, name, None)
    if isinstance(found, bool | int | float):
        return found
    return found if isinstance(found, str) and _NAME.fullmatch(found) else None
