"""MCP prompts that a person selects in a host: recall and task handoff."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass

from memoranda.api.mcp.tool_calls import carried_out
from memoranda.api.mcp.tools import tool_named
from memoranda.api.service import Service
from memoranda.calls.conversion import refuse_strangers
from memoranda.exceptions import Forbidden, InvalidInput, NotFound
from memoranda.identity.principal import Principal
from memoranda.text import clip, one_line

MAX_LENGTH = 2_000
"""Maximum number of characters of an argument."""


@dataclass(frozen=True, slots=True)
class Prompt:
    """One prompt and its argument."""

    name: str
    description: str
    argument: str
    about: str


PROMPTS = (
    Prompt("recall", "What is stored about a topic.", "query", "What to look for."),
    Prompt(
        "handoff",
        "Take over a task in its current state.",
        "task",
        "The name, number or id of the task.",
    ),
)


def prompted(
    service: Service, principal: Principal, prompt: Prompt, arguments: Mapping[str, str]
) -> str:
    """Return the message of a prompt.

    Raises:
        InvalidInput: the argument is missing or too long, or there is an unknown argument.
    """
    refuse_strangers(arguments, (prompt.argument,), prompt.name)
    value = one_line(arguments.get(prompt.argument, ""))
    if not 1 <= len(value) <= MAX_LENGTH:
        raise InvalidInput(
            f"{prompt.argument} has 1 to {MAX_LENGTH:,} characters, not {len(value)}"
        )
    return _MADE[prompt.name](service, principal, value)


def _recall(service: Service, principal: Principal, query: str) -> str:
    context = carried_out(service, principal, tool_named("context"), {"query": query})
    answer = carried_out(service, principal, tool_named("search"), {"query": query})
    instruction = (
        f"Report what memory has on: {query}\nName the refs that you rely on; open more with get."
    )
    return f"{instruction}\n\n{context.text}\n\n{answer.text}"


def _handoff(service: Service, principal: Principal, task: str) -> str:
    parts = [carried_out(service, principal, tool_named("task_resume"), {"task": task}).text]
    with suppress(NotFound, Forbidden):
        plan = {"action": "view", "label": "task", "task": task}
        parts.append(carried_out(service, principal, tool_named("block_edit"), plan).text)
    # a missing summary is created first, which readers are not allowed to do
    with suppress(Forbidden):
        parts.append(carried_out(service, principal, tool_named("brief"), {"task": task}).text)
    instruction = (
        f"Continue task {clip(task, 80)}: summarise its state in three lines, then the next step."
    )
    return "\n\n".join((instruction, *parts))


_MADE: Mapping[str, Callable[[Service, Principal, str], str]] = {
    "recall": _recall,
    "handoff": _handoff,
}
