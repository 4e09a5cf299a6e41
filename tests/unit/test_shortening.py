"""Shortened memories keep rules, names and numbers."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from contract.records import Records
from memoranda.compression.extract.compressor import ExtractCompressor
from memoranda.compression.model import CompressedLine, CompressedText, Passage, PassageSpeaker
from memoranda.compression.quality import quality
from memoranda.memories.model import Memory
from memoranda.models.tokens import ToktokCounter
from memoranda.profile.optimization.essential_facts import lost_facts, rules, values
from memoranda.profile.optimization.shortener import SAVED, TextShortener, compressed_text

COUNTER = ToktokCounter("cl100k_base")
TALK = (
    "Thinking about it again, the whole area has been a nice place to work in over the years. "
    "People come and go there, and everybody has their own view of how things might look one day. "
    "It was mentioned in passing that the colours could be warmer, though nobody felt strongly. "
    "Some of us went for a walk afterwards and talked about the weather and about summer plans. "
)
FACTS = "Never deploy on Fridays. The gateway listens on port 8080. Ask Ana about src/billing."


def of(text: str) -> Memory:
    return Records().memory("shop", text, tokens=COUNTER.count(text))


def shortening() -> TextShortener:
    return TextShortener(ExtractCompressor(COUNTER), quality, COUNTER)


def test_talk_goes_and_facts_stay() -> None:
    memory = of(f"{TALK}{FACTS} {TALK}")
    text = shortening().shorter(memory)
    assert text is not None
    assert COUNTER.count(text) <= (1 - SAVED) * memory.tokens
    assert "Never deploy on Fridays." in text
    for value in ("8080", "Ana", "src/billing"):
        assert value in text
    assert lost_facts(memory.content, text) == []


@pytest.mark.parametrize("place", range(5))
def test_a_fact_stays_at_any_position(place: int) -> None:
    parts = [part + "." for part in (TALK * 2).split(".")[:8]]
    parts.insert(place * 2, " Totals must not exceed 4,200 cents at store-7.")
    memory = of("".join(parts))
    text = shortening().shorter(memory)
    assert text is not None
    assert "Totals must not exceed 4,200 cents at store-7." in text


def test_a_text_of_nothing_but_rules_stays() -> None:
    rule = "Never use package {n} of vendor V{n} before version {n}.2 is approved. "
    memory = of("".join(rule.format(n=n) for n in range(12)))
    assert len(rules(memory.content)) == 12
    assert shortening().shorter(memory) is None


class Losing:
    """A compressor that always loses a fact."""

    def compress(
        self,
        passages: Sequence[Passage],
        budget: int,
        *,
        earlier: Sequence[CompressedLine] = (),
        query: str | None = None,
    ) -> CompressedText:
        line = CompressedLine(passages[0].ref, PassageSpeaker.USER, "The gateway listens.")
        return CompressedText("memory user: x", 4, 100, (line,), (), 0, 0, "extract")


def test_what_loses_a_fact_is_not_taken() -> None:
    lossy = TextShortener(Losing(), quality, COUNTER)
    assert lossy.shorter(of(f"{TALK}{FACTS}")) is None


def test_what_loses_nothing_that_counts_is_taken_from_any_compressor() -> None:
    easy = TextShortener(Losing(), quality, COUNTER)
    plain = TALK.replace("Thinking", "We were thinking").replace("Some of", "Half of")
    assert not values(plain)
    if not rules(plain):
        assert easy.shorter(of(plain)) == "The gateway listens."


def test_a_models_text_is_shown_without_line_names() -> None:
    lines = (
        CompressedLine("memory", PassageSpeaker.USER, "long one"),
        CompressedLine("memory", PassageSpeaker.USER, "long two"),
    )
    text = "memory user: one\n two\n three"
    made = CompressedText(text, 5, 50, lines, (), 0, 0, "openai:small")
    assert compressed_text(made) == "one two three"


def test_what_is_outdated_within_a_text_is_left_as_it_is() -> None:
    class Dating(Losing):
        def compress(
            self, passages: Sequence[Passage], budget: int, **value: object
        ) -> CompressedText:  # type: ignore[override]
            line = CompressedLine(
                passages[0].ref, PassageSpeaker.USER, passages[0].text[:40], outdated=True
            )
            return CompressedText("x", 4, 100, (line,), (), 0, 0, "extract")

    assert TextShortener(Dating(), quality, COUNTER).shorter(of(TALK)) is None
