"""Comparison of memories, their order in time, authority and analysis."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import click
import pytest
from hypothesis import example, given, strategies as st

from contract.clock import START
from contract.records import Records
from memoranda.cli.memories import described, span
from memoranda.cli.options import PairParam
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.comparison import ComparisonVerdict, compared
from memoranda.memories.extraction_model import ActionOutcome, Encoding
from memoranda.memories.link_model import LinkedMemory, LinkKind, MemoryDetail
from memoranda.memories.model import Memory, MemoryStatus, Visibility, parts_of
from memoranda.memories.statement_assessment import critical_reason
from memoranda.memories.statement_metadata import check_validity
from memoranda.memories.supersession_rules import (
    AUTOMATIC,
    authority,
    is_automatic,
    ordered_by_time,
    overlap_in_time,
    superseded,
)
from memoranda.memories.table import folded
from memoranda.observations.model import Origin
from memoranda.proposals.model import MemoryState
from memoranda.search.filters import SearchFilter
from memoranda.trust import Trust
from tables import each

RECORDS = Records()


def memory(content: str = "prices are net", **changes: Any) -> Memory:
    """Make an approved memory of a person."""
    return RECORDS.memory(None, content, **changes)


def verdict(old: str, new: str, cosine: float | None = None) -> ComparisonVerdict | None:
    found = compared(memory(old), memory(new), cosine)
    return found.verdict if found else None


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("Prices are net.", "prices are net"),
        ("prices  are\n\tnet", "PRICES are Net!"),
        ("Use port 80;", "use port 80"),
        ("\u4ef7\u683c\u3002", "\u4ef7\u683c"),
    ],
)
def test_case_spacing_and_closing_marks_make_no_difference(one: str, other: str) -> None:
    assert folded(one) == folded(other)


@each(
    ("one", "other"),
    [
        ("pass -V", "pass -v"),
        ("call useState", "call usestate"),
        ("set MAX_SIZE", "set max_size"),
        ("port 80", "port 8 0"),
        ("a.b", "a b"),
        ("is it", "it is"),
    ],
)
def test_code_order_and_inner_marks_do(one: str, other: str) -> None:
    assert folded(one) != folded(other)


@given(st.text(max_size=80))
@example("0.\x1f")
def test_folding_is_done_once_and_leaves_something(text: str) -> None:
    assert folded(folded(text)) == folded(text) or not folded(text).strip(" .!?;:,")
    assert bool(folded(text)) is bool(text)


class TestComparing:
    """The comparison of two memories."""

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("The gate is on port 80.", "The gate is no longer on port 80."),
            ("Ana lives in Oslo.", "Ana no longer lives in Oslo."),
        ],
    )
    def test_an_end_supersedes(self, old: str, new: str) -> None:
        assert verdict(old, new) is ComparisonVerdict.SUPERSEDES
        assert verdict(old, new, 0.8) is ComparisonVerdict.SUPERSEDES

    @pytest.mark.parametrize("cosine", [None, 0.86])
    def test_two_ends_replace_nothing(self, cosine: float | None) -> None:
        old, new = "Ana no longer rents the hall drill.", "Ana no longer rents the hall heater."
        assert verdict(old, new, cosine) not in (
            ComparisonVerdict.SUPERSEDES,
            ComparisonVerdict.REPLACES,
        )

    def test_everything_that_is_stated_has_to_end(self) -> None:
        old, new = "Ana lives in Oslo. Lamps are green.", "Ana no longer lives in Oslo."
        assert verdict(old, new) is ComparisonVerdict.CONTRADICTS

    def test_another_number_contradicts(self) -> None:
        found = compared(memory("The quota is 5 GB."), memory("The quota is 7 GB."), None)
        assert found is not None
        assert (found.verdict, found.reason) == (ComparisonVerdict.CONTRADICTS, "number")

    @pytest.mark.parametrize(
        ("old", "new", "cosine"),
        [
            ("Lamps are green.", "Ana lives in Oslo.", None),
            ("Lamps are green.", "Ana lives in Oslo.", 0.59),
            ("The quota is 5 GB.", "The quota is 7 GB.", 0.34),
            ("...", "!!!", 0.5),
            ("Is it 5?", "", None),
        ],
    )
    def test_most_have_nothing_to_do_with_each_other(
        self, old: str, new: str, cosine: float | None
    ) -> None:
        assert verdict(old, new, cosine) is None

    def test_near_memories_are_equal_only_with_equal_values(self) -> None:
        old = "Ana keeps the spare keys of the yard in Oslo."
        assert verdict(old, "The spare keys of the Oslo yard, Ana keeps them.", 0.95)
        same = "Ana keeps all spare keys of the yard in Oslo."
        assert verdict(old, same, 0.95) is ComparisonVerdict.REPEATS
        assert verdict(old, same, 0.89) is ComparisonVerdict.RELATED
        assert verdict(old, same, 0.5) is None
        other = "Ana keeps all spare keys of the yard in Bergen."
        assert verdict(old, other, 0.95) is not ComparisonVerdict.REPEATS
        denied = "Ana never keeps the spare keys of the yard in Oslo."
        assert verdict(old, denied, 0.95) is not ComparisonVerdict.REPEATS

    @pytest.mark.parametrize("cosine", [None, 0.6, 0.99])
    def test_one_claim_in_other_words_repeats(self, cosine: float | None) -> None:
        old = "The user likes dark mode"
        for same in (
            "User prefers dark mode.",
            "I like dark mode",
            "Dark mode is preferred by the user",
        ):
            assert verdict(old, same, cosine) is ComparisonVerdict.REPEATS, same

    @each("cosine", [None, 0.6, 0.89])
    @each(
        ("old", "new"),
        [
            ("The user likes dark mode", "The user dislikes dark mode"),
            ("The user likes dark mode", "The user liked dark mode"),
            ("The user likes dark mode", "The user does not like dark mode"),
            ("The user likes dark mode", "Ana likes dark mode"),
            ("The user likes dark mode in Vim", "The user likes dark mode in Word"),
            ("The API runs on Linux", "The API runs with Linux"),
            ("Prefer composition over inheritance", "Prefer inheritance over composition"),
            ("I prefer tea to coffee", "The user prefers coffee to tea"),
            ("Run tests before the build", "Run the build before tests"),
        ],
    )
    def test_another_claim_in_like_words_does_not(
        self, old: str, new: str, cosine: float | None
    ) -> None:
        assert verdict(old, new, cosine) is not ComparisonVerdict.REPEATS

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("The user likes dark mode", "The user dislikes dark mode"),
            ("Prefer composition over inheritance", "Prefer inheritance over composition"),
            ("I prefer tea to coffee", "The user prefers coffee to tea"),
        ],
    )
    def test_opposites_repeat_nothing_however_near(self, old: str, new: str) -> None:
        assert verdict(old, new, 0.99) is not ComparisonVerdict.REPEATS

    @pytest.mark.parametrize(
        ("old", "new"),
        [
            ("I gave 5 talks on sailing last year", "the number of my talks grew to 7"),
            ("We keep the long build logs in the cellar", "We keep them in the attic now instead"),
        ],
    )
    def test_another_value_in_other_words_repeats_nothing(self, old: str, new: str) -> None:
        assert verdict(old, new, 0.95) is ComparisonVerdict.RELATED

    @given(st.text(max_size=300), st.text(max_size=300), st.none() | st.floats(-1, 1))
    def test_any_two_texts_can_be_compared(self, old: str, new: str, cosine: float | None) -> None:
        assert verdict(old, new, cosine) in (None, *ComparisonVerdict)


class TestOrder:
    """Which memory may supersede which."""

    OLD = memory("old", created_at=START)
    NEW = memory("new", created_at=START + 9)

    def test_authors_are_ranked_by_trust(self) -> None:
        agent = memory(origin=Origin.AGENT, status=MemoryStatus.PENDING)
        approved = replace(agent, status=MemoryStatus.APPROVED, approved_by="human")
        by_rule = replace(approved, approved_by="rule: small things")
        found = [authority(one) for one in (memory(), approved, by_rule, agent)]
        assert found == [Trust.PERSON, Trust.PERSON, Trust.AGENT, Trust.AGENT]
        assert {authority(memory(origin=one)) for one in Origin} == {*Trust} - {Trust.APPROVED}

    def test_a_newer_memory_of_the_same_place_and_trust_may(self) -> None:
        assert is_automatic(self.OLD, self.NEW)

    @each(
        ("old", "new"),
        [
            ({"critical": True}, {}),
            ({"protected": True}, {}),
            ({"superseded_by": "x"}, {}),
            ({"status": MemoryStatus.PENDING}, {}),
            ({}, {"status": MemoryStatus.PENDING}),
            ({"status": MemoryStatus.ARCHIVED}, {"status": MemoryStatus.ARCHIVED}),
            ({}, {"origin": Origin.AGENT}),
            ({}, {"workspace": "shop"}),
            ({}, {"visibility": Visibility.AGENT, "agent": "anna"}),
            ({}, {"created_at": START}),
            ({}, {"valid_from": START - 1}),
            ({}, {"valid_until": START + 50}),
        ],
        ids=str,
    )
    def test_no_other_may(self, old: dict[str, Any], new: dict[str, Any]) -> None:
        assert not is_automatic(replace(self.OLD, **old), replace(self.NEW, **new))

    def test_the_older_ends_when_the_newer_begins(self) -> None:
        ended = superseded(self.OLD, self.NEW)
        assert (ended.valid_until, ended.superseded_by) == (START + 9, self.NEW.id)
        result = superseded(self.OLD, replace(self.NEW, valid_from=START + 4))
        assert result.valid_until == START + 4
        early = superseded(replace(self.OLD, valid_until=START + 2), self.NEW)
        assert early.valid_until == START + 2
        assert replace(ended, valid_until=None, superseded_by=None) == MemoryState.of(self.OLD)

    @pytest.mark.parametrize(
        ("old", "new", "error"),
        [
            ({}, {"id": OLD.id}, InvalidInput),
            ({}, {"status": MemoryStatus.REJECTED}, InvalidInput),
            ({}, {"valid_from": START}, InvalidInput),
            ({"superseded_by": "x"}, {}, Conflict),
        ],
        ids=["itself", "rejected", "before", "twice"],
    )
    def test_what_cannot_be_is_refused(
        self, old: dict[str, Any], new: dict[str, Any], error: type[Exception]
    ) -> None:
        with pytest.raises(error):
            superseded(replace(self.OLD, **old), replace(self.NEW, **new))

    @given(*[st.none() | st.integers(0, 9)] * 4)
    def test_memories_hold_at_one_time_or_not(
        self, a: int | None, b: int | None, c: int | None, d: int | None
    ) -> None:
        one, other = memory(valid_from=a, valid_until=b), memory(valid_from=c, valid_until=d)
        together = any(one.holds_at(t) and other.holds_at(t) for t in range(12))
        sound = all(x is None or y is None or x < y for x, y in ((a, b), (c, d)))
        if sound and 0 not in (b, d):
            assert overlap_in_time(one, other) is together

    def test_valid_time_precedes_the_time_of_writing(self) -> None:
        early = replace(self.NEW, valid_from=START - 5)
        assert (
            ordered_by_time(self.OLD, early)
            == ordered_by_time(early, self.OLD)
            == (early, self.OLD)
        )


@pytest.mark.parametrize("span", [(5, 5), (5, 4), (-1, None), (None, 1 << 60)])
def test_a_span_that_cannot_be_is_refused(span: tuple[int | None, int | None]) -> None:
    with pytest.raises(InvalidInput):
        check_validity(*span)


@pytest.mark.parametrize("span", [(None, None), (0, 1), (5, None), (None, 0)])
def test_any_other_span_will_do(span: tuple[int | None, int | None]) -> None:
    check_validity(*span)


def test_a_requirement_takes_precedence_as_the_reason() -> None:
    def stated(text: str) -> list[str]:
        return [text] if "must" in text else []

    assert critical_reason("it must", constraints=stated, fixes_error=True) == (
        "states a requirement"
    )
    assert critical_reason("it is", constraints=stated) is None
    assert critical_reason("it is", constraints=stated, fixes_error=True) == "ended an error"
    prevents = critical_reason("it is", constraints=stated, prevents_known_error=True)
    assert prevents == "prevents a known error"


def test_a_filter_selects_currently_valid_memories_by_default() -> None:
    assert SearchFilter().at(5).holds_at == 5
    assert SearchFilter(ever=True).at(5).holds_at is None
    assert SearchFilter(as_of=3).at(5).holds_at is None
    assert SearchFilter().plain
    assert not SearchFilter(known_by=3).plain
    assert not SearchFilter(as_of=3).plain


def test_a_pair_has_a_kind_and_a_value_that_may_have_colons() -> None:
    pair = PairParam("file:src/a.py")
    assert pair.convert("url:https://example.com", None, None) == ("url", "https://example.com")
    assert pair.convert(("file", "x"), None, None) == ("file", "x")
    for wrong in ("file", "file:", ":x", ""):
        with pytest.raises(click.BadParameter, match=r"file:src/a\.py"):
            pair.convert(wrong, None, None)


def test_a_memory_is_described_with_all_that_is_known_of_it() -> None:
    kept = memory(valid_from=0, valid_until=60_000_000, critical=True, critical_reason="law")
    other = memory("prices are gross")
    links = (
        LinkedMemory(LinkKind.SUPERSEDES, False, other, "", "human", False),
        LinkedMemory(LinkKind.SUPERSEDES, True, other, "", AUTOMATIC, True),
        LinkedMemory(LinkKind.CONTRADICTS, True, other, "number", AUTOMATIC, False),
        LinkedMemory(LinkKind.PARENT, False, other, "", "human", False),
    )
    stored = Encoding(
        outcomes=(ActionOutcome("pinned it", "it failed", False),), keywords=("prices",)
    )
    detail = MemoryDetail(kept, False, "human", ("o1",), (), links, stored, parts_of(kept.content))
    text = described(detail)
    for reported in (
        "no, since 1970-01-01 00:00 UTC until 1970-01-01 00:01 UTC",
        "yes, law",
        f"superseded by {other.id}: prices are gross",
        f"supersedes {other.id} (reverted): prices are gross",
        f"contradicts {other.id} (number): prices are gross",
        f"whole of {other.id}: prices are gross",
        "pinned it ⇒ it failed (failed)",
        "evidence  o1",
    ):
        assert reported in text, reported
    assert "references" not in text
    assert span(memory()) == ""
