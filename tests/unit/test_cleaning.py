"""Host payloads are cleaned in a fixed order before they are stored."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, strategies as st

from memoranda.capture.event import Event, EventKind, EventSource
from memoranda.capture.redaction.caller_text_cleaner import TextSanitiser
from memoranda.capture.redaction.event_cleaner import (
    RECALLED_OUTPUT,
    CleanedEvent,
    EventCleaner,
    is_recall,
)
from memoranda.capture.redaction.exclusion import Exclusion
from memoranda.capture.redaction.redactor import Redactor
from memoranda.json_data import JsonValue, dump_json
from memoranda.observations.model import Origin
from memoranda.settings import EXCLUDED_COMMANDS, EXCLUDED_PATHS
from tables import each

REDACTOR = Redactor(b"key")
CLEANER = EventCleaner(REDACTOR, Exclusion(EXCLUDED_PATHS, EXCLUDED_COMMANDS))
TOKEN = "gh" + "p_" + "a1B2c3D4e5" * 3 + "f6G7h8"
RECALLED = '<memoranda-context id="1" workspace="x">\nold news\n</memoranda-context>'


def message_event(text: str, **more: Any) -> Event:
    event = Event(
        kind=EventKind.MESSAGE,
        host="claude-code",
        session="s",
        source=EventSource.HOOK,
        key="k",
        origin=Origin.HUMAN,
        text=text,
    )
    return replace(event, **more)


def ran(value: JsonValue, output: JsonValue = "", tool: str = "Bash", **more: Any) -> Event:
    event = message_event("", kind=EventKind.TOOL_RESULT, origin=Origin.TOOL, **more)
    return replace(event, tool=tool, input=value, output=output)


def shell(command: str, output: JsonValue = "done", **more: Any) -> Event:
    return ran({"command": command}, output, **more)


def clean(event: Event) -> CleanedEvent:
    return CLEANER.clean(event)


def test_ordinary_events_stay_as_they_are() -> None:
    event = shell("ls -l", {"stdout": "cart.py\n", "n": [1, None, True]}, cwd="/srv/shop")
    assert clean(event) == CleanedEvent(event, Counter())


def test_private_spans_go_from_words_input_and_output() -> None:
    result = clean(message_event("Fix it. <private>Ada, card 4242</private> Thanks."))
    assert result.event.text == "Fix it.  Thanks."
    assert result.removed == Counter(private=1)
    arguments = {"content": "a<private>b</private>c", "<private>k</private>": ["<PRIVATE>x"]}
    used = clean(ran(arguments, {"stdout": "1<private>2</private>3"}, tool="Write"))
    assert used.event.input == {"content": "ac", "": [""]}
    assert used.event.output == {"stdout": "13"}
    assert used.removed == Counter(private=4)


def test_recalled_text_is_not_captured_again() -> None:
    result = clean(message_event(f"before {RECALLED} after"))
    assert result.event.text == "before  after"
    assert result.removed == Counter(recalled=1)
    used = clean(shell("cat notes.txt", {"stdout": f"a{RECALLED}b"}))
    assert used.event.output == {"stdout": "ab"}


def test_a_secret_inside_a_private_span_is_private_not_a_secret() -> None:
    result = clean(message_event(f"<private>{TOKEN}</private> and {TOKEN}"))
    assert result.removed["private"] == 1
    assert sum(result.removed.values()) == 2
    assert TOKEN not in result.event.text


def test_secrets_are_removed_from_every_part_with_text() -> None:
    used = clean(ran({"command": f"curl {TOKEN}", TOKEN: [TOKEN]}, {"stdout": TOKEN, TOKEN: 1}))
    result = clean(message_event(TOKEN, tags=(TOKEN, f"<private>{TOKEN}")))
    for event in (used.event, result.event):
        parts = [event.input, event.output, event.text, list(event.tags)]
        assert TOKEN not in dump_json(parts)
    assert sum(used.removed.values()) == 5
    assert result.removed["private"] == 1


@each(
    "event",
    [
        shell("memoranda search rounding", "hit 1\nhit 2"),
        shell("memoranda"),
        shell("memoranda context --budget 900\n"),
        shell("python -m memoranda timeline '1#2; 3'"),
        shell("python3.12 -m memoranda search x"),
        shell("/opt/venv/bin/memoranda search x"),
        shell("uvx memoranda search x"),
        shell('memoranda search "a && b; c" 2>&1'),
        shell("memoranda search x | head -5"),
        ran({"query": "x"}, ["hit 1"], tool="mcp__memoranda__search"),
        ran({"query": "x"}, "hit 1", tool="Memoranda_Search"),
        ran({"cmd": "memoranda search x"}, "hit 1", tool="shell"),
    ],
)
def test_what_memoranda_itself_answered_is_not_captured(event: Event) -> None:
    assert is_recall(event)
    cleaned = clean(event).event
    assert cleaned.output == RECALLED_OUTPUT
    assert cleaned.tags == ("recalled",)
    assert cleaned.input == event.input


@each(
    "command",
    [
        "memoranda context && pytest -q",
        "memoranda search x; make test",
        "memoranda search x\nmake test",
        "memoranda search x || make",
        "memoranda drain & make",
        "memoranda search $(make list)",
        "memorandas --list",
        "cat memoranda/cli.py",
        "make memoranda",
        "python -m memoranda_tools",
        "ls",
        "",
    ],
)
def test_output_of_another_command_is_stored(command: str) -> None:
    event = shell(command, "1 failed")
    assert not is_recall(event)
    assert clean(event).event.output == "1 failed"


@each(
    "event",
    [
        ran({"file_path": "/srv/shop/.env"}, "KEY=1", tool="Read"),
        ran({"file_path": ".env"}, "KEY=1", tool="Read"),
        ran({"path": "keys/server.pem"}, "x", tool="Edit"),
        shell("cat .env", {"stdout": "KEY=1"}),
        shell("grep KEY <.env.local"),
        shell("cat ~/.ssh/config"),
        shell("op read op://vault/item"),
        shell("pass show mail"),
        shell("cat '.env' \ud800\0"),
    ],
)
def test_an_excluded_file_or_command_leaves_an_empty_marker(event: Event) -> None:
    cleaned = clean(event)
    assert (cleaned.event.input, cleaned.event.output) == (None, None)
    assert cleaned.event.tags == ("excluded",)
    assert cleaned.removed == Counter(excluded=1)
    assert cleaned.event.tool == event.tool


@pytest.mark.parametrize("command", ["cat .envrc.md", "ls environment", "passwd --help", "top"])
def test_what_only_looks_like_it_is_captured(command: str) -> None:
    assert clean(shell(command, "text")).event.output == "text"


def test_exclusion_comes_before_everything_else() -> None:
    event = shell("memoranda search x; cat .env", f"<private>x</private>{TOKEN}")
    assert clean(event).removed == Counter(excluded=1)


def test_names_become_what_every_engine_can_store() -> None:
    odd = {
        "agent": "a\0",
        "session": "s\ud800",
        "host": "\udfff",
        "cwd": "/\0",
        "tags": ("\ud800",),
    }
    event = clean(ran({"a\0": "\ud800"}, ["\0"], tool="T\0", **odd)).event
    assert (event.agent, event.session, event.host) == ("a\u2400", "s\ufffd", "\ufffd")
    assert (event.tool, event.cwd, event.tags) == ("T\u2400", "/\u2400", ("\ufffd",))
    assert event.input == {"a\u2400": "\ufffd"}
    assert event.output == ["\u2400"]


@pytest.mark.parametrize("at", [-1, -(10**18), 253_402_300_800_000_000, 10**30])
def test_a_time_that_no_calendar_has_is_no_time(at: int) -> None:
    assert clean(message_event("x", occurred_at=at)).event.occurred_at is None


@pytest.mark.parametrize("at", [None, 0, 1_785_578_400_000_000, 253_402_300_799_999_999])
def test_other_times_stay(at: int | None) -> None:
    assert clean(message_event("x", occurred_at=at)).event.occurred_at == at


pieces = st.sampled_from(
    ["<private>", "</private>", RECALLED, TOKEN, "\0", "\ud800", "word ", "memoranda ", "; "]
)
texts = st.lists(st.one_of(pieces, st.text(max_size=5)), max_size=5).map("".join)
values = st.recursive(
    st.one_of(texts, st.none(), st.integers(), st.booleans()),
    lambda inner: st.one_of(st.lists(inner, max_size=3), st.dictionaries(texts, inner, max_size=3)),
    max_leaves=6,
)


@given(values, values, texts)
def test_no_event_is_too_odd_to_be_cleaned(
    given_input: JsonValue, output: JsonValue, text: str
) -> None:
    event = replace(ran(given_input, output), text=text, tags=(text,))
    cleaned = clean(event)
    written = dump_json([cleaned.event.input, cleaned.event.output, cleaned.event.text])
    written.encode()
    assert "\0" not in written
    assert TOKEN not in written
    assert clean(event) == cleaned


@pytest.mark.parametrize(
    "event",
    [
        message_event(f"a <private>b</private> {TOKEN} {RECALLED}"),
        shell("memoranda search x", "hit"),
        shell("cat .env", "KEY=1"),
        ran({"a\0": TOKEN}, {"stdout": f"<private>{TOKEN}"}, tags=("x",)),
    ],
)
def test_cleaning_twice_changes_nothing(event: Event) -> None:
    once = clean(event).event
    assert clean(once).event == once


def test_a_statement_is_cleaned_by_the_same_rules() -> None:
    sanitiser = TextSanitiser(REDACTOR)
    text = sanitiser.clean(f"a\0 <private>b</private>{RECALLED} {TOKEN}")
    assert text.startswith("a\u2400  [redacted:github")
    assert TOKEN not in text


@each(
    "words",
    [
        ["mysql", "-u", "root", "-pargvpwzz12"],
        ["curl", "-u", "admin:argvcuzz12", "http://h"],
        ["mysql", "--password", "argvlozz12"],
    ],
)
@each("member", ["command", "args"])
def test_secrets_in_command_arguments_are_removed(words: list[str], member: str) -> None:
    cleaned = clean(ran({member: [*words]}, tool="shell"))
    assert "zz12" not in dump_json(cleaned.event.input)
    assert cleaned.removed
    kept = cleaned.event.input
    assert isinstance(kept, dict)
    assert isinstance(kept[member], list)
    assert clean(cleaned.event).event == cleaned.event
