"""Three agents, each a process of its own, that share one block and never do a thing twice.

    python college.py critic & python college.py professor & python college.py scribe

The critic puts what it finds on the board, the professor decides, the scribe writes it down. None
knows the others: all they know is the board, and that a line can be taken by one of them only.
"""

from __future__ import annotations

import re
import sys
import time
from collections.abc import Callable
from contextlib import suppress

from memoranda import Memoranda, NewBlock
from memoranda.exceptions import Conflict, InvalidInput, NotFound

BOARD = "board"
ROLES = ("critic", "professor", "scribe")
FOUND = {
    "SEC-001": "login.py builds SQL out of text",
    "SEC-002": "session cookies lack HttpOnly",
    "PERF-001": "the report loads every order",
    "BUG-001": "totals are rounded twice",
    "BUG-002": "an empty basket ends in an error",
    "DOC-001": "the README names a flag that is gone",
}
LINE = re.compile(r"^- \[(\w+)\] (\S+): (.*)$", re.MULTILINE)


def board(memory: Memoranda) -> None:
    """Make the board for all, or wait until whoever was faster has attached it to us."""
    try:
        memory.blocks.create(NewBlock(BOARD, "# Issues", limit=20_000, shared=True))
    except Conflict:
        while not seen(memory):
            time.sleep(0.02)
        return
    for role in ROLES:
        memory.blocks.attach(BOARD, role, role=role)


def seen(memory: Memoranda) -> bool:
    """Tell whether the board is attached to us."""
    try:
        memory.blocks.show(BOARD)
    except NotFound:
        return False
    return True


def lines(memory: Memoranda) -> list[tuple[str, str, str]]:
    """Return what is on the board: (state, name, text)."""
    return [(m[1], m[2], m[3]) for m in LINE.finditer(memory.blocks.show(BOARD).value)]


def take(memory: Memoranda, name: str, state: str, next_state: str) -> bool:
    """Move an issue on; False when another agent was faster."""
    try:
        memory.blocks.replace(BOARD, f"- [{state}] {name}:", f"- [{next_state}] {name}:")
    except InvalidInput:  # the line does not say so any more
        return False
    return True


def critic(memory: Memoranda) -> None:
    """Report what is not reported yet. Another critic may do the same: with the version that was
    read, only one of both gets its line in."""
    for name, text in FOUND.items():
        block = memory.blocks.show(BOARD)
        if f"] {name}:" in block.value:
            continue
        with suppress(Conflict):  # somebody changed the board; the next round looks again
            memory.blocks.insert(
                BOARD, f"- [open] {name}: {text}", reason="found", version=block.version
            )


def professor(memory: Memoranda) -> None:
    """Decide on what is open."""
    for state, name, text in lines(memory):
        if state == "open" and take(memory, name, "open", "deciding"):
            verdict = "fix now" if name.startswith(("SEC", "BUG")) else "fix later"
            line, decided = f"- [deciding] {name}: {text}", f"- [decided] {name}: {text}; {verdict}"
            memory.blocks.replace(BOARD, line, decided, reason=verdict)


def scribe(memory: Memoranda) -> None:
    """Write down what is decided."""
    for state, name, text in lines(memory):
        if state == "decided" and take(memory, name, "decided", "written"):
            memory.observe(f"{name}: {text}", type="decision")


WORK: dict[str, Callable[[Memoranda], None]] = {
    "critic": critic,
    "professor": professor,
    "scribe": scribe,
}


def main(role: str, seconds: float = 60.0) -> int:
    """Work in a role until everything is written down, or for so many seconds."""
    ends = time.monotonic() + seconds
    with Memoranda.open(workspace="college", agent=role) as memory:
        board(memory)
        while time.monotonic() < ends:
            WORK[role](memory)
            found = lines(memory)
            if len(found) == len(FOUND) and {state for state, _, _ in found} == {"written"}:
                print(memory.blocks.show(BOARD).value)
                return 0
            time.sleep(0.02)
    return 1


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:2]))
