"""Vocabulary for lessons: terms and weights, read from TSV files here."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cache

from memoranda.language.words import table_rows


@cache
def weights() -> Mapping[str, float]:
    """Return how instructive an error of each kind is, 0 to 1.

    The value is low for failures that are an ordinary part of the work, such as failing tests.
    """
    return {kind: float(weight) for kind, weight in _lines("kinds.tsv")}


def has_phrase(text: str, sort: str) -> bool:
    """Return whether a text contains a phrase of a class, as complete words."""
    padded = f" {text.lower()} "
    return any(phrase in padded for phrase in _phrases(sort))


@cache
def tools(sort: str) -> frozenset[str]:
    """Return the names in one class.

    Classes are shells, programs that run another program, programs with subcommands, shell
    keywords, and kinds of failure that are caused by the work and not by the tool.
    """
    return frozenset(name for found, name in _lines("tools.tsv") if found == sort)


@cache
def _phrases(sort: str) -> tuple[str, ...]:
    found = (phrase for name, phrase in _lines("phrases.tsv") if name == sort)
    return tuple(f" {phrase}" if phrase.endswith((":", ",")) else f" {phrase} " for phrase in found)


def _lines(name: str) -> list[list[str]]:
    return table_rows("memoranda.lessons", name)
