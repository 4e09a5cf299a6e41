"""The action of a tool, from its name.

Tools of known hosts are listed in a table; other tools are classified by the verb in their name.
"""

from __future__ import annotations

import re
from functools import lru_cache

from memoranda.language.words import by_word, word_set
from memoranda.stages.action import Action

MAXIMUM = 120
"""Number of characters of a name that are examined."""

SHELLS = word_set(
    "bash shell sh zsh terminal exec powershell run_command execute_command execute_bash"
    " run_shell_command run_terminal_cmd run_terminal_command execute_terminal_command"
    " exec_command local_shell container_exec"
)
"""Tools that run a command; the command determines the action."""

EDITORS = word_set("str_replace_editor str_replace_based_edit_tool memory")
"""Tools with a ``view`` command that reads; all their other commands change something."""

_KNOWN = by_word({
    Action.LOOK: "Read Grep Glob LS WebSearch WebFetch NotebookRead ListMcpResourcesTool"
    " ReadMcpResourceTool ToolSearch TaskGet TaskList",
    Action.PLAN: "TodoRead TodoWrite ExitPlanMode exit_plan_mode EnterPlanMode AskUserQuestion"
    " update_plan TaskCreate TaskUpdate write_todos",
    Action.WRITE: "Edit MultiEdit Write NotebookEdit",
    Action.NONE: "BashOutput KillShell Task Agent Skill SlashCommand spawn_agent TaskOutput"
    " TaskStop",
})  # fmt: skip
_VERBS = by_word({
    Action.TEST: "test tests pytest verify validate check lint assert evaluate grade compare"
    " typecheck diagnostics screenshot",
    Action.SUBMIT: "submit finish complete completion end done",
    Action.PLAN: "plan reason analyze analyse"
    " todo brainstorm decompose begin ask clarify sequential",
    Action.LOOK: "get list search find read open view fetch query lookup look browse describe"
    " show select goto scroll cat ls cd grep glob inspect load retrieve navigate recall"
    " calculate count resolve explore scan download",
    Action.WRITE: "edit create write update insert delete remove replace apply patch set add"
    " book cancel send post put modify move rename copy upload commit push merge deploy"
    " install exchange return transfer pay refund schedule invite implement rewrite click type"
    " fill press append publish assign close approve enable disable start stop",
    Action.RUN: "run execute call invoke python node ipython interpreter eval",
    Action.NONE: "noop wait sleep",
})  # fmt: skip
_WHOLE = {
    "attempt_completion": Action.SUBMIT,
    "final_answer": Action.SUBMIT,
    "end_interaction": Action.SUBMIT,
    "end_session": Action.SUBMIT,
    "begin_interaction": Action.PLAN,
    "look_up": Action.LOOK,
    "run_code": Action.RUN,
}
_THOUGHTS = word_set("thought thoughts think thinking sequentialthinking")
_CAMEL = re.compile(r"(?<=[a-z0-9])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])")
_NO_WORD = re.compile(r"[^a-z0-9]+")


def bare_name(tool: str) -> str:
    """Return a tool's name in snake_case, without the name of its server.

    For example get_issue for mcp__tracker__getIssue.
    """
    name = tool[:MAXIMUM]
    if name.startswith("mcp__"):
        name = name.rpartition("__")[2]
    return _NO_WORD.sub("_", _CAMEL.sub("_", name).lower()).strip("_")


@lru_cache(maxsize=256)
def action_of_name(tool: str) -> Action | None:
    """Return the action of a tool from its name; None if no verb is known."""
    if tool in _KNOWN:
        return _KNOWN[tool]
    name = bare_name(tool)
    if name in _WHOLE:
        return _WHOLE[name]
    words = name.split("_")
    if not _THOUGHTS.isdisjoint(words):  # add_thought changes nothing
        return Action.PLAN
    if "replace" in words or "rewrite" in words:  # find_and_replace is an edit, not a search
        return Action.WRITE
    if words[0] == "run" and not {"test", "tests", "lint"}.isdisjoint(words[1:]):
        return Action.TEST
    return next((_VERBS[word] for word in words if word in _VERBS), None)
