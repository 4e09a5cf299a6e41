"""Texts that travel in the place of a person's words and were written by a program."""

from __future__ import annotations

ENVELOPE = "envelope"
"""The tag of such a message."""

_CLAUDE_CODE = (
    "<command-name>",
    "<command-message>",
    "<command-args>",
    "<local-command-caveat>",
    "<local-command-stdout>",
    "<local-command-stderr>",
    "<bash-input>",
    "<bash-stdout>",
    "<bash-stderr>",
    "<system-reminder>",
    "<task-notification>",
    "<teammate-message",
    "<user-prompt-submit-hook>",
    "<ide_",
    "[Request interrupted by user",
    # The whole opening, because people do begin a sentence with "Caveat:".
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
)
_CODEX = (
    "<environment_context>",
    "<user_instructions>",
    "<permissions instructions>",
    "<turn_aborted>",
    "<user_shell_command>",
    "<subagent_notification>",
    "<skill>",
    "<INSTRUCTIONS>",
    "# AGENTS.md",
)
_CURSOR = ("<system_reminder>", "<open_and_recently_viewed_files>", "<user_info>")
_DIRECT = (*_CLAUDE_CODE, *_CURSOR)


def is_envelope(text: str) -> bool:
    """Tell whether a host wrote this text, judged by how it begins."""
    return text.lstrip().startswith(_DIRECT)


def is_codex_envelope(text: str) -> bool:
    """Tell whether Codex wrote this text: environment, instructions, its own notices."""
    return text.lstrip().startswith(_CODEX)
