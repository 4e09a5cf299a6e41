"""Drafts of observations, without ids and scope."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from hypothesis import strategies as st

from contract.clock import START
from contract.machine.texts import agents, identifiers, moments, prose, texts
from memoranda.observations.model import (
    ContentFormat,
    Observation,
    ObservationType,
    Origin,
    Salience,
)

CONTENTS = ("", "same output", "Same output", "same  output", "修复 🚀 %", "a long line\n" * 400)
TAGS = ("test", "git", "it's", "名", "%", "")
FILES = ("a.py", "src/b c.py", "名前.txt", "a_py")

tags = st.lists(st.sampled_from(TAGS), max_size=3)
files = st.lists(st.sampled_from(FILES), max_size=2)


@dataclass(frozen=True, slots=True)
class Happening:
    """The draft of an observation; ids, numbers and scope are added later."""

    type: ObservationType
    origin: Origin
    agent: str
    said: str
    tags: Sequence[str]
    files: Sequence[str]
    salience: Salience
    count: int
    """A count whose bits also choose which fields are empty."""
    at: int
    content: str
    text: str
    """The full text of the observation."""
    identifiers: Sequence[str]
    format: ContentFormat
    clash: str
    """The event key taken from another observation; mostly none."""
    repeats: bool

    def draft(self) -> Observation:
        """Make an observation without ids and scope."""
        return Observation(
            team="", id="", ref="", workspace="", task="", sequence=0,
            type=self.type,
            origin=self.origin,
            agent=self.agent,
            tool=self.said if self.count & 1 else None,
            summary=self.said,
            tags=tuple(self.tags),
            files=tuple(self.files),
            constraints=(self.said, "") if self.count & 2 else (),
            salience=self.salience,
            tokens=self.count,
            tokens_used=self.count if self.count & 4 else None,
            duration_ms=self.count if self.count & 8 else None,
            stage=self.said if self.count & 16 else None,
            branch="main",
            resolves=None,
            repeats=None,
            content_hash="",
            redactions=self.count % 3,
            created_at=self.at,
            recorded_at=START,
        )  # fmt: skip


happenings = st.builds(
    Happening,
    type=st.sampled_from(ObservationType),
    origin=st.sampled_from(Origin),
    agent=agents,
    said=texts,
    tags=tags,
    files=files,
    salience=st.sampled_from(Salience),
    count=st.integers(0, 31) | st.integers(0, 2**40),
    at=moments,
    content=st.sampled_from(CONTENTS),
    text=prose,
    identifiers=identifiers,
    format=st.sampled_from(ContentFormat),
    clash=st.sampled_from((*[""] * 24, "id", "ref", "sequence", "event_key", "forgotten")),
    repeats=st.sampled_from((False, False, True)),
)
