"""Import positions of transcripts, in the model."""

from __future__ import annotations

from contract.model.content import Model


def position(model: Model, team: str, path: str, head_hash: str) -> int:
    """Return the byte offset to continue from; 0 for a new or replaced file."""
    head, offset, _ = model.of(team).transcripts.get(path, ("", 0, 0))
    return offset if head == head_hash else 0


def advance(model: Model, team: str, path: str, head_hash: str, place: tuple[int, int]) -> None:
    """Store (byte offset, time) for the next import."""
    model.of(team).transcripts[path] = (head_hash, *place)
