"""Messages of people to coding agents, labelled part by part (data/utterances)."""

from __future__ import annotations

import json
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from memoranda.utterances.labels import LABELS

DATA = Path(__file__).with_name("data") / "utterances"
MEASURED = ("u1", "u2", "u3", "u4", "u5")
"""Files that are never fitted to, so that `utterances.py` measures the packaged model."""
OTHER_LANGUAGES = 3.0
"""The weight of a part that is not English: a fifth of all, in eight languages."""


@dataclass(frozen=True, slots=True)
class Message:
    """A labelled message: the spans of its parts and their label numbers."""

    file: str
    language: str
    before: str
    text: str
    spans: tuple[tuple[int, int], ...]
    labels: tuple[int, ...]

    @property
    def weight(self) -> float:
        """Return how much a part of it counts."""
        return 1.0 if self.language == "en" else OTHER_LANGUAGES


def messages(files: Iterable[Path]) -> list[Message]:
    """Read files of labelled messages, in order."""
    return [
        _message(file.stem, json.loads(line))
        for file in files
        for line in file.read_text("utf-8").splitlines()
    ]


def _message(file: str, row: dict[str, Any]) -> Message:
    spans, labels, at = [], [], 0
    for part in row["parts"]:
        start = row["text"].index(part["s"], at)
        at = start + len(part["s"])
        spans.append((start, at))
        labels.append(LABELS.index(part["label"]))
    return Message(file, row["lang"], row["before"], row["text"], tuple(spans), tuple(labels))
