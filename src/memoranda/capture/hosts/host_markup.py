"""Tables of elements and headings that hosts write into messages."""

from __future__ import annotations

import re
from collections.abc import Mapping
from types import MappingProxyType

from memoranda.language.words import word_set

ELEMENTS: Mapping[str, frozenset[str]] = MappingProxyType(
    {
        host: word_set(listed)
        for host, listed in {
            "claude-code": """
                command-name command-message command-contents local-command-caveat
                local-command-stdout local-command-stderr bash-input bash-stdout bash-stderr
                system-reminder task-notification teammate-message cross-session-message
                user-prompt-submit-hook session-start-hook user-memory-input persisted-output
                new-diagnostics fork-boilerplate tool_use_error system-note""",
            "codex": """
                environment_context user_instructions permissions turn_aborted
                user_shell_command user_action subagent_notification skill skills_instructions
                INSTRUCTIONS recommended_plugins plugins_instructions apps_instructions
                app-context hook_prompt goal_context collaboration_mode personality_spec
                model_switch codex_internal_context codex_delegation tools image
                context_window_reminder realtime_conversation
                send_user_message_question_reply""",
            "cursor": "system_reminder open_and_recently_viewed_files user_info attached_files",
            "gemini-cli": "hook_context session_context untrusted_context state_snapshot",
            "others": """
                environment_details ADDITIONAL_METADATA EPHEMERAL_MESSAGE attachments
                editorContext reminderInstructions EXTREMELY_IMPORTANT current_datetime
                reminder sql_tables""",
        }.items()
    }
)
"""Names of elements that hosts write, by host.

Names that are recognised by their style alone are not included.
"""

KNOWN = frozenset[str]().union(*ELEMENTS.values())
KNOWN_FAMILIES = ("ide_", "local-command-", "memoranda-")
"""Prefixes of families of element names."""

TYPED = word_set(
    "user_query user_request userRequest USER_REQUEST user_message user_prompt pasted_content"
    " task feedback"
)
"""Elements with which a host marks typed text."""

PREAMBLES = (
    # The complete openings are listed, as people also begin sentences with "Caveat:" and "This
    # session".
    "Caveat: The messages below were generated",
    "This session is being continued from a previous conversation",
    "Stop hook feedback:\n",
    "Another language model started to solve this problem and produced a summary",
    "This is the Gemini CLI. We are setting up the context for our chat.",
    "Here is the user's editor context as a JSON object",
    "Here is a summary of changes in the user's editor context",
    "[SYSTEM NOTIFICATION - NOT USER INPUT]",
    "Base directory for this skill: ",
    "Warning: apply_patch was requested via ",
    "Warning: The maximum number of unified exec processes ",
    "Warning: Your account was flagged for ",
)
"""Starts of texts that were written entirely by the host."""

HOOK_REPORT = re.compile(
    r"\s*[A-Z][A-Za-z]+(?::[\w|*.-]+)? hook"
    r" (?:success|additional context|blocking error|error|stopped continuation)\b[^:\n]*:"
)
"""Start of a text that a user's hook returned to the host."""
HOST_COMMANDS = word_set(
    "add-dir agents approvals auth bashes bug chat clear color compact compress config context copy"
    " cost directory doctor editor effort exit experimental export extensions fast feedback help"
    " hooks ide login logout mcp memory mention model new output-style permissions personality"
    " plugin plugins privacy privacy-settings quit release-notes rename restore resume rewind"
    " sandbox settings stats status statusline tasks terminal-setup theme todos tools undo upgrade"
    " usage vim"
)
"""Slash commands for the host itself, which are not about the work."""

NOTICES = re.compile(
    r"^(?:\[Request interrupted by user[^\]\n]*\]?[ \t]*|# AGENTS\.md instructions\b.*"
    r"|\[Image: (?:source|original)\b[^\]\n]*\][ \t]*"
    r"|Read the output file to retrieve the (?:result|output): .*)$",
    re.MULTILINE,
)
"""Lines that a host adds to a person's text."""

PASSAGES = (("--- Content from referenced files ---", "--- End of content ---"),)
"""First and last lines of passages that a host wrote."""

HTML = word_set(
    """a abbr address area article aside audio b base bdi bdo blockquote body br button canvas
    caption center cite code col colgroup data datalist dd del details dfn dialog div dl dt em
    embed fieldset figcaption figure font footer form frame frameset g h1 h2 h3 h4 h5 h6 head
    header hgroup hr html i iframe img input ins kbd label legend li link main map mark marquee
    menu meta meter nav noscript object ol optgroup option output p param path picture pre
    progress q rect rp rt ruby s samp script search section select slot small source span strong
    style sub summary sup svg symbol table tbody td template textarea tfoot th thead time title tr
    track tt u ul use var video wbr circle defs ellipse filter line lineargradient mask pattern
    polygon polyline radialgradient stop text tspan clippath foreignobject"""
)
"""Elements of HTML and SVG, which people paste and hosts do not write."""
