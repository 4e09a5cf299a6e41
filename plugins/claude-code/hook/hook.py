"""Hook command that an agent runs at every event; always exits with 0.

    python -I -S hook.py spool                 append the event on standard input to the spool
    python -I -S hook.py context               also print the context of a new session
    python -I -S hook.py live claude-code 6000 also print the short form of a tool output that has
                                               more than that number of bytes

It uses the standard library only and is never imported through the package: it starts at every tool
call, so the cost of each import is incurred hundreds of times a day. Every failure is silent,
because a failing memory must not disturb the agent. Python compiles a script at each start and
caches only modules, so the work is done in the modules next to this file: `hook_event`,
`hook_session`, `hook_output`.
"""

from __future__ import annotations

import os
import sys

TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any


def part(name: str) -> dict[str, Any]:
    """Return the names of a module next to this file, from its compiled form."""
    from _frozen_importlib_external import SourceFileLoader  # part of importlib

    folder = os.path.dirname(os.path.abspath(__file__))
    code = SourceFileLoader(name, f"{folder}/{name}.py").get_code(name)
    names: dict[str, Any] = {"__name__": name}
    exec(code or "", names)
    return names


if __name__ == "__main__":
    try:
        part("hook_event")["record"](sys.argv[1:], part)
    except BaseException:  # a failure of the memory must never affect the agent
        if os.environ.get("MEMORANDA_DEBUG"):
            raise
    os._exit(0)
