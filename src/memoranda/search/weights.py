"""Weights of the ranking cues."""

from __future__ import annotations

from collections.abc import Mapping

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
