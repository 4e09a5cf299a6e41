"""Three-way merges of two texts lose no line of either."""

from __future__ import annotations

import random

import pytest

from memoranda.web.pages.block_edit import MAX_MERGE_LENGTH, MergedText, merged
from tables import each

BASE = "one\ntwo\nthree\nfour\nfive"


@each(
    ("theirs", "ours", "both"),
    [
        (BASE, BASE, BASE),
        ("ONE\ntwo\nthree\nfour\nfive", BASE, "ONE\ntwo\nthree\nfour\nfive"),
        (BASE, "one\ntwo\nthree\nfour\nFIVE", "one\ntwo\nthree\nfour\nFIVE"),
        (
            "ONE\ntwo\nthree\nfour\nfive",
            "one\ntwo\nthree\nfour\nFIVE",
            "ONE\ntwo\nthree\nfour\nFIVE",
        ),
        (f"zero\n{BASE}", f"{BASE}\nsix", f"zero\n{BASE}\nsix"),
        ("one\nthree\nfour\nfive", "one\ntwo\nthree\nfour", "one\nthree\nfour"),
        (f"{BASE}\nsix", f"{BASE}\nsix", f"{BASE}\nsix"),
    ],
)
def test_changes_of_different_passages_stand_in_one_text(theirs: str, ours: str, both: str) -> None:
    assert merged(BASE, theirs, ours) == MergedText(both, ())


@pytest.mark.parametrize(
    ("theirs", "ours", "both", "lines"),
    [
        ("one\nTWO\nthree\nfour\nfive", "one\n2\nthree\nfour\nfive",
         "one\nTWO\n2\nthree\nfour\nfive", (2,)),
        (f"{BASE}\nsix", f"{BASE}\n6", f"{BASE}\nsix\n6", (6,)),
        ("one\nthree\nfour\nfive", "one\n2\nthree\nfour\nfive", "one\n2\nthree\nfour\nfive", (2,)),
    ],
)  # fmt: skip
def test_a_passage_that_both_changed_has_both_and_is_named(
    theirs: str, ours: str, both: str, lines: tuple[int, ...]
) -> None:
    assert merged(BASE, theirs, ours) == MergedText(both, lines)


def test_an_empty_beginning() -> None:
    assert merged("", "theirs", "ours") == MergedText("theirs\nours", (1,))


def test_texts_that_are_too_long_are_put_together_by_hand() -> None:
    assert merged("x" * (MAX_MERGE_LENGTH + 1), "a", "b") is None
    assert merged("\n" * 3_000, "a", "b") is None


def test_no_line_that_somebody_wrote_is_lost() -> None:
    dice = random.Random(7)
    for _ in range(300):
        base = [f"line {n}" for n in range(dice.randint(0, 12))]
        theirs, ours = ([*base] for _ in range(2))
        for lines, name in ((theirs, "theirs"), (ours, "ours")):
            for number in range(dice.randint(0, 4)):
                at = dice.randint(0, len(lines))
                lines[at : at + dice.randint(0, 2)] = [f"{name} {number}"]
        made = merged("\n".join(base), "\n".join(theirs), "\n".join(ours))
        assert made is not None
        found = made.text.split("\n")
        wrote = [one for one in (*theirs, *ours) if one.startswith(("theirs", "ours"))]
        assert all(one in found for one in wrote)
