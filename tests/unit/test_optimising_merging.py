"""Merging several memories loses nothing that one of them states."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

from contract.records import Records
from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.model import Category, Memory, MemoryStatus, Visibility
from memoranda.observations.model import Origin
from memoranda.profile.optimization.essential_facts import lost_facts, plain_sentences
from memoranda.profile.optimization.merger import merged, merging
from memoranda.profile.optimization.similarity import MemorySimilarity, are_compatible, groups
from tables import each

records = Records()


def of(text: str, **changes: object) -> Memory:
    return replace(records.memory("shop", text), **changes)  # type: ignore[arg-type]


@each(
    ("texts", "expected"),
    [
        (["Use pnpm.", "use PNPM."], "Use pnpm."),
        (["Use pnpm.", "Use pnpm. Never npm."], "Use pnpm. Never npm."),
        (["Use pnpm", "Lock files are kept."], "Use pnpm. Lock files are kept."),
        (["Cents are kept.", "Cents are kept, as integers."], "Cents are kept, as integers."),
        (["One.\nTwo.", "Three."], "One.\nTwo.\nThree."),
        (["One two three.", "One two.", "Four five."], "One two three. One two. Four five."),
    ],
    ids=range(6),
)
def test_a_repeated_statement_is_not_added(texts: list[str], expected: str) -> None:
    assert merged(texts) == expected


def test_every_fact_of_each_is_in_the_merged_one() -> None:
    texts = [
        "Never use npm. Gates: 8080, 9090.",
        "Use `pnpm` at src/web.",
        "Ask Ana before Friday.",
    ]
    result = merged(texts)
    for text in texts:
        assert lost_facts(text, result) == []
        assert all(sentence in result for sentence in plain_sentences(text))


def test_the_first_contains_all_and_the_others_are_archived() -> None:
    one, two = of("Use pnpm.", tags=("a",)), of("Use pnpm. Never npm.", tags=("b",))
    head, gone = merging([one, two])
    assert (head.content, head.title) == ("Use pnpm. Never npm.", "Use pnpm. Never npm.")
    assert (head.tags, head.status) == (("a", "b"), MemoryStatus.APPROVED)
    assert (gone.status, gone.superseded_by) == (MemoryStatus.ARCHIVED, one.id)
    assert gone.content == two.content


def test_two_that_are_protected_do_not_become_one() -> None:
    one, two = (of(text, protected=True) for text in ("Use pnpm.", "Use pnpm. Never npm."))
    with pytest.raises(Conflict, match="is protected and remains unchanged"):
        merging([one, two])
    with pytest.raises(Conflict, match=f"{one.id} is protected"):
        merging([one, of("Use pnpm. Never npm.")])


def test_a_critical_memory_may_be_merged_without_loss() -> None:
    one, two = of("Use pnpm for installing packages"), of("Always install packages with pnpm")
    head, gone = merging([one, replace(two, critical=True)])
    assert (head.content, head.critical) == ("Always install packages with pnpm", True)
    assert gone.status is MemoryStatus.ARCHIVED


@each(
    ("one", "other", "left"),
    [
        ("The user prefers tabs over spaces.", "Prefers tabs over spaces", 1),
        ("Deploys happen on Tuesdays", "We deploy on Tuesdays", 1),
        ("We use Prisma, not raw SQL", "Use Prisma instead of raw SQL", 1),
        ("Prefer tabs over spaces", "Prefer spaces over tabs", 2),
        ("Staging is deployed on Mondays", "Production is deployed on Mondays", 2),
        ("Use tabs in Go", "Do not use tabs in Go", 2),
        ("Deploy on Mondays", "Deploy on Mondays only after review", 2),
        ("Retry three times on 502", "Retry three times on 503", 2),
    ],
)
def test_of_two_equivalent_sentences_one_stays(one: str, other: str, left: int) -> None:
    assert len(plain_sentences(merged([one, other]))) == left
    assert len(plain_sentences(merged([other, one]))) == left


def test_a_protected_memory_absorbs_a_repetition() -> None:
    one, two = of("Use pnpm. Never npm.", protected=True), of("never NPM")
    head, gone = merging([one, two])
    assert head.content == one.content
    assert gone.superseded_by == one.id


@pytest.mark.parametrize(
    "other",
    [
        {"category": Category.LEARNED_RULE},
        {"workspace": None, "visibility": Visibility.TEAM},
        {"visibility": Visibility.AGENT, "agent": "bob"},
        {"origin": Origin.AGENT},
    ],
    ids=["category", "place", "private", "origin"],
)
def test_only_what_is_of_one_kind_becomes_one(other: dict[str, object]) -> None:
    one, two = of("Use pnpm for all of it."), of("Use pnpm for all of it.", **other)
    with pytest.raises(InvalidInput, match="same category, scope and origin"):
        merging([one, two])
    assert groups([one, two], MemorySimilarity([one, two], {})) == []


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("The gateway is on port 8080.", "The gateway is on port 9090."),
        ("Totals are rounded once.", "Totals are not rounded once."),
        ("We store orders in Postgres.", "We store orders in MySQL."),
    ],
    ids=["number", "denial", "name"],
)
def test_what_excludes_each_other_is_never_merged(one: str, other: str) -> None:
    first, second = of(one), of(other)
    assert not are_compatible(first, second, 0.95)
    near = np.ones(4, dtype=np.float32) / 2
    likeness = MemorySimilarity([first, second], {first.id: near, second.id: near})
    assert groups([first, second], likeness) == []
    with pytest.raises(Conflict, match="have different values"):
        merging([first, second])


def test_alike_are_those_that_are_near_in_meaning_or_in_their_words() -> None:
    one, two, three, four = map(
        of,
        (
            "Answer in French. Be brief.",
            "Reply to us en fran\u00e7ais.",
            "Answer in French.",
            "Answer in short German.",
        ),
    )
    north, east = np.eye(2, dtype=np.float32)
    memories = [one, two, three, four]
    assert groups(memories, MemorySimilarity(memories, {})) == [[one, three]]
    vectors = {one.id: north, two.id: north, three.id: east, four.id: east}
    likeness = MemorySimilarity(memories, vectors)
    assert likeness.of(one, two) == 1.0
    assert likeness.of(one, four) == 0.0
    assert groups([one, two, four], likeness) == [[one, two]]


def test_equal_statements_on_two_subjects_are_not_alike() -> None:
    memories = [of("Amber is kept in cents."), of("Fjord is kept in cents.")]
    assert groups(memories, MemorySimilarity(memories, {})) == []


def test_a_group_is_alike_throughout_and_has_none_of_another() -> None:
    texts = [
        "red green blue grey",
        "red green blue grey black",
        "green blue grey black white brown",
        "one two three",
        "one two three four",
    ]
    memories = [of(text) for text in texts]
    found = groups(memories, MemorySimilarity(memories, {}))
    assert [[m.content for m in group] for group in found] == [texts[:2], texts[3:]]


def test_a_long_list_is_like_no_other() -> None:
    text = "".join(f"Step {word} is done.\n" for word in "abcdefghijklmn")
    one, two = of(text), of(text + "more")
    assert not are_compatible(one, two, 1.0)
