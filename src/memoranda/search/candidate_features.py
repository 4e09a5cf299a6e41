"""Computes the evidence of each candidate: about forty numeric features.

Values do not depend on the size of the store. The selection and scaling of most features follow the
measurements in docs/benchmarks.md. Each feature is scaled to about 1, so that its weight shows its
importance.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from memoranda.search.candidate_arrays import AROUND, CandidatePool
from memoranda.search.text_cues import QuestionCues

if TYPE_CHECKING:
    from memoranda.search.candidate_arrays import Flags, Floats

K1, B = 1.2, 0.75
"""The usual BM25 parameters."""
PREVIOUS: Mapping[int, float] = {-1: 0.5}
WINDOW: Mapping[int, float] = {-2: 0.25, -1: 0.5, 1: 0.4, 2: 0.2}
"""Weight of a word in an adjacent turn, by distance."""
UNRELATED, SPREAD = 0.2, 0.15
"""Cosine of unrelated texts, and the difference above that cosine that is scaled to 1."""
TYPICAL_LENGTH = 90.0
"""Typical length of a conversation turn in characters."""
FULL = 200.0
"""Minimum number of characters of a tool work record that is more than a passing remark."""


@dataclass(frozen=True, slots=True)
class EvidenceQuery:
    """Properties of a question that determine the evidence."""

    cues: QuestionCues
    speakers: frozenset[int]
    """Hashes of the speakers in the question.

    Empty if the question names all speakers of the scope.
    """
    names: Floats
    """How well each record in the pool matches the question's names, paths and codes."""
    dates: Floats
    """Weight of each record's day in the pool."""
    many_sessions: bool
    """Whether the scope's tasks are conversation sessions rather than a few long runs."""


def evidence(pool: CandidatePool, cosines: Floats, question: EvidenceQuery) -> dict[str, Floats]:
    """Return each feature's values for all candidates, by feature name.

    Args:
        cosines: cosine of each passage with the question; `UNRELATED` where there is no vector.
    """
    result = _word_evidence(pool)
    result |= _vector_evidence(pool, cosines, result)
    result |= _session_evidence(pool, result, question)
    result |= _text_evidence(pool, question)
    result |= _role_evidence(pool, question, result)
    result |= _work_evidence(pool)
    return result


def _bm25(pool: CandidatePool, weights: Mapping[int, float]) -> Floats:
    """Return BM25 of each record's best passage, relative to the idf sum.

    Words of turns adjacent to a short record are weighted by their distance.
    """
    counts, length = pool.found.copy(), pool.part_words.copy()
    for distance, weight in weights.items():
        near = pool.context[distance]
        counts += weight * pool.short_found[near][pool.owner]
        length += pool.short_words[near][pool.owner]
    norm = K1 * (1 - B + B * length / max(float(length.mean()), 1.0))
    parts = (pool.idf * counts * (K1 + 1) / (counts + norm[:, None])).sum(axis=1)
    return pool.best_part(parts) / _total(pool)


def _total(pool: CandidatePool) -> float:
    return float(pool.idf.sum()) or 1.0


def coverage(present: Flags, pool: CandidatePool) -> Floats:
    """Return each row's idf-weighted share of the question's terms.

    ``present`` has the shape (rows, terms). ``@`` is not used: on some processors it raises
    floating-point warnings on valid numbers.
    """
    covered: Floats = (present * pool.idf).sum(axis=1) / _total(pool)
    return covered


def _word_evidence(pool: CandidatePool) -> dict[str, Floats]:
    chosen = pool.chosen
    own = pool.own > 0
    near = {d: pool.short_found[pool.context[d]] > 0 for d in AROUND}
    previous = own | near[-1]
    around = previous | near[-2] | near[1] | near[2]
    found = {
        "words": _bm25(pool, {}),
        "words_previous": _bm25(pool, PREVIOUS),
        "words_window": _bm25(pool, WINDOW),
        "covered": coverage(own, pool),
        "covered_previous": coverage(previous, pool),
        "covered_window": coverage(around, pool),
    }
    rarest = int(np.argmax(pool.idf * own[chosen].any(axis=0)))  # among the terms that occur
    found["rarest"] = own[:, rarest].astype(np.float32)
    found["rarest_window"] = around[:, rarest].astype(np.float32)
    return {name: values[chosen].astype(np.float32) for name, values in found.items()}


def _vector_evidence(
    pool: CandidatePool, cosines: Floats, found: Mapping[str, Floats]
) -> dict[str, Floats]:
    chosen = pool.chosen
    near = (pool.best_part(cosines) - UNRELATED) / SPREAD
    ended = np.append(near, np.float32(0))
    people = pool.role[chosen] == 0
    return {
        "meaning": near[chosen],
        "meaning_previous": ended[pool.context[-1][chosen]],
        "meaning_next": ended[pool.context[1][chosen]],
        "meaning_of_roles": near[chosen] * ~people,
        "words_of_roles": found["words"] * ~people,
        **_long_neighbours(pool, near),
    }


def _long_neighbours(pool: CandidatePool, near: Floats) -> dict[str, Floats]:
    """Return how well the messages adjacent to each long message match.

    A long message is usually an answer, which has the same subject as the question next to it.
    """
    words = np.add.reduceat(pool.part_words, pool.first_part)
    norm = K1 * (1 - B + B * words / max(float(words.mean()), 1.0))
    bm25 = (pool.idf * pool.own * (K1 + 1) / (pool.own + norm[:, None])).sum(axis=1) / _total(pool)
    fits = np.append(3 * bm25 + near, np.float32(0)).astype(np.float32)
    long = ~pool.short & (pool.role != 0)
    places = {d: np.where(long, pool.neighbours[d], -1)[pool.chosen] for d in (-1, 1)}
    return {"long_previous": fits[places[-1]], "long_next": fits[places[1]]}


def _work_evidence(pool: CandidatePool) -> dict[str, Floats]:
    """Return the features of tool work records.

    Terms that a record lacks often occur in the step before or after it. An agent's findings
    contain answers as often as a person's messages do. A task's archive contains words of many
    questions and therefore gets a negative weight: the records that the archive quotes are better
    answers.
    """
    chosen = pool.chosen
    passage = np.append(pool.best_part(coverage(pool.found > 0, pool)), np.float32(0))
    beside = sum(passage[pool.neighbours[step][chosen]] for step in (-1, 1))
    lacking = 1 - coverage(pool.own[chosen] > 0, pool)
    role = pool.role[chosen]
    is_message = ~pool.of_tool[chosen] & (pool.session[chosen] >= 0)
    remark = np.log1p(pool.chars[chosen]) - np.log1p(FULL).astype(np.float32)
    return {
        "covered_beside": (lacking * beside).astype(np.float32),
        "of_person": (role >= 0).astype(np.float32),
        "of_agent": (is_message & (role < 0)).astype(np.float32),
        "remark": np.minimum(0, remark),
        "account": pool.account[chosen].astype(np.float32),
    }


def _session_evidence(
    pool: CandidatePool, found: Mapping[str, Floats], question: EvidenceQuery
) -> dict[str, Floats]:
    """Return the evidence from the entire session of each candidate."""
    chosen = pool.chosen
    nothing = np.zeros(len(chosen), np.float32)
    if not question.many_sessions:
        return {"session_best": nothing, "session_covered": nothing}
    _, session = np.unique(pool.session[chosen], return_inverse=True)
    fit = 2 * found["words_window"] + found["words"] + found["covered_window"] + found["meaning"]
    best = np.full(session.max(initial=0) + 1, -9.0, np.float32)
    np.maximum.at(best, session, fit)
    present = np.zeros((len(best), pool.own.shape[1]), bool)
    np.logical_or.at(present, session, pool.own[chosen] > 0)
    covered = coverage(present, pool).astype(np.float32)
    return {"session_best": best[session], "session_covered": covered[session]}


def _text_evidence(pool: CandidatePool, question: EvidenceQuery) -> dict[str, Floats]:
    """Return the features of the text, by question type."""
    chosen, cues = pool.chosen, question.cues
    short = pool.short[chosen].astype(np.float32)
    people = pool.role[chosen] == 0
    length = np.log1p(pool.chars[chosen])
    apart = length - np.log1p(TYPICAL_LENGTH).astype(np.float32)
    time, number = pool.time[chosen] * short, pool.number[chosen] * short
    capitals = pool.capitals[chosen] * short
    return {
        "time_asked": time * cues.when,
        "time": time * (not cues.when),
        "number_asked": number * cues.number,
        "capitals_asked": capitals * cues.name,
        "capitals": capitals * (not cues.name),
        "first_person": pool.first_person[chosen] * short,
        "names": question.names[chosen],
        "date": question.dates[chosen],
        "length": apart * short * people,
        "length_of_roles": apart * short * ~people,
        "long": 1 - short,
        "long_length": (length - 6.5) * (1 - short) * ~people,
        "speaker": _speaker(pool, question),
    }


def _speaker(pool: CandidatePool, question: EvidenceQuery) -> Floats:
    """Return 1 for named speakers and -1 for others, if speakers are named."""
    if not question.speakers:
        return np.zeros(len(pool.chosen), np.float32)
    named = np.isin(pool.speaker[pool.chosen], list(question.speakers))
    spoken = pool.speaker[pool.chosen] != 0
    return np.where(named, 1, np.where(spoken, -1, 0)).astype(np.float32)


def _role_evidence(
    pool: CandidatePool, question: EvidenceQuery, found: Mapping[str, Floats]
) -> dict[str, Floats]:
    """Return the evidence from each record's role, by question type."""
    chosen, cues = pool.chosen, question.cues
    role = pool.role[chosen]
    instruction = pool.instruction[chosen].astype(np.float32)
    preference = pool.preference[chosen].astype(np.float32)
    return {
        "role": role,
        "role_help": role * cues.help,
        "role_answer": role * cues.answer,
        "role_overview": role * cues.overview,
        "answer_previous": found["long_previous"] * cues.answer,
        "instruction_help": instruction * cues.help,
        "instruction": instruction * (not cues.help),
        "preference_help": preference * cues.help,
        "preference": preference * (not cues.help),
    }
