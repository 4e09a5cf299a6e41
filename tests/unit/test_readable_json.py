"""JSON in a text is read as names and values, for passages cut anywhere."""

from __future__ import annotations

import json
import random
from typing import Any

from memoranda.observations.content import call_text
from memoranda.search.passage_splitter import TextPassage, passages
from memoranda.search.readable_json import ReadableText, read_excerpt
from tables import each

CODE = 'import os\n\n\tname = "a\\nb"  # C:\\new\n' + "total = prices[0]\n" * 60
CALLS: list[tuple[str, Any]] = [
    ("Edit", {"file_path": "/srv/shop/price.py", "old_string": "a = 1", "new_string": CODE}),
    ("Write", {"file_path": "C:\\new\\table.txt", "content": "Grüße 😀\r\nnaïve \\u00e9"}),
    ("TodoWrite", {"todos": [{"content": "Round once", "status": "pending"}, {"content": "Ship"}]}),
    ("mcp__shop__order", {"id": 7, "paid": False, "lines": [[1, 2], [3]], "note": None, "of": {}}),
    ("Task", {"prompt": "Read everything. " * 90, "description": "Find the rounding"}),
    ("AskUserQuestion", {"questions": [{"options": ["half up", "half even"], "multi": True}]}),
]


@each(("tool", "value"), CALLS, ids=[tool for tool, _ in CALLS])
def test_no_passage_of_a_call_shows_json(tool: str, value: Any) -> None:
    text = call_text(tool, value, "done\nsecond line")
    for passage in passages(text):
        found = read_excerpt(text, passage)
        assert found.start <= passage.start + 2
        assert found.start + found.length >= min(passage.start + passage.length, len(text)) - 5
        assert len(found.text) < 2_000
        assert not any(sign in found.text for sign in ('":', '{"', "},", '","'))
    whole = ReadableText(text).text
    assert whole.splitlines()[0] == tool
    assert whole.endswith("done\nsecond line")


def test_values_come_as_they_were_written() -> None:
    text = call_text(*CALLS[0], None)
    lines = ReadableText(text).text.splitlines()
    assert lines[:4] == ["Edit", "file_path: /srv/shop/price.py", "new_string:", "import os"]
    assert '\tname = "a\\nb"  # C:\\new' in lines
    assert lines[-1] == "old_string: a = 1"
    windows = ReadableText(call_text(*CALLS[1], None)).text
    assert "file_path: C:\\new\\table.txt" in windows
    assert "Grüße 😀" in windows
    assert "naïve \\u00e9" in windows
    order = ReadableText(call_text(*CALLS[3], None)).text
    assert order.split("\n")[1:] == ["id: 7", "lines: 1, 2", "lines: 3", "paid: false"]


def test_short_lists_are_one_line() -> None:
    text = call_text(
        "shell", {"command": ["bash", "-lc", "rg -n total"], "files": ["a.py", "b"]}, ""
    )
    assert ReadableText(text).text == "shell\ncommand: bash -lc rg -n total\nfiles: a.py, b"


def test_every_cut_of_a_text_is_read() -> None:
    """No passage begins or ends within an escape or a surrogate pair."""
    dice = random.Random(3)
    text = "\n".join(call_text(tool, values, '{"ok": "\\ud83d\\ude00"}') for tool, values in CALLS)
    for _ in range(500):
        start = dice.randrange(len(text))
        found = read_excerpt(text, TextPassage(start, dice.randint(1, 900)))
        assert '{"' not in found.text
        found.text.encode()


@each(
    "text",
    [
        "plain text\n\nwith two paragraphs.",
        'x = {"a": 1}',
        'Edit {"file_path": "a", "new',
        'const A = [1, 2];\nreturn [{"a": 1}].map(f)',
        "see [1]",
        "{} and []",
        '{"a":' * 50_000,
    ],
)
def test_what_is_no_json_to_its_end_stays_as_it_is(text: str) -> None:
    assert ReadableText(text).text == text
    assert read_excerpt(text, TextPassage(2, 7)).text == text[2:9]


def test_a_part_knows_its_place() -> None:
    text = call_text(*CALLS[0], "the totals are right")
    whole = ReadableText(text)
    for fragment in ("the totals", "file_path: /srv/shop/price.py", "import os"):
        found = whole.excerpt(TextPassage(whole.text.index(fragment), len(fragment)))
        assert found.text == fragment
        plain = fragment.removeprefix("file_path: ")
        assert plain in text[found.start : found.start + found.length]


def test_deep_json_is_named_and_no_deeper() -> None:
    deep: Any = "bottom"
    for _ in range(40):
        deep = {"next": deep}
    assert ReadableText(f"tool {json.dumps(deep)}").text == "tool\nnext: …"
