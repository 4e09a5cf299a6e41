"""Analysis of a record for the search index; deterministic, no model."""

from __future__ import annotations

import hashlib
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from memoranda.language.lexemes import WORD
from memoranda.language.words import indexed_words, number, stems
from memoranda.memories.model import Category, Memory
from memoranda.observations import content as contents
from memoranda.observations.content import RECALLED
from memoranda.observations.model import Observation, Origin
from memoranda.search.model import HitKind
from memoranda.search.passage_splitter import (
    EMBEDDED_OF_TOOLS,
    MAX_OF_TOOL_OUTPUT,
    MAXIMUM,
    TextPassage,
    passages,
)
from memoranda.search.record_feature_format import VERSION, Features
from memoranda.search.table import INSTRUCTION, PREFERENCE, NewSearchEntry, SearchEntry
from memoranda.search.text_cues import is_instruction, is_preference, text_cues
from memoranda.store.database import Transaction

GENERAL = frozenset({"main", "user", "human", "assistant", "agent"})
"""Agent names that denote a role rather than a specific person."""
LAID_DOWN = {
    Category.USER_PREFERENCE: PREFERENCE,
    Category.COMMUNICATION_STYLE: PREFERENCE,
    Category.LEARNED_RULE: INSTRUCTION,
}


@dataclass(frozen=True, slots=True)
class AnalysedRecord:
    """A record's index entry, with the record's texts to embed."""

    entry: NewSearchEntry
    texts: tuple[str | None, ...]
    """One text per passage; None for passages without a vector."""


def analyse_observation(
    observation: Observation, text: str, known_agents: Collection[tuple[str, str]]
) -> AnalysedRecord:
    """Return the index data of an observation.

    Args:
        text: the content in readable form.
        known_agents: pairs of a task and a name that denotes an agent in that task; a person's
            message to an agent is that of a user, not of a person with that name.
    """
    if RECALLED in observation.tags:
        text = ""
    spoken = observation.origin in (Origin.HUMAN, Origin.AGENT) and observation.tool is None
    person = _person(observation, known_agents) if spoken else ""
    parts = passages(text, MAXIMUM if spoken else MAX_OF_TOOL_OUTPUT)
    human = observation.origin is Origin.HUMAN and not person
    standing = _standing(text) if human else 0
    role = 0 if person else 1 if human else -1
    name = person or ("user" if role > 0 else "assistant" if spoken else observation.tool or "")
    entry = SearchEntry(
        source=observation.id,
        kind=HitKind.OBSERVATION,
        task=observation.task,
        position=observation.sequence,
        at=observation.created_at,
        standing=standing,
        features=_features(text, parts, role, person),
        of_tool=observation.tool is not None,
    )
    found = () if RECALLED in observation.tags else _texts(text, parts, name)  # no vector
    if not spoken:
        found = (*found[:EMBEDDED_OF_TOOLS], *(None for _ in found[EMBEDDED_OF_TOOLS:]))
    return _analysed(entry, observation.workspace, found, person)


def analyse_observations(
    tx: Transaction, team: str, found: Mapping[str, Observation]
) -> dict[str, AnalysedRecord]:
    """Return the index data of stored observations, by id."""
    texts = contents.texts(tx, team, list(found))
    names = {(one.task, name) for one in found.values() if (name := _named_person(one))}
    known = _known_agents(tx, team, names) if names else ()
    return {id: analyse_observation(found[id], text, known) for id, text in texts.items()}


def _known_agents(
    tx: Transaction, team: str, names: Collection[tuple[str, str]]
) -> Collection[tuple[str, str]]:
    from memoranda.agents import table as agents  # few messages have a name

    return agents.of_tasks(tx, team, names)


def analyse_memory(memory: Memory) -> AnalysedRecord:
    """Return the index data of a memory."""
    parts = passages(memory.content)
    human = memory.origin is Origin.HUMAN
    entry = SearchEntry(
        source=memory.id,
        kind=HitKind.MEMORY,
        task=None,
        position=0,
        at=memory.created_at,
        standing=LAID_DOWN.get(memory.category, 0),
        features=_features(memory.content, parts, 1 if human else -1, ""),
    )
    return _analysed(entry, memory.workspace, _texts(memory.content, parts, ""))


def first_word(name: str) -> str:
    """Return the first word of a name in lower case; empty if there is none."""
    match = WORD.search(name.lower())
    return match[0] if match else ""


def passage_texts(text: str, parts: Sequence[TextPassage]) -> list[str]:
    """Return the text of each passage."""
    return [text[part.start : part.start + part.length].strip() for part in parts]


def _named_person(observation: Observation) -> str:
    """Return the name in a person's message unless it is a role.

    It is the name of the person, or of the agent to whom the message is addressed.
    """
    named = observation.origin is Origin.HUMAN and observation.agent.lower() not in GENERAL
    return observation.agent if named else ""


def _person(observation: Observation, known_agents: Collection[tuple[str, str]]) -> str:
    name = _named_person(observation)
    return "" if (observation.task, name) in known_agents else name


def _standing(text: str) -> int:
    from memoranda.context.labelled_sentences import kind_of

    if is_instruction(text):
        return INSTRUCTION
    return PREFERENCE if is_preference(text) else kind_of(text)


def _features(text: str, parts: Sequence[TextPassage], role: int, person: str) -> bytes:
    called = first_word(person)
    return Features(
        role=role,
        speaker=number(called) if called else 0,
        chars=len(text),
        cues=text_cues(text, called),
        passages=parts,
        words=[
            [number(stem) for stem in stems(indexed_words(passage))]
            for passage in passage_texts(text, parts)
        ],
    ).packed()


def _texts(text: str, parts: Sequence[TextPassage], name: str) -> tuple[str | None, ...]:
    """Return the texts to embed: each passage, the first with its author."""
    first, *others = passage_texts(text, parts)
    return (f"{name}: {first}" if name else first, *others)


def _analysed(
    entry: SearchEntry, workspace: str | None, texts: tuple[str | None, ...], speaker: str = ""
) -> AnalysedRecord:
    hashes = tuple(None if text is None else _digest(text) for text in texts)
    return AnalysedRecord(NewSearchEntry(entry, workspace, VERSION, hashes, speaker), texts)


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()[:32]
