"""A model's short texts are checked against the record's lines they cite."""

from __future__ import annotations

from memoranda.compression.grounding import ungrounded
from memoranda.compression.model import CompressedLine, PassageSpeaker
from tables import each

TOOL = PassageSpeaker.TOOL
LINES = [
    CompressedLine("3#42", TOOL, "error: ModuleNotFoundError: No module named 'wick'"),
    CompressedLine("3#42", TOOL, "in: python lamp.py --bright 7"),
    CompressedLine(
        "3#43",
        TOOL,
        "When python lamp.py --bright 7 gives \u201cModuleNotFoundError: No module named 'wick'"
        "\u201d: \u201cpip install wick \u2192 Successfully installed wick\u201d",
    ),
]
NAME = ("ModuleNotFoundError of module wick in lamp.py", ("3#42",))
GOOD = "When python lamp.py gives No module named 'wick': first `pip install wick`, and it works."


def test_words_of_the_lines_and_plain_ones_are_borne_out() -> None:
    assert ungrounded(LINES, [NAME, (GOOD, ("3#42", "3#43"))]) is None


@each(
    ("text", "refs", "says"),
    [
        (GOOD, (), "source does not contain"),
        (GOOD, ("9#9",), "source does not contain"),
        ("No module named wick", ("3#42", "9#9"), "'9#9', which is not one of the lines"),
        (GOOD.replace("`pip", "`sudo pip"), ("3#43",), "has 'sudo pip install wick'"),
        (GOOD.replace("`pip install wick`", "sudo pip install wick"), ("3#43",), "'sudo'"),
        (GOOD.replace("install wick`", "wick install`"), ("3#43",), "has 'pip wick install'"),
        (GOOD.replace("and it works", "delete the table"), ("3#43",), "'delete'"),
        (GOOD + " It had 12 cases.", ("3#43",), "'12'"),
        (GOOD.replace("lamp.py", "lamp.py --bright 8"), ("3#43",), "'8'"),
        (GOOD.replace("lamp.py", "oil.py"), ("3#43",), "'oil'"),
        (GOOD.replace("'wick': first", "'candle': first"), ("3#43",), "'candle'"),
        ("Never python lamp.py, pip install wick", ("3#43",), "'Never'"),
        ("wick \u201clamp wick\u201d", ("3#42",), "has 'lamp wick'"),
        ("python lamp.py unless wick", ("3#42",), "'unless'"),
    ],
)
def test_statements_without_evidence_in_the_lines_are_named(
    text: str, refs: tuple[str, ...], says: str
) -> None:
    fault = ungrounded(LINES, [NAME, (text, refs)])
    assert fault is not None
    assert says in fault


def test_a_denial_of_a_line_may_neither_go_nor_come() -> None:
    fault = ungrounded(LINES[:1], [("error: module named wick", ("3#42",))])
    assert fault == "it has lost a denial"
    fault = ungrounded(
        [CompressedLine("3#1", TOOL, "error: module wick")], [("no error: wick", ("3#1",))]
    )
    assert fault == "it has a new denial"


def test_a_line_that_is_not_named_bears_nothing_out() -> None:
    assert ungrounded(LINES, [("Successfully installed wick", ("3#43",))]) is None
    fault = ungrounded(LINES, [("Successfully installed wick", ("3#42",))])
    assert fault == "it has 'Successfully', which its source does not contain"


def test_hostile_lengths_take_no_long_time() -> None:
    fault = ungrounded(LINES, [("`" * 400, ("3#42",)), ("\u201c" * 400, ("3#42",))])
    assert fault is None or "source" in fault
