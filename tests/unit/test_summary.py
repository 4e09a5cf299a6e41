"""Summaries of observations: self-contained titles and salient details."""

from __future__ import annotations

import time

import pytest
from hypothesis import given, strategies as st

import tool_outputs as outputs
from memoranda.capture.analysis.summary import TITLE_LIMIT, summarise
from memoranda.capture.event import Event, EventKind
from memoranda.json_data import JsonValue
from memoranda.observations.model import SUMMARY_LIMIT, Origin
from tables import each
from tool_events import called, hostile, message_event, ran, text_of


def _summary(event: Event) -> str:
    return summarise(event, text_of(event))


def _title(event: Event) -> str:
    return _summary(event).split("\n")[0]


# --- commands -----------------------------------------------------------------------------------


@each(
    ("command", "output", "title"),
    [
        ("pytest -q tests/test_cart.py", outputs.PYTEST_QUIET,
         "pytest -q tests/test_cart.py → 1 failed, 3 passed"),
        ("cd /srv/shop && pytest -q 2>&1 | tail -5", outputs.PYTEST_PASSED,
         "pytest -q → 20 passed, 1 skipped"),
        ("python -m unittest", outputs.UNITTEST,
         "python -m unittest → 1 failed, 1 error, 3 passed"),
        ("cargo test --lib", outputs.CARGO_TEST, "cargo test --lib → 1 failed, 2 passed"),
        ("go test ./...", outputs.GO_TEST, "go test ./... → 1 failed"),
        ("mvn -q test", outputs.MAVEN, "mvn -q test → 1 failed, 2 passed"),
        ("npx jest", outputs.JEST, "npx jest → 1 failed, 1 passed"),
        ("ctest", outputs.CTEST, "ctest → 1 failed"),
        ("cargo build", outputs.CARGO_BUILD, "cargo build → E0308: mismatched types"),
        ("ruff check .", outputs.RUFF, "ruff check . → 2 errors: F401: `os` imported but unused"),
        ("make", outputs.GCC, "make → expected ';' before 'return'"),
        ("python run.py", outputs.TRACEBACK,
         "python run.py → JSONDecodeError: Expecting value: line 1 column 1 (char 0)"),
        ("ls src", "a.py\nb.py", "ls src → 2 entries"),
        ("cat a.py", "x\ny\nz", "cat a.py → 3 lines"),
        ("grep -rn 'round(' src", "a.py:1:round(\na.py:9:round(\nb.py:2:round(",
         "grep -rn 'round(' src → 3 matches in 2 files"),
        ("git status", "On branch main\nnothing to commit, working tree clean",
         "git status → clean"),
        ("git diff", "diff --git a/x.py b/x.py\n--- a/x.py\n+++ b/x.py\n@@ -1 +1,2 @@\n-a\n+b\n+c",
         "git diff → +2 \u22121 in x.py"),
        ("git commit -m 'Fix rounding'", "[main 1a2b3c4] Fix rounding\n 2 files changed",
         "git commit -m 'Fix rounding' → 2 files changed"),
        ("npm run build", "a\nb\nbuilt in 3.21s", "npm run build → built in 3.21s"),
        ("mkdir x", "", "mkdir x → no output"),
        ("cat > a.py <<'EOF'\ndef f():\n    pass\nEOF", "", "cat > a.py (2 lines) → no output"),
        ("# look first\nls", "a\nb", "ls → 2 entries"),
    ],
)  # fmt: skip
def test_the_title_of_a_command_has_the_command_and_its_result(
    command: str, output: str, title: str
) -> None:
    assert _title(ran(command, output)) == title


@each(
    ("command", "output", "wanted"),
    [
        ("pytest", outputs.PYTEST, ["KeyError: 'vat'", "test_total", "at src/shop/cart.py:58"]),
        ("pytest", outputs.PYTEST_ASSERT, ["AssertionError: assert 2.0 == 2.01", "test_sum[eur-2]",
                                           "at tests/test_rounding.py:9"]),
        ("python -m unittest", outputs.UNITTEST, ["has no attribute 'flush'", "test_close, test_c",
                                                  "at src/shop/store.py:71 in close", "2 != 3"]),
        ("cargo test", outputs.CARGO_TEST, ["left: 199, right: 200", "cart::tests::rounds_once",
                                            "at src/cart.rs:88"]),
        ("cargo build", outputs.CARGO_BUILD, ["at src/cart.rs:41", "warning: unused variable"]),
        ("go test ./...", outputs.GO_TEST, ["Total() = 12, want 10", "failed: TestTotal",
                                            "at cart_test.go:23"]),
        ("make", outputs.GCC, ["(exit 1)", "at src/cart.c:10", "unused variable 'rate'"]),
        ("npx jest", outputs.JEST, ["Expected: 2.01; Received: 2", "Cart \u203a rounds once",
                                    "at src/cart.test.js:13"]),
        ("node a.js", outputs.NODE, ["(reading 'port')", "at src/server.js:12"]),
        ("python run.py", outputs.TRACEBACK, ["at src/shop/tax.py:41 in rate", "loading rates"]),
        ("mypy src", outputs.MYPY, ["[return-value]", "src/shop/tax.py:3", "Found 2 errors"]),
        ("mvn test", outputs.MAVEN, ["com.shop.CartTest.total", "at CartTest.java:31"]),
    ],
)  # fmt: skip
def test_a_failure_is_summarised_by_cause_tests_place_and_end(
    command: str, output: str, wanted: list[str]
) -> None:
    summary = _summary(ran(command, output))

    assert [part for part in wanted if part not in summary] == []


def test_a_long_output_is_summarised_by_its_telling_lines_and_its_end() -> None:
    noise = "".join(f"compiling module {n}\n" for n in range(900))
    output = (
        f"{noise}warning: rate is deprecated\n{noise}error handling: 2 failed lookups\n{noise}"
        "Wrote dist/shop.whl"
    )

    summary = _summary(ran("make dist", output))

    assert summary.split("\n")[0] == "make dist → Wrote dist/shop.whl"
    assert summary.index("2 failed lookups") < summary.index("rate is deprecated")


def test_lines_that_differ_only_in_numbers_are_one_with_their_count() -> None:
    output = "".join(f"warning: {n} unused in row {n}\n" for n in range(30)) + "warning: rare\n"

    summary = _summary(ran("make", output * 3 + "done"))

    assert summary.count("unused in row") == 1
    assert "(\u00d7" in summary
    assert summary.index("warning: rare") < summary.index("unused in row")


def test_a_host_error_string_retains_exit_code_and_message() -> None:
    summary = _summary(ran("make lint", "Exit code 2\nruff: E711 in cart.py", failed=True))

    assert summary == "make lint → ruff: E711 in cart.py\nruff: E711 in cart.py (exit 2)"


def test_a_refused_or_interrupted_call_is_marked() -> None:
    refusal = "The user doesn't want to proceed with this tool use."

    denied = _summary(ran("rm -rf build", refusal, failed=True, tags=("denied",)))
    stopped = _title(ran("sleep 99", {"stdout": "", "interrupted": True}, tags=("interrupted",)))

    assert denied == f"rm -rf build → denied\n{refusal}"
    assert stopped == "sleep 99 → interrupted"


def test_a_call_that_is_about_to_run_has_no_outcome() -> None:
    event = ran("npm test", None, kind=EventKind.TOOL_CALL)

    assert summarise(event, "") == "npm test"


def test_a_progress_bar_is_shown_as_it_ended() -> None:
    output = "".join(f"\r{n}% fetched" for n in range(101))

    assert _title(ran("fetch all", f"start\n{output}")) == "fetch all → 100% fetched"


# --- files --------------------------------------------------------------------------------------

CART = """\
class Cart:
    def __init__(self):
        self.items = []

    def total(self):
        result = 0
        for item in self.items:
            result += item.price
        return round(result)
"""


def test_an_edit_has_line_counts_place_and_changes() -> None:
    result: JsonValue = {
        "file_path": "/srv/shop/src/cart.py",
        "old_string": "        return round(result)\n",
        "new_string": "        cents = round(result * 100)\n        return cents / 100\n",
    }
    event = called("Edit", result, {"filePath": "x", "originalFile": CART, "structuredPatch": []})

    assert _summary(event) == (
        "Edit src/cart.py: +2 \u22121 in total()\n"
        "- return round(result)\n+ cents = round(result * 100)\n+ return cents / 100"
    )


def test_an_edit_names_the_functions_it_adds() -> None:
    edits: JsonValue = [
        {"old_string": "def a():\n    pass", "new_string": "def a():\n    return 1"},
        {"old_string": "", "new_string": "class Rate:\n    def of(self): ...\n"},
    ]

    summary = _summary(called("MultiEdit", {"file_path": "a.py", "edits": edits}, "ok"))

    assert summary.startswith("Edit a.py: +4 \u22121 in a(), Rate\na(), Rate, of()\n")


def test_a_failed_edit_has_its_reason_and_claims_no_change() -> None:
    result: JsonValue = {"file_path": "a.py", "old_string": "x", "new_string": "y"}
    output = "<tool_use_error>String to replace not found in file.</tool_use_error>"

    assert _title(called("Edit", result, output, failed=True)) == (
        "Edit a.py → String to replace not found in file."
    )


def test_a_patch_of_several_files_is_counted() -> None:
    patch = (
        "*** Begin Patch\n*** Update File: src/cart.py\n@@ def total(self):\n-    return 1\n"
        "+    return 2\n*** Add File: src/new.py\n+x\n*** End Patch"
    )

    summary = _summary(called("apply_patch", patch, "Done!"))

    assert summary.startswith("Edit 2 files: +2 \u22121 in total()\nsrc/cart.py\nsrc/new.py")


@each(
    ("event", "title"),
    [
        (called("Write", {"file_path": "/srv/shop/tests/test_x.py", "content": "a\nb\n"},
                "File created successfully at: /srv/shop/tests/test_x.py"),
         "Write tests/test_x.py (new, 2 lines)"),
        (called("Write", {"file_path": "/srv/shop/a.md", "content": "x"}, {"type": "update"}),
         "Write a.md (1 line)"),
        (called("Read", {"file_path": "/srv/shop/cart.py"}, {"file": {"content": CART}}),
         "Read cart.py (9 lines)"),
        (called("Read", {"file_path": "/srv/shop/cart.py", "offset": 40}, "a\nb\nc"),
         "Read cart.py (lines 40\u201342)"),
        (called("Read", {"file_path": "/srv/shop/no.py"}, "File does not exist.", failed=True),
         "Read no.py → File does not exist."),
        (called("Grep", {"pattern": "round("}, {"mode": "content", "numFiles": 0, "filenames": [],
                "content": "a.py:1:x\nb.py:2:x\nb.py:3:x\nc.py:1:x\nc.py:2:x\nc.py:3:x\nc.py:4:x"}),
         "grep 'round(' → 7 matches in 3 files"),
        (called("Grep", {"pattern": "x", "path": "/srv/shop/src"}, "Found 2 files\na.py\nb.py"),
         "grep 'x' in src → 2 files"),
        (called("Glob", {"pattern": "**/*.rs"}, {"filenames": [], "numFiles": 0}),
         "glob '**/*.rs' → nothing found"),
        (called("TodoWrite", {"todos": [{"content": "Fix", "status": "completed"},
                                        {"content": "Add tests", "status": "in_progress"}]}, ""),
         "Plan: 1 done, 1 in progress \u2014 Add tests"),
        (called("WebFetch", {"url": "https://x.example/a"}, {"code": 200, "codeText": "OK"}),
         "WebFetch https://x.example/a → 200 OK"),
        (called("Task", {"description": "Find callers", "subagent_type": "Explore"}, "Two."),
         "Agent Explore: Find callers"),
        (called("AskUserQuestion", {"questions": [{"question": "Which rounding?"}]},
                {"answers": {"Which rounding?": "Half up"}}), "Ask: Which rounding? → Half up"),
        (called("mcp__db__query", {"sql": "select 1"}, "1"), "db query select 1 → 1"),
    ],
)  # fmt: skip
def test_the_title_of_every_other_tool_is_self_contained(event: Event, title: str) -> None:
    assert _title(event) == title


def test_a_file_that_was_read_is_summarised_by_what_it_defines() -> None:
    event = called("Read", {"file_path": "/srv/shop/cart.py"}, {"file": {"content": CART}})

    assert "defines Cart, __init__(), total()" in _summary(event)


@pytest.mark.parametrize(
    "text",
    [
        'start = "12:30"\nassert parse("07:05") == 425\nopen_at = 8:15',
        "07:05 tram 1 leaves\n08:05 tram 2 leaves",
        "1:05 tram 1 leaves\n2:05 tram 2 leaves",
        "7: at seven\n9: at nine",
    ],
)
def test_what_only_looks_like_line_numbers_of_a_file_stays(text: str) -> None:
    event = called("Read", {"file_path": "/srv/shop/times.txt"}, {"file": {"content": text}})

    assert _summary(event).split("\n")[1:] == text.split("\n")


@pytest.mark.parametrize("mark", ["\u2192", "\t", ":", "|"])
def test_the_line_numbers_of_a_file_are_left_out(mark: str) -> None:
    lines = ["import csv", "open_at = 8:15", "", "lunch = 12:30"]
    text = "\n".join(f"{number:6}{mark}{line}" for number, line in enumerate(lines, 40))
    event = called("Read", {"file_path": "/srv/shop/times.py", "offset": 40}, text)

    assert _summary(event).split("\n")[1:] == [line for line in lines if line]


def test_an_edit_with_long_removed_lines_shows_what_was_added() -> None:
    old = "\n".join(f"x = {letter * 200}" for letter in "abcd")
    edit = {"file_path": "/srv/shop/cart.py", "old_string": old, "new_string": "x = 1"}

    assert "\n+ x = 1\n" in _summary(called("Edit", edit, "Done."))


# --- words --------------------------------------------------------------------------------------


def test_a_persons_message_gives_its_constraints_verbatim_and_first() -> None:
    rule = "Never edit tariffs/2026.csv by hand, whatever the ticket says about it."
    text = f"Fix the cart total. It is off by a cent. {'Some more words here. ' * 40}{rule}"

    lines = _summary(message_event(text)).split("\n")

    assert lines[0] == "Fix the cart total."
    assert lines[1] == rule
    assert lines[2].startswith("It is off by a cent.")


def test_an_agents_words_are_not_searched_for_constraints() -> None:
    text = "Done. I ran it all. You must never edit this."

    assert (
        _summary(message_event(text, Origin.AGENT))
        == "Done.\nI ran it all. You must never edit this."
    )


def test_a_long_first_sentence_is_cut_in_the_title_and_kept_below() -> None:
    sentence = f"Please look at {'every ' * 20}test of the cart."

    title, rest = _summary(message_event(sentence)).split("\n")

    assert TITLE_LIMIT - 8 < len(title) <= TITLE_LIMIT and title.endswith("every…")
    assert rest == sentence


@each(
    ("event", "title"),
    [
        (message_event("Cart fixed.", Origin.GENERATED, tags=("compaction",)),
         "Compaction summary: Cart fixed."),
        (message_event("Two call sites.", Origin.AGENT, kind=EventKind.AGENT_END, agent="explore"),
         "Agent explore ended: Two call sites."),
        (message_event("", Origin.GENERATED, kind=EventKind.CHECKPOINT), "Checkpoint"),
        (message_event("overloaded", Origin.AGENT, kind=EventKind.ERROR), "Error: overloaded"),
        (message_event("API Error: 529", Origin.AGENT, kind=EventKind.ERROR), "API Error: 529"),
        (message_event(""), "(empty)"),
    ],
)  # fmt: skip
def test_other_moments_have_titles(event: Event, title: str) -> None:
    assert _title(event) == title


def test_what_a_reviewer_would_not_see_is_not_in_a_summary() -> None:
    hidden = "Fix\u202e it\u200b now\x07.\x1b[31m Red\U000e0041."

    assert _summary(message_event(hidden)) == "Fix it now.\nRed."


# --- any event ----------------------------------------------------------------------------------

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=60),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=9), inner),
    max_leaves=10,
)
TOOLS = [
    "Bash", "shell", "Read", "Edit", "Write", "Grep", "Glob", "LS", "apply_patch", "Task",
    "WebFetch", "TodoWrite", "AskUserQuestion", "str_replace_editor", "mcp__a__b", "x",
]  # fmt: skip
KEYS = ["command", "cmd", "file_path", "path", "old_string", "new_string", "content", "edits",
        "pattern", "todos", "plan", "questions", "answers", "filenames", "numFiles", "numMatches",
        "offset", "code", "stdout", "stderr", "file", "type", "originalFile", "patch"]  # fmt: skip
SHAPED = JSON | st.dictionaries(st.sampled_from(KEYS), JSON)
SAMPLES = [value for name, value in vars(outputs).items() if name.isupper()]
EVENTS = st.builds(
    called,
    st.sampled_from(TOOLS),
    SHAPED,
    SHAPED | st.sampled_from(SAMPLES),
    kind=st.sampled_from(list(EventKind)),
    failed=st.booleans(),
    text=st.text(max_size=80),
    tags=st.sampled_from([(), ("denied",), ("interrupted",), ("pending",), ("thinking",)]),
    origin=st.sampled_from(list(Origin)),
)


@given(EVENTS)
def test_any_event_has_a_bounded_summary(event: Event) -> None:
    summary = _summary(event)
    title = summary.split("\n")[0]

    assert summary == _summary(event)
    assert 0 < len(summary) <= SUMMARY_LIMIT
    assert 0 < len(title) <= TITLE_LIMIT
    assert all(line == line.strip() for line in summary.split("\n"))


@given(st.text(max_size=300), st.sampled_from(TOOLS))
def test_text_that_does_not_fit_the_event_is_summarised_all_the_same(text: str, tool: str) -> None:
    summary = summarise(called(tool, {"command": "x", "file_path": "a"}), text)

    assert 0 < len(summary) <= SUMMARY_LIMIT


@each("unit", ["a", " ", "\n", "\r", "error ", "def ", "+", "a:1:", "'", "# "])
def test_hostile_repetition_is_read_in_linear_time(unit: str) -> None:
    blob = hostile(unit)
    events = [
        ran("run", blob),
        ran(blob, ""),
        called("Edit", {"file_path": "a", "old_string": blob, "new_string": blob + "x"}, blob),
        called("Read", {"file_path": "a"}, blob),
        called("Grep", {"pattern": "a"}, blob),
        message_event(blob),
    ]
    texts = [text_of(event) for event in events]
    started = time.process_time()

    for event, text in zip(events, texts, strict=True):
        assert len(summarise(event, text)) <= SUMMARY_LIMIT

    assert time.process_time() - started < 5
