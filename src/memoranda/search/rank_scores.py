"""Ranking: a weighted sum of the evidence, then three ordering rules."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING

import numpy as np

from memoranda.search.candidate_arrays import CandidatePool

if TYPE_CHECKING:
    from memoranda.search.candidate_arrays import Flags, Floats, Places


TALK_WEIGHTS: Mapping[str, float] = {
    "words": 0.5,
    "words_previous": 0.5,
    "words_window": 0.25,
    "covered": 0.5,
    "covered_previous": 0.5,
    "covered_window": 1.5,
    "session_covered": 0.5,
    "names": 2.0,
    "rarest_window": 0.5,
    "meaning": 0.75,
    "meaning_previous": 0.125,
    "meaning_next": 0.125,
    "session_best": 0.5,
    "speaker": 1.0,
    "time_asked": 1.5,
    "time": 0.25,
    "number_asked": 1.0,
    "capitals_asked": 0.5,
    "capitals": 0.125,
    "first_person": 0.25,
    "date": 2.0,
    "length": 0.25,
    "length_of_roles": -0.5,
    "long_length": -1.0,
    "long": 0.75,
    "role": 1.0,
    "role_help": -0.5,
    "role_answer": -0.75,
    "role_overview": -0.5,
    "answer_previous": 0.5,
    "long_previous": 0.125,
    "long_next": 0.125,
    "instruction_help": 2.0,
    "instruction": 1.0,
    "preference_help": 1.5,
    "meaning_of_roles": 0.25,
    "words_of_roles": 0.5,
}

WORK_WEIGHTS: Mapping[str, float] = {
    "meaning": 0.75,
    "covered": 3.0,
    "covered_beside": 2.5,
    "names": 1.0,
    "date": 2.0,
    "of_person": 0.75,
    "of_agent": 0.5,
    "remark": 0.5,
    "account": -1.0,
}


COST, FREE = 0.4, 100
"""Score reduction per e-fold increase in tokens above `FREE`; applies only to conversations."""
TAIL, FROM = 0.4, 10
"""Weight of the length from this rank on; it favours shorter records.

Readers who request that many results usually fill a token budget.
"""
RESERVED, BY = 2, 6
"""Number of standing instructions that are moved up, and the rank, counted from 0, to which they
are moved.
"""
CHARACTERS = 4
"""Approximate number of characters per token."""


def scores(pool: CandidatePool, found: Mapping[str, Floats]) -> Floats:
    """Return the weighted sum of the evidence minus the cost of length.

    Scores are comparable only within one query.
    """
    total = np.zeros(len(pool.chosen), np.float32)
    for name, weight in weights(pool).items():
        total += np.float32(weight) * found[name]
    if pool.of_work:
        return total
    total -= np.float32(COST) * np.maximum(0, np.log(np.maximum(tokens(pool), 1) / FREE))
    return total


def weights(pool: CandidatePool) -> Mapping[str, float]:
    """Return the weight of each feature for these records."""
    return WORK_WEIGHTS if pool.of_work else TALK_WEIGHTS


def tokens(pool: CandidatePool) -> Floats:
    """Return the approximate number of tokens of each candidate."""
    counted: Floats = np.ceil(pool.chars[pool.chosen] / np.float32(CHARACTERS))
    return counted


def order(pool: CandidatePool, scored: Floats) -> Places:
    """Return the indices of candidates, best first; newest first for ties."""
    at = np.array([entry.at for entry in pool.chosen_entries])
    ranked = np.lexsort((-at, -scored))
    tail = ranked[FROM:]
    adjusted = scored - TAIL * np.log(tokens(pool) + 10)
    ranked[FROM:] = tail[np.argsort(-adjusted[tail], kind="stable")]
    return _with_instructions(ranked, pool.instruction[pool.chosen])


def _with_instructions(ranked: Places, instruction: Flags) -> Places:
    """Move the best standing instructions up to rank `BY`."""
    lifted = [place for place in ranked.tolist() if instruction[place]][:RESERVED]
    if not lifted:
        return ranked
    rank = {place: at for at, place in enumerate(ranked.tolist())}
    rest = [place for place in ranked.tolist() if place not in lifted]
    for number, place in enumerate(lifted):
        rest.insert(min(rank[place], BY + number), place)
    return np.array(rest, np.int64)


def contributions(pool: CandidatePool, found: Mapping[str, Floats], place: int) -> dict[str, float]:
    """Return each signal's share of a candidate's score, largest first."""
    parts = {name: float(weight * found[name][place]) for name, weight in weights(pool).items()}
    ranked = sorted(parts.items(), key=lambda part: -abs(part[1]))
    return {name: round(value, 3) for name, value in ranked if abs(value) >= 0.005}
