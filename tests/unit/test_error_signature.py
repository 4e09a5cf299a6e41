"""Signatures of failures: equal causes, and types of errors."""

from __future__ import annotations

import time

from hypothesis import given, strategies as st

from memoranda.capture.analysis.failures import FailureKind
from memoranda.errors.model import _BY_KIND, ErrorType, error_type, severity
from memoranda.errors.signature import MAX_LENGTH, masked, signature
from tables import each

SAME = {
    "time": ("2031-04-02 11:20:07,113 pump stalled", "2031-04-03T09:00:41.5Z pump stalled"),
    "clock": ("07:15:59 valve is stuck", "23:01:00.250 valve is stuck"),
    "identifier": (
        "no lock for 5f0c1b8e-9a37-4c11-8d52-0a6b7c8d9e0f",
        "no lock for 0d9c8b7a-1234-4abc-9def-5f0c1b8e9a37",
    ),
    "hash": ("bad object 9fceb02d0ae598e9", "bad object 1a2b3c4d5e6f7a8b9c0d"),
    "short hash": ("reverting 4be91f0 failed", "reverting a07cc3d failed"),
    "memory": ("object at 0x7f3ac04e1d30 is closed", "object at 0x10ab is closed"),
    "url": ("cannot reach https://a.example/x?y=1", "cannot reach redis://b.example:6379/0"),
    "mail": ("no mailbox kim@farm.example", "no mailbox lee.oh@mill.example"),
    "address": ("10.0.0.7:5432 refuses", "192.168.1.20 refuses"),
    "local port": ("localhost:8080 is taken", "localhost:3000 is taken"),
    "path": ("cannot read '/srv/barn/hay.txt'", "cannot read '/home/ana/straw'"),
    "relative path": ("lost src/barn/hay.py", "lost lib/mill.rs"),
    "windows path": (r"lost C:\barn\hay.py", r"lost D:\mill\x\grain.py"),
    "file and place": ("hay.ts:12:3: bad return", "mill.ts:140:27: bad return"),
    "line": ("bad indent at line 7", "bad indent at line 1204"),
    "amounts": ("waited 1.5s for 20 cows", "waited 300ms for 7 cows"),
    "list of numbers": ("shape (3, 4) given", "shape (3, 4, 5) given"),
    "pod": ("pod barn-7d9f8b6c54-x2x4z died", "pod barn-5c6bb9d8f7-qqwrt died"),
    "colour": ("\x1b[31mbarn is shut\x1b[0m", "barn is shut"),
    "spaces": ("barn  is\tshut", "barn is shut"),
}

OTHER = {
    "module": ("No module named 'barley'", "No module named 'oats'"),
    "exception": ("BarnError: shut", "MillError: shut"),
    "table": ("no such table: cows", "no such table: hens"),
    "compiler code": ("hay.ts(1,2): error TS2304: bad", "hay.ts(1,2): error TS2551: bad"),
    "lint code": ("hay.py:1:1: F401 bad", "hay.py:1:1: E711 bad"),
    "database code": ("ORA-00942 raised", "ORA-01017 raised"),
    "status": ("404 Client Error for url", "403 Client Error for url"),
    "http": ("HTTP 502 from the mill", "HTTP/1.1 500 from the mill"),
    "exit code": ("barn ended with exit code 137", "barn ended with exit code 2"),
    "errno": ("[Errno 28] hay", "[Errno 13] hay"),
    "curl": ("curl: (6) hay", "curl: (28) hay"),
    "words with hyphens": ("not-null is violated", "check-range is violated"),
}


@each(("one", "other"), SAME.values(), ids=SAME)
def test_failures_that_differ_in_what_changes_have_one_signature(one: str, other: str) -> None:
    assert one != other
    assert signature("error", one) == signature("error", other)


@each(("one", "other"), OTHER.values(), ids=OTHER)
def test_failures_of_different_causes_have_two_signatures(one: str, other: str) -> None:
    assert signature("error", one) != signature("error", other)


def test_the_kind_is_part_of_the_signature() -> None:
    assert signature("timeout", "barn is shut") == "timeout: barn is shut"
    assert signature("network", "barn is shut") != signature("timeout", "barn is shut")


def test_unchanged_text_is_kept_verbatim() -> None:
    line = "KeyError: 'hay' and/or 'straw' in py3 at 50/50"

    assert masked(line) == "KeyError: 'hay' and/or 'straw' in py3 at <n>/<n>"


@each(
    "piece",
    ["a", "1", "a-", "a.", "/", "a/", "1.", ":1", "0x", "a@", "http", "12:", "<n> ", "\x1b[", "é"],
)
def test_a_hostile_line_costs_little(piece: str) -> None:
    line = (piece * 1_000_000)[:1_000_000]
    started = time.process_time()
    for _ in range(100):
        signature("error", line)
    assert time.process_time() - started < 1.0


def test_a_long_line_has_a_signature_of_its_beginning() -> None:
    found = signature("error", "barn is shut " * 90)

    assert len(found) in (MAX_LENGTH, MAX_LENGTH - 1)
    assert found == signature("error", "barn is shut " * 91)


@given(st.text(max_size=400), st.sampled_from(sorted(FailureKind)))
def test_any_line_has_a_short_signature_of_its_kind_on_one_line(line: str, kind: str) -> None:
    found = signature(kind, line)

    assert found.startswith(f"{kind}:")
    assert len(found) <= MAX_LENGTH
    assert found == " ".join(found.split())


# --- types ---------------------------------------------------------------------------------------

TYPES = {
    "test_failure": ErrorType.TEST,
    "lint_failure": ErrorType.BUILD,
    "import_error": ErrorType.MISSING_INFO,
    "command_not_found": ErrorType.INCORRECT_ACTION,
    "permission_denied": ErrorType.PERMISSION,
    "denied": ErrorType.PERMISSION,
    "network": ErrorType.TOOL,
}


@each(("kind", "sort"), TYPES.items(), ids=TYPES)
def test_the_kind_of_a_failure_determines_the_error_type(kind: str, sort: ErrorType) -> None:
    assert error_type(kind) is sort


def test_every_kind_that_capture_knows_has_a_type_and_a_severity() -> None:
    assert set(_BY_KIND) == set(FailureKind)
    assert all(0 < severity(kind) < 1 for kind in FailureKind)
    assert severity("lint_failure") < severity("test_failure") < severity("out_of_memory")


def test_no_output_is_taken_for_a_hallucination_or_a_lost_context() -> None:
    reported = {error_type(kind) for kind in FailureKind}

    assert not reported & {ErrorType.HALLUCINATION, ErrorType.CONTEXT_DEGRADATION}


def test_an_unknown_kind_is_an_error_of_a_tool() -> None:
    assert (error_type("of the future"), severity("of the future")) == (ErrorType.TOOL, 0.5)
