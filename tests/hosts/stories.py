"""The scripted prompts and model responses, with the tools of each host."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from model_server import Call, Script, Stall, Text, Turn

OLD, NEW = "return round(amount, 2)", "return round(amount + 1e-9, 2)"

FIX = "Fix the rounding of totals in price.py."
RULE = "From now on never use float for money in this repository."
NEXT = "Which work is open in this repository?"
FORK = "Try the same fix with integers of cents."
HELP = "Have a helper look for the callers of total."
HELPER = "List each file in which total is called."
CHECK = "Run the checks of the shop, twice."
LONG = "Print the log of the build."
SLOW = "Measure how long the build takes."
RECALL = "Ask the memory what is known of rounding."
HELLO = "Say that you are there."
PROMPTS = (FIX, RULE, NEXT, FORK, HELP, CHECK, LONG, SLOW, RECALL, HELLO)
"""All prompts."""

INTERIM = "I look at the code first."
FIXED = "The test passes: totals are rounded half up."
UNDERSTOOD = "Understood, amounts of money are never floats."
OPEN = "Only price.py has changes that are not committed."
FORKED = "With cents as integers the test passes too."
HELPER_ANSWER = "Only test_price.py calls total."
HELPED = "The helper says that test_price.py alone calls it."
RECALLED = "The memory answered."
PRESENT = "I am there."
STILL_WRONG = "3 checks are wrong"
CHECKED = "The checks fail: three are wrong."
LOG_ERROR = "ERROR: disk is full"
PRINTED = "The log has one error."
BEFORE_THE_KILL = "the build began"
ANSWERS: Mapping[str, str] = MappingProxyType(
    {
        FIX: FIXED, RULE: UNDERSTOOD, NEXT: OPEN, FORK: FORKED, HELP: HELPED,
        CHECK: CHECKED, LONG: PRINTED, RECALL: RECALLED, HELLO: PRESENT,
    }
)  # fmt: skip
"""The model's last text after each prompt."""

FILES: Mapping[str, str] = MappingProxyType(
    {
        ".gitignore": "__pycache__/\n.checked\n",
        "check.py": "from pathlib import Path\n\nseen = Path('.checked')\n"
        "if not seen.exists():\n    seen.touch()\n    raise ValueError('the shop is closed')\n"
        f"raise SystemExit(print({STILL_WRONG!r}) or 1)\n",
        "log.py": "for number in range(4000):\n"
        f"    print(number, {LOG_ERROR!r} if number == 1800 else 'compiled a part')\n",
        "price.py": "def total(amount):\n    return round(amount, 2)\n",
        "test_price.py": "from price import total\n\n"
        'assert total(2.675) == 2.68, f"got {total(2.675)}, expected 2.68"\nprint("1 passed")\n',
    }
)
"""The repository of the story."""


Moves = tuple[Turn | Callable[[str], Turn], ...]


@dataclass(frozen=True, slots=True)
class Tools:
    """How one host's model reads, runs, edits, delegates and uses memory."""

    read: Callable[[str], Call]
    shell: Callable[[str], Call]
    edit: Call
    recall: Moves
    delegate: Moves
    finish: Moves = ()
    """How a subagent returns its answer, besides its last message."""


def claude_tools(work: str) -> Tools:
    """Return the tools of Claude Code."""
    edit = {"file_path": f"{work}/price.py", "old_string": OLD, "new_string": NEW}
    found = {"query": "select:mcp__memoranda__search", "max_results": 1}
    helper = {
        "description": "Find callers",
        "prompt": HELPER,
        "subagent_type": "general-purpose",
        "run_in_background": False,
    }
    return Tools(
        read=lambda name: Call("Read", {"file_path": f"{work}/{name}"}),
        shell=lambda command: Call("Bash", {"command": command}),
        edit=Call("Edit", edit),
        recall=(
            Turn(Call("ToolSearch", found)),
            Turn(Call("mcp__memoranda__search", {"query": "rounding"})),
        ),
        delegate=(Turn(Call("Agent", helper)),),
    )


def codex_tools(work: str) -> Tools:
    """Return the tools of Codex."""
    patch = f"*** Begin Patch\n*** Update File: price.py\n@@\n-    {OLD}\n+    {NEW}\n*** End Patch"
    return Tools(
        read=lambda name: Call("exec_command", {"cmd": f"cat {name}"}),
        shell=lambda command: Call("exec_command", {"cmd": command}),
        edit=Call("apply_patch", patch),
        recall=(Turn(Call("mcp__memoranda::search", {"query": "rounding"})),),
        delegate=(Turn(Call("multi_agent_v1::spawn_agent", {"message": HELPER})), _wait_for_agent),
    )


def _wait_for_agent(conversation: str) -> Turn:
    found = re.search(r"agent_id\W+([0-9a-f-]{36})", conversation)
    assert found, "Codex started no agent"
    return Turn(Call("multi_agent_v1::wait_agent", {"targets": [found[1]]}))


def gemini_tools(work: str) -> Tools:
    """Return the tools of Gemini CLI."""
    edit = {"file_path": f"{work}/price.py", "old_string": OLD, "new_string": NEW}
    helper = {"agent_name": "generalist", "prompt": HELPER}
    answer = {"result": {"response": HELPER_ANSWER}}
    return Tools(
        read=lambda name: Call("read_file", {"file_path": f"{work}/{name}"}),
        shell=lambda command: Call("run_shell_command", {"command": command}),
        edit=Call("replace", {**edit, "instruction": "Round half up."}),
        recall=(Turn(Call("mcp_memoranda_search", {"query": "rounding"})),),
        delegate=(Turn(Call("invoke_agent", helper)),),
        finish=(Turn(Call("complete_task", answer)),),
    )


TOOLS: Mapping[str, Callable[[str], Tools]] = MappingProxyType(
    {"claude-code": claude_tools, "codex": codex_tools, "gemini-cli": gemini_tools}
)


def scripts(tools: Tools) -> list[Script]:
    """Return the model's actions after each prompt."""
    test, check = tools.shell("python3 test_price.py"), tools.shell("python3 check.py")
    fix = (Turn(Text(INTERIM), tools.read("price.py")), Turn(test), Turn(tools.edit), Turn(test))
    moves: dict[str, Moves] = {
        FIX: fix,
        RULE: (),
        NEXT: (Turn(tools.shell("git status --short")),),
        FORK: (),
        HELP: tools.delegate,
        CHECK: (Turn(check), Turn(check)),
        LONG: (Turn(tools.shell("python3 log.py")),),
        RECALL: tools.recall,
        HELLO: (),
    }
    helper = (Turn(tools.shell("grep -rln total .")), *tools.finish, Turn(Text(HELPER_ANSWER)))
    slow = (Turn(tools.shell(f"echo {BEFORE_THE_KILL}")), Stall())
    return [
        *(Script(prompt, (*turns, Turn(Text(ANSWERS[prompt])))) for prompt, turns in moves.items()),
        Script(HELPER, helper),
        Script(SLOW, slow),
    ]
