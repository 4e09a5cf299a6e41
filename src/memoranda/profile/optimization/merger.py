"""Merges several memories into one, without repeated sentences."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from memoranda.exceptions import Conflict, InvalidInput
from memoranda.memories.memory_service import MAX_CONTENT, MAX_TAGS
from memoranda.memories.memory_writer import edited
from memoranda.memories.model import Memory, MemoryStatus
from memoranda.profile.optimization.essential_facts import covers, plain_sentences, restates, rules
from memoranda.profile.optimization.similarity import are_compatible, are_same_kind
from memoranda.proposals.model import MemoryEdit, MemoryState


def merged(texts: Sequence[str]) -> str:
    """Return the first text, extended by the additional content of the others.

    Of several equivalent sentences, one is kept, preferably one that states a rule. Sentences whose
    content is contained in another sentence are left out; all others are unchanged.
    """
    merged_text = texts[0].strip()
    for text in texts[1:]:
        for sentence in plain_sentences(text):
            sentence_list = plain_sentences(merged_text)
            if same := [item for item in sentence_list if restates(item, sentence)]:
                if rules(sentence) and not rules(same[0]) and same[0] in merged_text:
                    merged_text = merged_text.replace(same[0], sentence, 1)
                continue
            if any(covers(one, sentence) for one in sentence_list):
                continue
            shorter = [one for one in sentence_list if covers(sentence, one)]
            if shorter and shorter[0] in merged_text:
                merged_text = merged_text.replace(shorter[0], sentence, 1)
            else:
                merged_text = _joined(merged_text, sentence)
    return merged_text


def merging(memories: Sequence[Memory]) -> list[MemoryState]:
    """Return the new states of memories after merging them into the first.

    Raises:
        Conflict: a memory that would change is protected, or two memories contradict each other.
        InvalidInput: the memories differ in category, scope or origin, or the merged text is too
            long.
    """
    first, *others = memories
    check(memories)
    text = merged([memory.content for memory in memories])
    if text != first.content.strip() and first.protected:
        raise Conflict(_untouched(first))
    if len(text) > MAX_CONTENT:
        raise InvalidInput(f"the merged text exceeds {MAX_CONTENT:,} characters")
    head = MemoryState.of(first)
    if text != first.content.strip():
        head = edited(head, MemoryEdit(content=text, tags=_tags(memories)))
    head = replace(head, critical=any(memory.critical for memory in memories))
    states = [
        replace(MemoryState.of(memory), status=MemoryStatus.ARCHIVED, superseded_by=first.id)
        for memory in others
    ]
    return [head, *states]


def check(memories: Sequence[Memory]) -> None:
    """Refuse memories that cannot be merged.

    Raises:
        Conflict: a memory that would be archived is protected, or two memories contradict each
            other.
        InvalidInput: the memories differ in category, scope or origin.
    """
    first, *others = memories
    if protected := next((memory for memory in others if memory.protected), None):
        raise Conflict(_untouched(protected))
    if not all(are_same_kind(first, memory) for memory in others):
        raise InvalidInput("merged memories must have the same category, scope and origin")
    for number, memory in enumerate(memories):
        for other in memories[number + 1 :]:
            if not are_compatible(memory, other, 0.0):
                raise Conflict(
                    f"{memory.id} and {other.id} have different values, or contradict each other;"
                    f" archive the one that is not valid"
                )


def _untouched(memory: Memory) -> str:
    first = f"run `memoranda profile edit {memory.id} --unprotected` first"
    return f"{memory.id} is protected and remains unchanged; {first}"


def _tags(memories: Sequence[Memory]) -> tuple[str, ...]:
    return tuple(dict.fromkeys(tag for memory in memories for tag in memory.tags))[:MAX_TAGS]


def _joined(text: str, sentence: str) -> str:
    if "\n" in text:
        return f"{text}\n{sentence}"
    return f"{text if text.endswith(('.', '!', '?')) else text + '.'} {sentence}"
