"""Labelled facts of public sets: answers to questions, needs of runs.

Only the files of the command line are read; nothing of them is stored.
"""

from __future__ import annotations

import json
import lzma
import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from typing import Any

from measuring.planting import Planted, split
from memoranda.language.words import GRAMMAR, spelt_words, stem

ABILITIES = (
    *("information_extraction", "knowledge_update", "instruction_following"),
    *("preference_following", "contradiction_resolution"),
)
"""Kinds of questions whose answers are in the conversation."""
FOUND = 0.6
"""Share of a fact's words in two adjacent lines for it to count as kept."""
_ASKED = re.compile(
    r"^LLM response should (?:state|mention|contain|include|say|recognize|acknowledge)[^:]*:\s*"
)
_VALUE = re.compile(
    r"\d[\d,.:]*\d|\d|[\"\u201c][^\"\u201d]+[\"\u201d]|(?<!^)(?<![.!?:] )\b[A-Z][A-Za-z]+"
)


@dataclass(frozen=True, slots=True)
class Nugget:
    """Expected facts of an answer, as far as the conversation has their words."""

    question: str
    values: frozenset[str]
    stems: frozenset[str]

    def kept(self, text: str) -> bool:
        """Return whether a text has the values and most words close together."""
        low = text.lower()
        if any(value not in low for value in self.values):
            return False
        line_stems = [_stems(line) for line in split(text)]
        least = FOUND * len(self.stems)
        return any(
            len((a | b) & self.stems) >= least for a, b in pairwise([*line_stems, frozenset()])
        )


@dataclass(frozen=True, slots=True)
class Stretch:
    """Consecutive messages, and the facts whose sources are all among them."""

    items: list[str]
    nuggets: list[Nugget]


def read(path: Path) -> Any:
    """Read JSON, compressed or not."""
    data = path.read_bytes()
    return json.loads(lzma.decompress(data) if path.suffix == ".xz" else data)


def stretches(cases: Sequence[Any], path: Path, window: int) -> list[Stretch]:
    """Split conversations into stretches of ``window`` tokens.

    A token is four characters.
    """
    probes = {record["id"]: record.get("probing_questions", {}) for record in read(path)}
    found = []
    for case in cases:
        current: list[Any] = []
        size = 0
        for item in case.items:
            current.append(item)
            size += (len(item.text) + 3) // 4
            if size >= window:
                texts = {one.id: one.text for one in current}
                nuggets = list(_nuggets(probes.get(case.id, {}), texts))
                found.append(Stretch([one.text for one in current], nuggets))
                current, size = [], 0
    return found


def foreign(cases: Sequence[Any], path: Path) -> list[Planted]:
    """Return sentences that contain the short answer of a question."""
    texts = {
        (case.id, item.id): item.text.partition(": ")[2] for case in cases for item in case.items
    }
    found: dict[str, Planted] = {}
    for record in read(path):
        for question in record["qa"]:
            answer = str(question.get("answer", ""))
            if question["category"] == 5 or not answer or len(answer.split()) > 4:
                continue
            if len(question["evidence"]) != 1:
                continue
            text = texts.get((record["sample_id"], question["evidence"][0]), "").split(" [shares")[
                0
            ]
            for fact in _answering(text, answer):
                found.setdefault(fact.sentence, fact)
    return list(found.values())


def _answering(text: str, answer: str) -> Iterator[Planted]:
    for sentence in split(text):
        mark = re.search(rf"\b{re.escape(answer)}\b", sentence, re.IGNORECASE)
        if not mark or not 4 <= len(sentence.split()) <= 45:
            continue
        around = f"{sentence[: mark.start()]} {sentence[mark.end() :]}".lower()
        heads = re.findall(r"[a-z]{5,}", around)
        if heads:
            yield Planted(sentence, mark[0], max(heads, key=len))


def _nuggets(probes: Mapping[str, Any], texts: Mapping[str, str]) -> Iterator[Nugget]:
    for ability in ABILITIES:
        for probe in probes.get(ability, ()):
            sources = {str(number) for number in _numbers(probe.get("source_chat_ids"))}
            if not sources or not sources <= texts.keys():
                continue
            source = "\n".join(texts[one] for one in sorted(sources))
            for rubric in probe.get("rubric", ()):
                if nugget := _nugget(_ASKED.sub("", str(rubric)), source, probe["question"]):
                    yield nugget


def _nugget(text: str, source: str, question: str) -> Nugget | None:
    wanted = _stems(text)
    both = wanted & _stems(source, content=False)
    if not both or len(both) < FOUND * len(wanted):
        return None  # phrased in words that the conversation does not have
    candidates = (value.strip('"\u201c\u201d.,:').lower() for value in _VALUE.findall(text))
    values = frozenset(value for value in candidates if value and value in source.lower())
    return Nugget(question, values, both)


def _stems(text: str, *, content: bool = True) -> frozenset[str]:
    return frozenset(
        stem(word) for word in spelt_words(text) if not content or word.lower() not in GRAMMAR
    )


def _numbers(found: Any) -> set[int]:
    if isinstance(found, int) and not isinstance(found, bool):
        return {found}
    if isinstance(found, dict):
        found = list(found.values())
    if isinstance(found, list):
        return {number for one in found for number in _numbers(one)}
    return set()
