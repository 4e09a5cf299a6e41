"""Verification that rewritten lines state the same facts as their source.

The source lines are an extract of passages. Any new term of a rewrite must occur in the passages
that it cites, and nothing that changes the meaning may be added or lost.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from memoranda.compression.conditions import asserted, scopes
from memoranda.compression.extract.reference_frequencies import table
from memoranda.compression.extract.text_values import Atom, atoms
from memoranda.compression.model import CompressedLine, PassageSpeaker
from memoranda.language.text_overlap import containment
from memoranda.language.words import GRAMMAR, NUMBERS, spelt_words, stem

WORTHY = 0.5
"""Minimum worth of a line that must be preserved."""
SUPPORTED = 0.6
"""Minimum fraction of a rewrite's words that must be in its source lines."""
COVERED = 0.5
"""Minimum fraction of an important line's words that must be preserved."""

_UNIT = re.compile(
    r"\s?(%|percent|ms|secs?|seconds?|s|min(?:ute)?s?|hours?|h|days?|weeks?|months?|years?"
    r"|[kmgt]i?b|bytes?|tokens?|requests?|users?|rows?|lines?|tests?|files?|k?m|cm|mm|kg|[gmk]?hz"
    r"|dollars?|euros?|usd|eur|times|retries|attempts)\b",
    re.IGNORECASE,
)
_COUNTED = (NUMBERS.keys() | {"dozen", "twenty", "thirty", "forty", "fifty", "hundred"}) - {"one"}
_EXACT = ("path", "identifier", "code", "url", "hash")
"""Kinds of atoms that are compared case-sensitively."""
_STARTS = re.compile(r"(?:\A|[.!?:;]\s+|\u2026 )$")


@dataclass(frozen=True, slots=True)
class Rewrite:
    """Rephrased line, with the names of the passages it is about."""

    text: str
    refs: tuple[str, ...]


class RewriteEvidence:
    """Evidence for rewrites: their source lines, and the lines' passages."""

    def __init__(self, lines: Sequence[CompressedLine], passages: Mapping[str, str]) -> None:
        """Create the evidence.

        ``lines`` are those that are still valid; a passage may also contain outdated text.
        """
        self._lines = lines
        self._of: dict[str, list[CompressedLine]] = {}
        for line in lines:
            self._of.setdefault(line.ref, []).append(line)
        self._passages = passages

    def fault(self, rewrites: Sequence[Rewrite]) -> str | None:
        """Return why the rewrites cannot replace the lines, or None if they can."""
        for rewrite in rewrites:
            if wrong := self._wrong(rewrite):
                return wrong
        return next(self._turned(rewrites), None)

    def missing(self, rewrites: Sequence[Rewrite], pinned: Sequence[str]) -> list[CompressedLine]:
        """Return the lines that the rewrites lack and that must be added.

        Such lines are important lines, and lines with a pinned part, a negation or a condition.
        """
        written = "\n".join(rewrite.text for rewrite in rewrites)
        scopes_kept = [scope for rewrite in rewrites for scope in scopes(rewrite.text)]
        lost = [part for part in pinned if part not in written]
        return [
            line
            for line in self._lines
            if (line.pinned and line.text not in written)
            or any(part in line.text for part in lost)
            or not all(any(map(scope.within, scopes_kept)) for scope in scopes(line.text))
            or (line.worth >= WORTHY and _is_lost(line, written, _about(rewrites, line.ref)))
        ]

    def speaker(self, rewrite: Rewrite) -> PassageSpeaker:
        """Return the speaker of a rewrite's subject."""
        return self._of[rewrite.refs[0]][0].speaker

    def _wrong(self, rewrite: Rewrite) -> str | None:
        """Return the unsupported part of one rewrite, or None."""
        if unknown := [ref for ref in rewrite.refs if ref not in self._of]:
            return f"it names {unknown[0][:40]!r}, which is not one of the lines"
        if len({line.speaker for ref in rewrite.refs for line in self._of[ref]}) > 1:
            return "it attributes a statement to the wrong speaker"
        lines = " \n".join(line.text for ref in rewrite.refs for line in self._of[ref])
        whole = " \n".join([lines, *(self._passages.get(ref, "") for ref in rewrite.refs)])
        for atom in atoms(rewrite.text):
            if not any(_is_supported(atom, rewrite.text, source) for source in (lines, whole)):
                return f"it has {atom.value[:60]!r}, which its source does not contain"
        counted = {word.lower() for word in spelt_words(rewrite.text)} & _COUNTED
        if new := counted - {word.lower() for word in spelt_words(lines)}:
            return f"it has {min(new)!r}, which its source does not contain"
        stems = _stems(rewrite.text)
        if len(stems & _stems(lines)) < SUPPORTED * len(stems):
            return "it states what its source does not"
        return None

    def _turned(self, rewrites: Sequence[Rewrite]) -> Iterator[str]:
        """Yield faults: added, lost or reversed negations and conditions."""
        before = [scope for line in self._lines for scope in scopes(line.text)]
        after = [scope for rewrite in rewrites for scope in scopes(rewrite.text)]
        for scope in after:
            if not any(scope.within(other) for other in before):
                yield f"it has a new {_called(scope.kind)}"
        for line in self._lines:
            lost = [
                condition_scope
                for condition_scope in scopes(line.text)
                if not any(map(condition_scope.within, after))
            ]
            if lost and _is_covered(line, _about(rewrites, line.ref)):
                yield f"it has lost a {_called(lost[0].kind)}"
        plain = [stems for line in self._lines for stems in asserted(line.text)]
        claimed = [stems for rewrite in rewrites for stems in asserted(rewrite.text)]
        for scope in before:
            affirmed = [stems for stems in claimed if scope.stems <= stems]
            allowed = scope.kind != "denial" or any(scope.stems <= stems for stems in plain)
            if affirmed and scope.stems and not allowed:
                yield "it states what was denied"


def _is_supported(atom: Atom, text: str, source: str) -> bool:
    """Return whether an atom is in the source; a number needs its unit."""
    if atom.kind == "name" and _is_word(atom, text):
        return True
    end = atom.start + len(atom.value)
    while end < len(text) and text[end].isalnum():  # such as the s of 12.3s
        end += 1
    value = text[atom.start : end].strip('"`\u201c\u201d')
    exact = 0 if atom.kind in _EXACT else re.IGNORECASE
    places = list(_found(value, source, exact))
    if atom.kind != "number":
        return bool(places)
    unit = _unit(text, end)
    return any(_unit(source, place) == unit for place in places)


def _is_word(atom: Atom, text: str) -> bool:
    """Return whether a capitalised word is common at the start of a sentence."""
    begins = _STARTS.search(text[: atom.start]) is not None
    return begins and table().strangeness(atom.value.lower()) < 1


def _found(value: str, source: str, flags: int) -> Iterator[int]:
    """Yield the ends of a value in a source, except inside other values."""
    whole = rf"(?<!\w)(?<!\d[.,:]){re.escape(value)}(?!\w)(?![.,:]\d)"
    for match in re.finditer(whole, source, flags):
        yield match.end()


def _unit(text: str, end: int) -> str:
    match = _UNIT.match(text, end)
    return stem(match[1]) if match else ""


def _is_lost(line: CompressedLine, written: str, about: set[str]) -> bool:
    found = atoms(line.text)
    return not _is_covered(line, about) or any(
        not _is_supported(atom, line.text, written) for atom in found
    )


def _is_covered(line: CompressedLine, about: set[str]) -> bool:
    stems = _stems(line.text)
    return not stems or containment(stems, about) >= COVERED


def _about(rewrites: Sequence[Rewrite], ref: str) -> set[str]:
    """Return the stems of the rewrites that cite a passage."""
    return {item for rewrite in rewrites if ref in rewrite.refs for item in _stems(rewrite.text)}


def _stems(text: str) -> set[str]:
    return {stem(word) for word in spelt_words(text) if word.lower() not in GRAMMAR}


def _called(kind: str) -> str:
    return kind if kind == "denial" else f"condition ({kind})"
