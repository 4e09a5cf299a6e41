"""Optimiser plans: protected memories, order of removal, and the target."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given, strategies as st

from contract.clock import START
from contract.records import Records
from memoranda.memories.model import Category, Memory, MemoryStatus
from memoranda.models.tokens import ToktokCounter
from memoranda.observations.model import Origin
from memoranda.profile.model import DAY, ProfileSuggestion, ProfileSuggestionKind, cost, impacts
from memoranda.profile.optimization.plan import Plan, Planner, fingerprint
from memoranda.profile.optimization.similarity import MemorySimilarity
from tables import each

COUNTER = ToktokCounter("cl100k_base")
NOW = START + 100 * DAY
WORDS = [
    "amber birch cedar delta ember fjord grove haven inlet jetty kiosk ledge mango north ocean",
    "piano quill raven slate tulip umber violet willow xenon yacht zebra acorn bison coral dune",
]
NOUNS = " ".join(WORDS).split()


def of(text: str, records: Records, **changes: object) -> Memory:
    made = records.memory("shop", text, tokens=COUNTER.count(text))
    return replace(made, **changes)  # type: ignore[arg-type]


def planned(memories: Sequence[Memory], target: int, shorter: object = None) -> Plan:
    shorten = shorter or (lambda memory: None)
    return Planner(COUNTER, MemorySimilarity(memories, {}), shorten, NOW).plan(memories, target)  # type: ignore[arg-type]


def kinds(plan: Plan) -> list[ProfileSuggestionKind]:
    return [one.kind for one in plan.suggestions]


def after(
    memories: Sequence[Memory], suggestions: Sequence[ProfileSuggestion]
) -> dict[str, Memory]:
    """Return the memories after the suggestions are applied."""
    stored = {memory.id: memory for memory in memories}
    for step in (step for one in suggestions for step in one.steps):
        state = step.after
        assert state is not None
        stored[step.memory] = replace(
            stored[step.memory],
            content=state.content,
            status=state.status,
            tokens=COUNTER.count(state.content),
        )
    return {id: one for id, one in stored.items() if one.status is MemoryStatus.APPROVED}


@each(
    ("changes", "stale"),
    [
        ({}, True),
        ({"confidence": 0.4}, False),
        ({"confidence": 0.4, "origin": Origin.AGENT}, True),
        ({"uses": 2}, False),
        ({"last_used": NOW - 30 * DAY}, False),
        ({"updated_at": NOW - 3 * DAY}, False),
        ({"protected": True}, False),
        ({"critical": True}, False),
    ],
    ids=[
        "stale",
        "confident",
        "of an agent",
        "used",
        "used lately",
        "changed",
        "protected",
        "critical",
    ],
)
def test_stale_is_what_is_doubtful_unused_and_old(changes: dict[str, object], stale: bool) -> None:
    one = of("prices are net", Records(), **({"confidence": 0.29, "uses": 1} | changes))
    plan = planned([one], 10_000)
    assert kinds(plan) == ([ProfileSuggestionKind.STALE] if stale else [])
    if stale:
        (step,) = plan.suggestions[0].steps
        assert step.freed == cost(one)
        assert step.after is not None
        assert step.after.status is MemoryStatus.ARCHIVED
        reason = f"confidence {left(one)}, 1 uses, untouched for 100 days"
        assert plan.suggestions[0].reason == reason


def left(memory: Memory) -> str:
    """Return a confidence after 100 days; a person's half-life is a year."""
    half = 365 if memory.origin is Origin.HUMAN else 60
    return f"{memory.confidence * 0.5 ** (100 / half):.2f}"


def test_what_a_newer_memory_contradicts_is_doubted_sooner() -> None:
    one = of("prices are net", Records(), confidence=0.6, uses=0)
    assert planned([one], 10_000).suggestions == ()
    planner = Planner(COUNTER, MemorySimilarity([one], {}), lambda memory: None, NOW, [one.id])
    assert kinds(planner.plan([one], 10_000)) == [ProfileSuggestionKind.STALE]


def test_similar_memories_with_different_statements_stay_separate() -> None:
    records = Records()
    staging = of("The staging server of the shop is deployed on Mondays at nine", records)
    other = of("The production server of the shop is deployed on Mondays at nine", records)
    assert planned([staging, other], 10_000).suggestions == ()


def test_what_counts_least_goes_and_no_more_than_has_to() -> None:
    records = Records()
    texts = [f"{noun} is kept in cents" for noun in NOUNS[:10]]
    memories = [of(text, records, uses=n, category=list(Category)[n % 5])
                for n, text in enumerate(texts)]  # fmt: skip
    whole = sum(map(cost, memories))
    plan = planned(memories, whole - 2 * cost(memories[0]))
    assert kinds(plan) == [ProfileSuggestionKind.FIT] * 2
    assert [one.steps[0].memory for one in plan.suggestions] == [memories[0].id, memories[1].id]
    assert plan.short == ""
    assert planned(memories, whole).suggestions == ()


def test_what_the_target_has_room_for_stays() -> None:
    records = Records()
    small, large = of("amber", records), of(" ".join(NOUNS), records, uses=3)
    plan = planned([small, large], cost(small))
    assert [one.steps[0].memory for one in plan.suggestions] == [large.id]


def test_a_memory_that_goes_is_not_shortened_as_well() -> None:
    records = Records()
    long = of(" ".join(NOUNS * 4), records)
    shortened = planned([long], 10_000, lambda memory: "amber birch")
    assert kinds(shortened) == [ProfileSuggestionKind.SHORTEN]
    assert shortened.suggestions[0].freed == long.tokens - COUNTER.count("amber birch")
    gone = planned([long], 5, lambda memory: "amber birch")
    assert kinds(gone) == [ProfileSuggestionKind.FIT]


def test_only_long_ones_are_shortened() -> None:
    queries: list[str] = []

    def shorter(memory: Memory) -> None:
        queries.append(memory.id)

    records = Records()
    short, long = of("amber", records), of(" ".join(NOUNS * 4), records)
    text, rule = " ".join(reversed(NOUNS * 4)), Category.LEARNED_RULE
    kept = of(text, records, protected=True, category=rule)
    assert planned([short, long, kept], 10_000, shorter).suggestions == ()
    assert queries == [long.id]


def test_a_missed_target_has_a_reason() -> None:
    kept = of("prices are net", Records(), protected=True)
    plan = planned([kept], 10)
    assert plan.suggestions == ()
    assert f"a target of at least {cost(kept)}" in plan.short


def test_the_fingerprint_is_of_the_profile_and_of_all_that_would_be_done() -> None:
    records = Records()
    memories = [of(f"{noun} is kept", records) for noun in NOUNS[:4]]
    done = planned(memories, 50).suggestions
    whole = fingerprint(memories, 50, done)
    assert whole == fingerprint(reversed(memories), 50, done)
    assert whole != fingerprint(memories, 51, done)
    assert whole != fingerprint(memories, 50, done[1:])
    assert whole != fingerprint(memories[1:], 50, done)
    changed = [replace(memories[0], updated_at=START + 1), *memories[1:]]
    assert whole != fingerprint(changed, 50, done)


@st.composite
def profiles(draw: st.DrawFn) -> list[Memory]:
    records, found = Records(), []
    for _ in range(draw(st.integers(0, 14))):
        count = draw(st.sampled_from([1, 3, 5, 40]))
        words = draw(st.lists(st.sampled_from(NOUNS[:12]), min_size=count, max_size=count))
        text = " ".join(words) + draw(st.sampled_from(["", " 7.", ". Never 8.", ", always 9."]))
        found.append(
            of(
                text,
                records,
                category=draw(st.sampled_from(list(Category)[:5])),
                confidence=draw(st.sampled_from([0.1, 0.6, 1.0])),
                uses=draw(st.integers(0, 3)),
                protected=draw(st.integers(0, 4)) == 0,
                critical=draw(st.integers(0, 6)) == 0,
                updated_at=draw(st.sampled_from([START, NOW])),
            )
        )
    return found


@given(profiles(), st.integers(1, 400))
def test_any_profile_meets_its_target_or_has_a_reason(memories: list[Memory], target: int) -> None:
    plan = planned(memories, target)
    left = after(memories, plan.suggestions)
    whole = sum(map(cost, left.values()))
    lasting = {memory.id for memory in memories if memory.protected or memory.critical}
    assert whole == sum(map(cost, memories)) - sum(one.freed for one in plan.suggestions)
    assert whole <= target or (plan.short and set(left) <= lasting)
    assert bool(plan.short) == (whole > target)
    steps = [step for one in plan.suggestions for step in one.steps]
    assert len({step.memory for step in steps}) == len(steps)
    merged = [one for one in plan.suggestions if one.kind is ProfileSuggestionKind.MERGE]
    alike = {step.memory for one in merged for step in one.steps}
    assert not lasting & {step.memory for step in steps} - alike
    assert not {memory.id for memory in memories if memory.protected} & {m.memory for m in steps}
    assert [one.number for one in plan.suggestions] == list(range(1, len(plan.suggestions) + 1))


@given(profiles(), st.integers(1, 400), st.data())
def test_any_part_of_a_plan_can_be_done(
    memories: list[Memory], target: int, data: st.DataObject
) -> None:
    plan = planned(memories, target)
    chosen = [one for one in plan.suggestions if data.draw(st.booleans())]
    left = after(memories, chosen)
    freed = sum(one.freed for one in chosen)
    assert sum(map(cost, left.values())) == sum(map(cost, memories)) - freed
    counts = impacts(memories)
    assert set(counts) == {memory.id for memory in memories}
    for one in chosen:
        if one.kind is ProfileSuggestionKind.MERGE:
            gone = [step for step in one.steps if step.after and step.after.superseded_by]
            assert gone
            assert {step.after.superseded_by for step in gone if step.after} <= set(left)
