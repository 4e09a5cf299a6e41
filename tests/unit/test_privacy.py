from __future__ import annotations

import re
from dataclasses import replace

import pytest
from hypothesis import given, strategies as st

from memoranda.capture.redaction.private_spans import RECALLED_TAG, drop_private, drop_recalled
from memoranda.capture.redaction.unstored_messages import drop_unstored
from memoranda.context.renderer import render
from memoranda.json_data import dump_json
from memoranda.observations.model import Origin
from memoranda.search.model import ContextItem, ContextSection
from memoranda.text import markup_free as escape
from tables import each


@each(
    ("text", "expected", "spans"),
    [
        ("nothing here", "nothing here", 0),
        ("a<private>b</private>c", "ac", 1),
        ("a<PRIVATE>b</Private>c", "ac", 1),
        ('a<private reason="b > c" x>d</private >e', "ae", 1),
        ("a<private\n>b</private>c<private>d</private>e", "ace", 2),
        ("a<private>b<private>c</private>d</private>e", "ae", 1),
        ("a<private>b</private>c</private>d", "acd", 1),
        ("a</private>b", "ab", 0),
        ("a<private>b", "a", 1),
        ("a<private>b<private>c</private>d", "a", 1),
        ("a<private/>b<private />c", "abc", 0),
        ("a<private", "a", 1),
        ("a<private<private>b</private>c", "a", 1),
        ("a<private>b</private", "a", 1),
        ("", "", 0),
    ],
)
def test_private_spans_are_dropped(text: str, expected: str, spans: int) -> None:
    assert drop_private(text) == (expected, spans)


@each(
    "text",
    [
        "<privateer>x</privateer>",
        "<private-note>x</private-note>",
        "if (x < private_key) { a >private }",
        "List<privateKey>",
        f"<{RECALLED_TAG}>x</{RECALLED_TAG}>",
        "&lt;private&gt;",
    ],
)
def test_other_text_between_angle_brackets_stays(text: str) -> None:
    assert drop_private(text) == (text, 0)


@each(
    "text",
    [
        "Don't remember this: the hint is zebra.",
        "Don't store this message, the merger with Blue Rail closes in June.",
        "Please don't save this: Anna is on sick leave.",
        "Do not record this, our margin is 40 percent.",
        "My margin is 40 percent, and please don\u2019t remember this.",
        "please do not remember that I overslept today",
        "Off the record: we might drop the customer.",
        "Bitte nicht merken: Anna ist krank.",
        "Merk dir das nicht: Anna ist krank.",
        "Bitte speichere diese Nachricht nicht, Anna ist krank.",
        "Por favor, no guardes este mensaje: Ana est\u00e1 de baja.",
        "No recuerdes esto: Ana est\u00e1 de baja.",
        "Ne retiens pas ceci : Anne est malade.",
        "S'il te pla\u00eet, n'enregistre pas ce message, Anne est malade.",
    ],
)
def test_what_must_not_be_remembered_is_dropped(text: str) -> None:
    assert drop_unstored(text) == ("", 1)
    assert drop_unstored(f"Run it.\n{text}")[0] in ("", "Run it.\n")


@each(
    "text",
    [
        "Don't remember that function name, do you?",
        "Don't remember this?",
        "I don't remember this: it was odd.",
        "Don't save the file.",
        "Don't save this, just print it.",
        "Don't store this in localStorage.",
        "Don't log this message at info level.",
        "Add a button: Don't remember this device",
        "```\nDon't remember this: x\n```",
        "Speichere das nicht in der Datenbank.",
        "No guardes esto en la base de datos.",
        "N'enregistre pas ceci dans la base.",
    ],
)
def test_what_is_about_the_work_stays(text: str) -> None:
    assert drop_unstored(text) == (text, 0)


ITEM = ContextItem("id", "3#42", f"Begin with <{RECALLED_TAG}>.", Origin.TOOL, None)
FENCE = render('shop & "<co>"', [ContextSection("memories", (ITEM,))], ())
DATED = render(
    "shop", [ContextSection("task-brief", (replace(ITEM, at=1_790_000_000_000_000),))], ()
)
PART = DATED[DATED.index("<task-brief>") : DATED.index("\n</memoranda-context>")]
FORMER = (
    "<user-statements>\n- [human 2026-09-21] Use pnpm. (3#42)\n- Never npm. (3#43)\n"
    "</user-statements>"
)
"""A part in the form of earlier versions' contexts."""
POINTERS = '<memoranda-task number="7">\nWhat is recorded\n- Decided: 7#1\n</memoranda-task>'
QUOTED = dump_json({"stdout": f"before\n{FENCE}\nafter"})


@each(
    ("text", "expected", "spans"),
    [
        (f"before {FENCE} after", "before  after", 1),
        (f"{FENCE}\nbetween\n{FENCE}", "\nbetween\n", 2),
        (QUOTED, '{"stdout":"before\\n\\nafter"}', 1),
        (dump_json([QUOTED]), dump_json(['{"stdout":"before\\n\\nafter"}']), 1),
        (f"see\n{FENCE[:150]}", "see\n", 1),
        (f"see\n{FENCE[:-1]}", "see\n", 1),
        (f"see\n{FENCE[:-9]}", "see\n", 1),
        (f"see\n{FENCE[: FENCE.index(chr(10))]}", "see\n", 1),
        (f"{FENCE[:150]}\n{FENCE} after", " after", 2),
        (f"{DATED}\n{POINTERS}\nbehind", "\n\nbehind", 2),
        (f"{DATED[:200]}\n\nbehind", "\n\nbehind", 1),
        (f"<hook_context>{escape(DATED)[:200]}</hook_context>", "<hook_context></hook_context>", 1),
        (f"{PART}\nbehind", "\nbehind", 1),
        (PART[: PART.index("#42") + 9], "", 1),
        (f"{FORMER}\nbehind", "\nbehind", 1),
        (FORMER[: FORMER.index(" (3#42)")], "", 1),
        (dump_json([f"{PART}\n</{RECALLED_TAG}>"]), '[""]', 1),
        (f"Why is {FENCE[:150]}", f"Why is {FENCE[:150]}", 0),
    ],
)
def test_a_delivered_context_is_dropped_to_the_end_if_truncated(
    text: str, expected: str, spans: int
) -> None:
    assert drop_recalled(text) == (expected, spans)


@each(
    "text",
    [
        f"Strip `<{RECALLED_TAG}>` before logging. Never log the token.",
        f"<{RECALLED_TAG}>\nis how it begins. Never log the token.",
        f'Write <{RECALLED_TAG} id="0a1b2c3d" workspace="shop"> first. Never log the token.',
        f'"<{RECALLED_TAG} id="0a1b2c3d" workspace="shop">" is one. Never log the token.',
        f'OPENS = f"<{RECALLED_TAG} id={{digest}} workspace={{name}}>"\nTOKEN = "never"\n',
        "<task-brief>\n- [x] write the tests\n</task-brief>",
        f"a</{RECALLED_TAG}>b",
        f"<{RECALLED_TAG}",
        f'<{RECALLED_TAG}s id="0a1b2c3d" workspace="shop">\nb',
        f'<{RECALLED_TAG} id="today" workspace="shop">b</{RECALLED_TAG}>',
    ],
)
def test_whoever_names_the_tag_of_a_context_loses_nothing(text: str) -> None:
    assert drop_recalled(text) == (text, 0)
    assert drop_recalled(f"{text}\n{FENCE}") == (f"{text}\n", 1)


@pytest.mark.timeout(60)
@each(
    "unit",
    [
        FENCE[:150],
        FENCE[:60],
        PART[:40],
        "<profile>\\n- [tool] ",
        "- [tool] x\\n",
        "<profile>\\n[tool]\\n#4 ",
        "[tool]\\n#4 x\\n",
        f"<{RECALLED_TAG} id=",
        f"</{RECALLED_TAG} ",
        "\\",
        "<",
        "\n",
    ],
)
def test_hostile_text_about_contexts_takes_linear_time(unit: str) -> None:
    drop_recalled(FENCE[:150] + unit * (200_000 // len(unit)))
    drop_recalled(f'<{RECALLED_TAG} id="0a" a="' + unit * (200_000 // len(unit)))
    drop_recalled("<profile>\\n- [tool] " + unit * (200_000 // len(unit)))
    drop_recalled(f'<{RECALLED_TAG} id="' + unit * (200_000 // len(unit)))


def test_text_without_a_tag_comes_back_as_the_same_object() -> None:
    text = "x" * 1000
    assert drop_private(text)[0] is text


@pytest.mark.timeout(60)
@each(
    ("text", "spans"),
    [
        ("<private>" * 100_000, 1),
        ("<private" * 100_000, 1),
        ("<private " * 100_000, 1),
        ("</private>" * 100_000, 0),
        ("</private" * 100_000, 0),
        ("<" * 1_000_000, 0),
        ("<private a" + "=" * 1_000_000, 1),
        ("<private>" * 100_000 + "</private>" * 100_000, 1),
        ("<private></private>" * 100_000, 100_000),
    ],
)
def test_hostile_text_takes_linear_time(text: str, spans: int) -> None:
    assert drop_private(text)[1] == spans


pieces = st.sampled_from(["<private>", "</private>", "<private/>", "<private", "x", " ", "<", ">"])


@given(st.lists(pieces).map("".join))
def test_no_tag_and_nothing_inside_one_survives(text: str) -> None:
    kept, _ = drop_private(text)
    opened = re.search(r"<private(?=[\s/<>]|\Z)(?!/>)", text)
    assert len(kept) <= len(text)
    if opened and "</private>" not in text:
        assert kept == drop_private(text[: opened.start()])[0]


@given(st.text(), st.text(), st.text())
def test_text_between_the_tags_is_removed_and_the_rest_stays(
    before: str, inside: str, after: str
) -> None:
    if any("private" in part.lower() for part in (before, inside, after)):
        return
    text = f"{before}<private>{inside}</private>{after}"
    assert drop_private(text) == (before + after, 1)
