"""Suggestions for unknown commands and options."""

from __future__ import annotations

import re
from collections.abc import Iterable
from difflib import get_close_matches

import click

SYNONYMS = {
    "add": "remember",
    "new": "remember",
    "save": "remember",
    "store": "remember",
    "note": "remember",
    "delete": "forget",
    "remove": "forget",
    "rm": "forget",
    "erase": "forget",
    "show": "observation show",
    "get": "observation show",
    "ls": "observation list",
    "observations": "observation list",
    "history": "timeline",
    "log": "journal list",
    "logs": "journal list",
    "find": "search",
    "query": "search",
    "recall": "search",
    "memories": "memory list",
    "tasks": "task list",
    "workspaces": "workspace list",
    "sessions": "task list",
    "approve": "pending approve",
    "reject": "pending reject",
    "proposals": "pending list",
    "revert": "undo",
    "rollback": "checkpoint rollback",
    "undelete": "undo",
    "unarchive": "undo",
    "settings": "config show",
    "set": "config set",
    "where": "config show",
    "path": "config show",
    "version": "--version",
    "check": "doctor",
    "health": "doctor",
    "info": "status",
    "start": "serve",
    "server": "serve",
    "dashboard": "tui",
    "ui": "web link",
    "open": "web link",
    "setup": "install claude-code",
    "init": "install claude-code",
    "example": "demo",
    "try": "demo",
}
"""Commands by the names that other programs use for them."""

VERBS = {
    "add": "create remember",
    "change": "edit set",
    "correct": "edit",
    "create": "add",
    "delete": "remove archive",
    "get": "show",
    "ls": "list",
    "new": "create add",
    "remove": "delete archive",
    "rm": "remove delete archive",
    "update": "edit set",
    "view": "show",
}
"""Subcommands by the names that other programs use for them; the first one that the group has is
used.
"""

_UNKNOWN = re.compile(r"No such command '(?P<command>[^']+)'|'(?P<value>[^']*)' is not one of ")

OPTION_SYNONYMS = {
    "--json": "--format json",
    "--markdown": "--format md",
    "--output": "--format",
    "-o": "--format",
    "-n": "--limit",
    "--max": "--limit",
    "--dir": "--data-dir",
    "-w": "--workspace",
    "--project": "--workspace",
    "-y": "--yes",
}
"""Options by the names that other programs use for them."""


EXTRA_ARGUMENTS = "Got unexpected extra argument"
"""Start of click's message about surplus arguments."""
TEXT_ARGUMENTS = frozenset({"content", "query", "text", "description"})
"""Names of arguments that may contain several words."""


def command_suggestion(name: str, commands: Iterable[str]) -> str:
    """Return a question with a similar command, or a pointer to the help."""
    lowered = name.lower()
    near = "".join(get_close_matches(lowered, commands, n=1, cutoff=0.75))
    other = get_close_matches(lowered, SYNONYMS, n=1, cutoff=0.8)
    meant = SYNONYMS.get(lowered) or near or "".join(SYNONYMS[item] for item in other)
    meant = meant or "".join(get_close_matches(lowered, commands, n=1))
    return f" Did you mean '{meant}'?" if meant else " See memoranda help."


def name_suggestion(error: click.UsageError) -> str:
    """Return the likely subcommand or value; "" if there is none.

    Similar subcommands are suggested by click.
    """
    unknown = _UNKNOWN.match(error.message)
    if not unknown:
        return ""
    if isinstance(error, click.BadParameter):
        names = getattr(error.param and error.param.type, "choices", ())
        return "".join(get_close_matches(unknown["value"].lower(), names, n=1))
    names = getattr(error.ctx and error.ctx.command, "commands", ())
    verbs = VERBS.get((unknown["command"] or "").lower(), "").split()
    return next((verb for verb in verbs if verb in names), "")


def unquoted_text(error: click.UsageError) -> str:
    """Return a text argument that probably lacks quotation marks, else ""."""
    if not (error.ctx and error.message.startswith(EXTRA_ARGUMENTS)):
        return ""
    arguments = [one for one in error.ctx.command.params if isinstance(one, click.Argument)]
    last = arguments[-1] if arguments else None
    return last.make_metavar(error.ctx) if last and last.name in TEXT_ARGUMENTS else ""


def option_suggestion(error: click.NoSuchOption) -> str:
    """Return the option that is probably meant by an unknown one, else ""."""
    parameters = error.ctx.command.params if error.ctx else []
    option_names = {option for parameter in parameters for option in parameter.opts}
    meant = OPTION_SYNONYMS.get(error.option_name, "")
    return meant if meant.partition(" ")[0] in option_names else ""


def takes_text(error: click.NoSuchOption) -> bool:
    """Return whether an unknown short option may begin a text argument."""
    parameters = error.ctx.command.params if error.ctx else []
    has_argument = any(isinstance(parameter, click.Argument) for parameter in parameters)
    return has_argument and not error.option_name.startswith("--")
