"""Log lines have the event, place and duration, but no content."""

from __future__ import annotations

import json
import logging
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from memoranda.api.server.log_lines import JsonLine, frames

SECRET = "hunter2-and-words-of-a-memory"


def line(name: str, message: object, *values: object, **more: Any) -> dict[str, Any]:
    """Return the log line of a record."""
    fault = more.pop("fault", None)
    result = (type(fault), fault, fault.__traceback__) if fault else None
    record = logging.LogRecord(name, logging.ERROR, "/code/place.py", 7, message, values, result)
    vars(record).update(more)
    written = JsonLine().format(record)
    assert "\n" not in written
    found: dict[str, Any] = json.loads(written)
    return found


def raised() -> ValueError:
    """Return a raised error with sensitive text."""
    try:
        raise ValueError(SECRET)
    except ValueError as error:
        return error


def test_a_log_line_has_names_and_numbers() -> None:
    expected = {"door": "rest", "operation": "tasks.list", "outcome": "ok", "milliseconds": 1.5}
    found = line("memoranda.api.server.access_log", "call", **expected, request_id="r-1")
    assert found["event"] == "call"
    assert found["level"] == "error"
    assert found["request_id"] == "r-1"
    assert expected.items() <= found.items()
    assert isinstance(found["process"], int)


def test_what_a_message_is_filled_in_with_is_left_out() -> None:
    found = line("memoranda.api.server.request_middleware", "request %s failed: %s", "r-1", SECRET)
    assert found["event"] == "request _ failed"


def test_other_fields_and_texts_in_known_fields_are_left_out() -> None:
    found = line(
        "memoranda.capture.event_subscriptions",
        "handler failed",
        trouble=SECRET,
        error=f"no: {SECRET}",
    )
    assert SECRET not in json.dumps(found)
    assert "error" not in found


def test_an_exception_is_logged_by_kind_and_places() -> None:
    found = line("memoranda.api.mcp.mcp_server", "a call failed", fault=raised())
    assert found["error"] == "ValueError"
    assert [place.endswith(" raised") for place in found["frames"]] == [True]
    assert SECRET not in json.dumps(found)


@pytest.mark.parametrize("message", [f"took {SECRET}", ValueError(SECRET)])
def test_other_libraries_are_logged_by_place_only(message: object) -> None:
    assert line("asyncio", message)["event"] == "place.py:7"


def test_a_traceback_as_a_message_is_only_a_place() -> None:
    assert line("uvicorn.error", f"Traceback\n {SECRET}")["event"] == "place.py:7"
    assert line("uvicorn.error", "Shutting down")["event"] == "Shutting down"


def test_only_the_innermost_places_are_logged() -> None:
    def deeper(left: int) -> None:
        if not left:
            raise ValueError(SECRET)
        deeper(left - 1)

    with pytest.raises(ValueError, match=SECRET) as caught:
        deeper(30)
    assert len(frames(caught.value.__traceback__)) == 8


UNCAUGHT = """
import logging, sys, threading, warnings
from pathlib import Path
from memoranda.api.server.log_lines import LogSettings, start_log

start_log(LogSettings(Path(sys.argv[1]), logging.INFO))
logging.getLogger("memoranda.api.server.access_log").info("call")
logging.getLogger("httpx").info("GET /{secret}")
warnings.warn("{secret}")

def fail():
    raise ValueError("{secret}")

thread = threading.Thread(target=fail)
thread.start()
thread.join()
fail()
"""


def test_all_output_of_a_process_goes_through_the_log(tmp_path: Path) -> None:
    log = tmp_path / "log"
    script = tmp_path / "program.py"
    script.write_text(UNCAUGHT.replace("{secret}", SECRET), "utf-8")
    ended = subprocess.run([sys.executable, script, str(log)], capture_output=True)
    assert (ended.returncode, ended.stdout, ended.stderr) == (1, b"", b"")
    text = [json.loads(one) for one in log.read_text().splitlines()]
    assert text[0]["event"] == "call"
    assert [one["error"] for one in text if one["event"] == "uncaught"] == ["ValueError"] * 2
    warned = [(one["kind"], one["place"]) for one in text if one["event"] == "a library warned"]
    assert warned == [("UserWarning", "program.py:9")]
    assert len(text) == 4
    assert SECRET not in log.read_text()
    assert log.stat().st_mode & 0o077 == 0
