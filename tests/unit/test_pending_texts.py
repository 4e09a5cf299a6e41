"""A person sees a pending text completely before deciding."""

from __future__ import annotations

from dataclasses import replace

from hypothesis import given, strategies as st
from test_proposal_values import PROPOSAL, STATE

from memoranda.cli.proposals import _shown, visible
from memoranda.memories.model import Category
from tables import each


@each(
    ("text", "expected"),
    [
        ("plain words", "plain words"),
        ("two\nlines", "two\nlines"),
        ("zero\u200bwidth", "zero\\u200bwidth"),
        ("turned\u202eround", "turned\\u202eround"),
        ("bell\x07", "bell\\u0007"),
        ("tag\U000e0041", "tag\\ue0041"),
        ("Gr\u00fc\u00dfe \u6771\u4eac", "Gr\u00fc\u00dfe \u6771\u4eac"),
    ],
    ids=["plain", "lines", "zero-width", "bidi", "control", "tag", "letters"],
)
def test_what_cannot_be_seen_is_written_out(text: str, expected: str) -> None:
    assert visible(text) == expected


@given(st.text(st.characters(exclude_categories=("Cs",)), max_size=80))
def test_nothing_invisible_is_shown(text: str) -> None:
    assert all(char.isprintable() or char == "\n" for char in visible(text))


def test_changes_are_shown_next_to_the_old_values() -> None:
    after = replace(
        STATE, content="prices are gross\u200b", category=Category.DECISION, tags=("vat",)
    )
    shown = _shown(replace(PROPOSAL, after=after, reason="the law changed"))
    assert "-prices are net" in shown
    assert "+prices are gross\\u200b" in shown
    assert "+category: decision" in shown
    assert "+tags: vat" in shown
    assert "the law changed" in shown
    assert replace(PROPOSAL, after=after).hash[:12] in shown


def test_what_stays_is_shown_too() -> None:
    content = "\n".join(f"line {number}" for number in range(60))
    state = replace(STATE, content=content)
    shown = _shown(replace(PROPOSAL, before=state, after=replace(state, title="other")))
    assert all(f" line {number}" in shown for number in range(60))


def test_a_decision_is_shown() -> None:
    decided = replace(PROPOSAL, decided_at=1_700_000_000_000_000, decided_by="human", note="ok")
    assert "by human ok" in _shown(decided)
    assert "decided" not in _shown(PROPOSAL)
