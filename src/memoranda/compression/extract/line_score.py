"""Score of a line of a log, data or code, from its values and position."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass, field

from memoranda.compression.extract.passage_statistics import AnalysedUnit, Corpus
from memoranda.compression.extract.text_values import WEIGHTS
from memoranda.compression.extract.units import RECORDS, UnitKind
from memoranda.statements.case_insensitive_patterns import CaselessPattern

TROUBLE = CaselessPattern(
    r"\b(?:error|fatal|fail(?:ed|ure|ures|s)?|exception|traceback|warn(?:ing)?s?|denied|refused"
    r"|timed? ?out|exceed\w*|oom\w*|killed|crash\w*|panic|rollback|revert\w*|conflict\w*|cannot"
    r"|unable|invalid|missing|not found|no such|abort\w*|assert\w*)\b"
    r"|(?:error|exception)\b|^(?:e\s|[+-]\s?\S)"
)
"""Lines that report a failure, and changed lines of a diff."""
_STATE = CaselessPattern(
    r"\b(?:passed|failed|succeeded|success\w*|completed?|finished|done|deployed|installed|upgraded"
    r"|removed|merged|closed|resolved|fixed|status|result|total|summary|exit(?:ed)?"
    r"|return(?:ed)? code|updated?|created|submitted|confirmed|cancell?ed|booked)\b"
)
_CHANGE = CaselessPattern(
    r"\b(?:now|changed|switched|failover|reloaded|restart(?:ed|ing)|promoted|moved|replaced|reverted"
    r"|rolled back|renamed)\b|->|\u2192"
)
_MASKED = re.compile(r"\b[0-9a-f]{7,}\b|\d+(?:[.,:]\d+)*|\"[^\"]*\"|'[^']*'|(?<=[\s=(])/[\w./-]+")
_FEW_ALIKE = 3
"""Number of similar lines above which only the first and last count."""
_BASE, _MAX_REPEATED = 0.3, 2.5
_TROUBLED, _TROUBLE = 1.6, 1.0
_ENDS = 2.0
_CODE, _HALF = 0.15, 3.0
_FIRST, _LONG, _SHORT_LINE = 3.0, 600, 240
"""Worth of a significant line in a long output, and length limits for it.

The first problem, the last state, the last change and the last line are significant and come first.
The limits are the minimum length of the output and the maximum length of the line.
"""


@dataclass(slots=True)
class _Output:
    """Lines of a source that show its outcome."""

    size: int = 0
    trouble: int | None = None
    state: int | None = None
    """Position of the last state before the last line."""
    change: int | None = None
    last: int | None = None
    last_is_state: bool = False

    def note(self, at: int, text: str) -> None:
        """Process the next line."""
        if self.trouble is None and TROUBLE.search(text):
            self.trouble = at
        if _CHANGE.search(text):
            self.change = at
        if self.last_is_state:
            self.state = self.last
        self.last, self.last_is_state = at, bool(_STATE.search(text))

    def tells(self, at: int) -> int:
        """Return in how many ways a unit is a significant line, 0 to 4.

        The ways are: the first problem, the last state, the last change and the last line.
        """
        return (self.trouble, self.state, self.change, self.last).count(at)


@dataclass(slots=True)
class _SimilarLines:
    """Lines that differ only in their values."""

    count: int = 0
    first: int = -1
    last: int = -1


@dataclass(frozen=True, slots=True)
class RecordLines:
    """Non-prose lines, weighted relative to each other."""

    stage: Corpus
    _patterns: dict[int, _SimilarLines] = field(default_factory=dict)
    _outputs: dict[int, _Output] = field(default_factory=dict)

    @classmethod
    def of(cls, stage: Corpus) -> RecordLines:
        """Find repeated patterns, and the outcome of every output."""
        lines = cls(stage)
        alike: dict[str, _SimilarLines] = {}
        for at, reading in enumerate(stage.readings):
            unit = reading.unit
            output = lines._outputs.setdefault(unit.source.place, _Output())
            output.size += len(unit.text) + 1
            if unit.kind in RECORDS:
                output.note(at, unit.text)
            if unit.kind in RECORDS or unit.kind is UnitKind.CODE:
                pattern = alike.setdefault(_MASKED.sub("#", unit.text), _SimilarLines(0, at))
                pattern.count, pattern.last = pattern.count + 1, at
                lines._patterns[at] = pattern
        return lines

    def worth(self, at: int) -> float:
        """Return the worth of a line: 0 to 1, or more for top priority."""
        reading, pattern = self.stage.readings[at], self._patterns[at]
        many = pattern.count > _FEW_ALIKE
        if many and at not in (pattern.first, pattern.last):
            return 0.0
        value = self._value(reading)
        if reading.unit.kind is UnitKind.CODE:
            return _CODE * value / (value + _HALF) / math.sqrt(pattern.count)
        output = self._outputs[reading.unit.source.place]
        if TROUBLE.search(reading.unit.text):
            value = value * _TROUBLED + _TROUBLE
        ends = output.tells(at)
        value += ends * _ENDS
        if ends and output.size >= _LONG and len(reading.unit.text) <= _SHORT_LINE:
            return _FIRST
        return value / (value + _HALF) * (0.5 if many else 1.0)

    def times(self, at: int) -> int:
        """Return the number of similar lines that a unit represents, otherwise 1."""
        pattern = self._patterns.get(at)
        if pattern is None or pattern.count <= _FEW_ALIKE or at != pattern.last:
            return self.stage.readings[at].unit.times
        return pattern.count

    def _value(self, reading: AnalysedUnit) -> float:
        stage = self.stage
        return _BASE + sum(
            WEIGHTS[atom.kind]
            * min(_MAX_REPEATED, stage.again[atom.value])
            / math.sqrt(stage.counts[atom.value])
            for atom in reading.atoms
        )
