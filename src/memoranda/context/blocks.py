"""Context lines for blocks."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

from memoranda.blocks import table as blocks
from memoranda.blocks.model import DEFAULTS, Author, Block
from memoranda.blocks.places import unshadowing
from memoranda.blocks.table import BlockFilter
from memoranda.local_time import day, parse_local_time
from memoranda.observations.model import Origin
from memoranda.scope import Scope
from memoranda.search.model import ContextItem
from memoranda.store.database import Transaction
from memoranda.tasks.model import Task
from memoranda.text import one_line, text_lines
from memoranda.trust import BY_ORIGIN

MAXIMUM = 200
"""Maximum number of blocks read."""
NOTED = 60
"""Number of leading characters that identify a sentence."""
_FEEDBACK = re.compile(r"- (\d{4}-\d\d-\d\d) [a-z_]+: (.*?)(?: \(of: .*\))?$")
"""Line that feedback added to a block: the date and the person's words."""
ORIGINS = {
    Author.HUMAN: Origin.HUMAN,
    Author.AGENT: Origin.AGENT,
    Author.SYSTEM: Origin.GENERATED,
}


def block_lines(
    tx: Transaction,
    scope: Scope,
    task: Task | None,
    texts: Iterable[str] = (),
    rules: Iterable[ContextItem] = (),
) -> tuple[ContextItem, ...]:
    """Return the lines of the blocks that are visible to a reader in a scope.

    Blocks of the current task, the workspace and the team, the reader's own blocks and shared ones
    are included. Blocks private to another agent or belonging to another task are excluded.

    Persona comes first, then task, project, learned, then others by label. Within a block the
    newest line, which is the last, comes first. A line that feedback added is omitted if it repeats
    one of ``texts``, sentences of people that are shown separately, or if one of ``rules``, which
    people stated later, replaces it.
    """
    at, task_id = (task.workspace, task.id) if task else (None, None)
    where = BlockFilter(scope.workspace or at, task_id, scope.agent)
    seen = blocks.visible(tx, scope.team, where, limit=MAXIMUM)
    found = unshadowing([one for one in seen if _is_mine(one, scope, task)])
    sentences = [one_line(text)[:NOTED] for text in texts if text.strip()]
    later = [(day(rule.at), rule.text) for rule in rules if rule.origin is Origin.HUMAN]
    items: list[ContextItem] = []
    for block in sorted(found, key=_order):
        items += [
            item
            for item in _lines(block, len(items) + 1)
            if not (noted := _FEEDBACK.match(item.text))
            or not (any(part in item.text for part in sentences) or _is_replaced(noted, later))
        ]
    return tuple(items)


def _is_replaced(noted: re.Match[str], later: Iterable[tuple[str, str]]) -> bool:
    """Return whether a rule of the same day or later replaces noted feedback."""
    from memoranda.language.rule_preference import stance  # few contexts contain a feedback line

    said, own = noted[1], stance(noted[2])
    return any(at >= said and stance(text).replaces(own) for at, text in later)


def _is_mine(block: Block, scope: Scope, task: Task | None) -> bool:
    block_place = block.place
    at, task_id = (task.workspace, task.id) if task else (None, None)
    return (
        block_place.agent in (None, scope.agent)
        and block_place.task in (None, task_id)
        and block_place.workspace in (None, scope.workspace, at)
    )


_ORDER = ("persona", "task", "project", "learned")


def _order(block: Block) -> tuple[int, str, bool, str]:
    place = _ORDER.index(block.label) if block.label in DEFAULTS else len(_ORDER)
    return place, block.label, block.place.task is None, block.id


def _lines(block: Block, first: int) -> Iterator[ContextItem]:
    origin = ORIGINS[block.author]
    lines = [line for line in map(str.strip, text_lines(block.value)) if line]
    for number, line in reversed(list(enumerate(lines, first))):
        yield ContextItem(
            block.id,
            f"block {block.label}",
            line,
            origin,
            _said_at(line) or block.updated_at,
            place=number,
            trust=BY_ORIGIN[origin],
        )


def _said_at(line: str) -> int | None:
    """Return the start of the day of a feedback line, in microseconds."""
    noted = _FEEDBACK.match(line)
    return parse_local_time(noted[1]) if noted else None
