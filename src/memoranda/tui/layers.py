"""Looking closer at what was captured or is known: summaries, then the whole."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from textual.content import Content

from memoranda.tui.look import kind
from memoranda.tui.plain import ago, line, whole, written_out
from memoranda.tui.proposed import detail_text, memory_text
from memoranda.tui.rows import joined, muted
from memoranda.values.links import MemoryDetail
from memoranda.values.observation import FullObservation, Salience

if TYPE_CHECKING:
    from memoranda.memoranda import Memoranda


@dataclass(frozen=True)
class Opened:
    """Something that is looked at, and how closely."""

    key: str
    found: FullObservation | MemoryDetail
    layer: int = 2

    def text(self, now: int) -> Content:
        """Return it in the layer that was asked for."""
        if isinstance(self.found, MemoryDetail):
            if self.layer == 2:
                closer = muted("Enter: all that is known of it")
                return joined([closer, memory_text(self.found.memory, now)])
            return detail_text(self.found, now)
        return _summary(self.found, now) if self.layer == 2 else _content(self.found)


def open_layers(memory: Memoranda, key: str, id: str, *, is_memory: bool) -> Opened:
    """Ask for an observation or a memory by its id."""
    return Opened(key, memory.memory_show(id) if is_memory else memory.observation(id))


def _summary(found: FullObservation, now: int) -> Content:
    seen = found.observation
    held = "held back: reads like an order" if seen.salience is Salience.QUARANTINED else ""
    took = f"{seen.duration_ms:,} ms" if seen.duration_ms is not None else ""
    taken = f"{seen.redactions} secrets taken out" if seen.redactions else ""
    lists = {"Tags": seen.tags, "Files": seen.files, "Laid down": seen.constraints}
    closer = muted(f"Enter: the whole, {seen.tokens:,} tokens")
    parts = [
        Content.assemble((f"{seen.ref}  ", "bold"), kind(seen.type, 0), ("  " + held, "$error")),
        closer,
        muted(seen.origin, line(seen.agent), line(seen.tool or ""), ago(seen.created_at, now)),
        muted(seen.stage or "", took, taken),
        Content(""),
        Content(written_out(seen.summary)),
    ]
    for name, told in lists.items():
        if told:
            parts += [Content(""), Content.styled(name, "bold $primary")]
            parts += [Content(f"  {line(one)}") for one in told]
    return joined(parts)


def _content(found: FullObservation) -> Content:
    seen = found.observation
    first = Content.assemble((f"{seen.ref}  ", "bold"), muted("as captured", "Escape goes back"))
    text = whole(found.content, f"memoranda observation show {seen.ref} --full")
    return joined([first, Content(""), Content(text)])
