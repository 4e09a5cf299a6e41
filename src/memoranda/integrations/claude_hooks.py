"""Hooks of the Claude Agent SDK that record an agent and supply context.

    options = ClaudeAgentOptions(hooks=memoranda_hooks(memory, workspace="shop"))

The SDK passes to a hook function the same payload that Claude Code passes to a hook command. An
event therefore has the same key and is stored once, whether it comes from these hooks, from
`memoranda install claude-code`, or from a transcript.
"""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from mmap import ACCESS_READ, mmap
from pathlib import Path
from typing import TYPE_CHECKING, Any

from anyio import move_on_after
from anyio.to_thread import run_sync

from memoranda.capture.hosts.claude_code import payload as claude_code
from memoranda.capture.redaction.private_spans import RECALLED_TAG
from memoranda.clock import SystemClock
from memoranda.context.builder import HOST_LIMIT
from memoranda.context.prepared_files import too_small
from memoranda.exceptions import BudgetTooSmall, NotFound
from memoranda.integrations.event_capture import capture, place_of
from memoranda.integrations.version_check import supported
from memoranda.memory import Memoranda

if TYPE_CHECKING:
    from claude_agent_sdk import HookMatcher

logger = logging.getLogger(__name__)

PATIENCE_SECONDS = 10.0
"""Maximum seconds that an agent waits for its memory.

An event is still stored if storing it takes longer.
"""
MAX_SESSIONS = 10_000
"""Maximum number of sessions remembered as already having a context."""

Payload = Mapping[str, Any]


def memoranda_hooks(
    memory: Memoranda, *, workspace: str | None = None, budget: int | None = None
) -> dict[Any, list[HookMatcher]]:
    """Return hooks that record an agent and add a context to its sessions.

    The hooks serve any number of sessions. Append your own hooks:
    ``hooks["Stop"].append(HookMatcher(hooks=[mine]))``. A failure in Memoranda is logged and never
    stops the agent.

    Args:
        memory: an open `Memoranda`, local or on a server; the hooks do not close it.
        workspace: where data is stored; None for the workspace that the memory was opened with, or
            else that of the agent's folder.
        budget: maximum number of tokens of a context; None for the value in the settings, 0 for no
            context.

    Raises:
        ImportError: the SDK is not installed, or its version is not supported.
        InvalidInput: the memory is on a server, which cannot read folders, and no workspace is
            named.
    """
    with supported("claude-agent-sdk", "0.2.82", "0.3", "memoranda[claude-agent-sdk]"):
        from claude_agent_sdk import HookMatcher
    happened = AgentHooks(memory, place_of(memory, workspace), budget).happened
    return {moment: [HookMatcher(hooks=[happened])] for moment in claude_code.MOMENTS}


class AgentHooks:
    """Hooks for the agents that use one memory. Sessions can share them."""

    def __init__(
        self, memory: Memoranda, place: str | None = None, budget: int | None = None
    ) -> None:
        self._memory = memory
        self._place = place
        self._budget = budget
        self._clock = SystemClock()
        self._started_sessions = set[str]()

    async def happened(self, payload: Any, *_: object) -> dict[str, Any]:
        """Store an event; return the hook's output, which may include a context."""
        with move_on_after(PATIENCE_SECONDS):
            return await run_sync(self._done, payload, abandon_on_cancel=True)
        logger.warning("an agent continues without its memory, which is slow")
        return {}

    def _done(self, payload: Payload) -> dict[str, Any]:
        # The context comes first: the new prompt must not appear in it.
        context_text = (
            None if self._budget == 0 else _guarded("tell a context", self._context, payload)
        )
        _guarded("keep an event", self._keep, payload)
        if not context_text:
            return {}
        name = payload["hook_event_name"]
        return {"hookSpecificOutput": {"hookEventName": name, "additionalContext": context_text}}

    def _keep(self, payload: Payload) -> None:
        if event := claude_code.event(payload, self._clock.now()):
            capture(self._memory, [event], workspace=self._place)

    def _context(self, payload: Payload) -> str:
        """Return the context for a session that does not have one yet.

        A session needs a context at its first prompt and after a compaction. In a resumed session
        the host replays the earlier context.
        """
        session = str(payload.get("session_id"))
        if payload.get("hook_event_name") == "UserPromptSubmit":
            if session in self._started_sessions or _replayed(str(payload.get("transcript_path"))):
                return ""
        elif payload.get("hook_event_name") != "SessionStart" or payload.get("source") == "resume":
            return ""
        text = self._rendered(payload)
        if len(self._started_sessions) >= MAX_SESSIONS:
            self._started_sessions.clear()
        self._started_sessions.add(session)
        return text

    def _rendered(self, payload: Payload) -> str:
        folder = str(payload.get("cwd"))
        if not (place := self._place or getattr(self._memory.workspace_of(folder), "id", None)):
            return ""  # nothing is stored for this folder yet
        room, query = self._budget, payload.get("prompt")
        try:
            while True:
                brief = self._memory.context(budget=room, query=query, workspace=place)
                if len(brief.text) <= HOST_LIMIT:
                    return brief.text if brief.sections or brief.left_out else ""
                room = min(brief.budget - 1, brief.budget * HOST_LIMIT // len(brief.text))
        except BudgetTooSmall:  # at its start, a session receives the most important facts
            return self._at_start(room, place)
        except NotFound:  # nothing is stored in this workspace yet
            return ""

    def _at_start(self, budget: int | None, place: str) -> str:
        try:
            brief = self._memory.context(budget=budget, workspace=place, at_start=True)
        except BudgetTooSmall as error:
            return too_small(error)
        return brief.text if len(brief.text) <= HOST_LIMIT else ""


def _replayed(transcript: str) -> bool:
    """Return whether a resumed session already has a context."""
    try:
        with Path(transcript).open("rb") as file, mmap(file.fileno(), 0, access=ACCESS_READ) as all:
            return all.find(f"<{RECALLED_TAG} ".encode()) >= 0
    except (OSError, ValueError):  # the transcript does not exist yet
        return False


def _guarded(what: str, work: Callable[[Payload], Any], payload: Payload) -> Any:
    """Run a function; log any failure, so that the agent is not stopped."""
    try:
        return work(payload)
    except Exception as error:
        logger.warning("could not %s: %s", what, error, exc_info=error)
        return None
