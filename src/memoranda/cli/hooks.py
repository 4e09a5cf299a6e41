"""Commands that install Memoranda's hooks into coding agents."""

from __future__ import annotations

import os
import shlex
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

import click

from memoranda.cli.output import Output, command_here, write

if TYPE_CHECKING:
    from collections.abc import Sequence

    from memoranda.config import Settings
    from memoranda.hooks.hosts import Host
    from memoranda.hooks.installation import SettingsChange

MODEL, NO_MODEL = "language_model", "none"
AGENTS = ("claude-code", "codex", "gemini-cli", "cursor")


@click.command(epilog="Example: memoranda install claude-code --dry-run")
@click.argument("agent", type=click.Choice(AGENTS))
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    help="Settings to change: the user's or the project's.",
)
@click.option("--live", is_flag=True, help="Shorten long tool outputs for the agent.")
@click.option(
    "--model", help="Language model for this data directory, such as claude-cli; or none."
)
@click.option("--dry-run", is_flag=True, help="Show the change without writing it.")
@command_here
def install_command(
    out: Output,
    data_dir: str | None,
    agent: str,
    scope: str,
    live: bool,
    model: str | None,
    dry_run: bool,
) -> None:
    """Install the hooks that record an agent's sessions.

    Other settings remain unchanged. Installing again without --live turns live mode off; only
    Claude Code supports live mode. With --model claude-cli, codex-cli or gemini-cli, that program
    writes the memory texts, using your login.
    """
    _change(
        out, data_dir, _HookRequest(agent, scope, dry_run, install=True, live=live, model=model)
    )


@click.command(epilog="Example: memoranda uninstall claude-code --scope project")
@click.argument("agent", type=click.Choice(AGENTS))
@click.option(
    "--scope",
    type=click.Choice(["user", "project"]),
    default="user",
    help="Settings to change: the user's or the project's.",
)
@click.option("--dry-run", is_flag=True, help="Show the change without writing it.")
@command_here
def uninstall_command(
    out: Output, data_dir: str | None, agent: str, scope: str, dry_run: bool
) -> None:
    """Remove the hooks, and nothing else; captured data remains.

    The command shows where that data is and how to delete it, and lists other settings files that
    contain hooks.
    """
    _change(out, data_dir, _HookRequest(agent, scope, dry_run, install=False))


@dataclass(frozen=True, slots=True)
class _HookRequest:
    """A person's request to install or remove an agent's hooks."""

    agent: str
    scope: str
    dry_run: bool
    install: bool
    live: bool = False
    model: str | None = None


def _change(out: Output, data_dir: str | None, request: _HookRequest) -> None:
    from memoranda.config import load_settings
    from memoranda.exceptions import InvalidInput
    from memoranda.hooks.hosts import InstallScope, host_of
    from memoranda.hooks.installation import Installation
    from memoranda.hooks.settings_text import parsed_settings
    from memoranda.hooks.status import unread_form

    install, model, dry_run = request.install, request.model, request.dry_run
    host = host_of(request.agent)
    if request.live and host.shortened is None:
        raise InvalidInput(f"{host.title} has no hook that can shorten tool output")
    settings = load_settings({"data_dir": data_dir})
    path = host.settings_file(InstallScope(request.scope), Path.cwd(), os.environ)
    custom = settings.origins["data_dir"] != "default"
    over = settings.live_over_bytes if request.live else None
    installation = Installation(
        host, path, settings.data_dir, custom_data_dir=custom, live_over=over
    )
    change = installation.installing() if install else installation.removing()
    model_notes = [] if model is None else _model_set(model, settings, dry_run)
    if not dry_run:
        installation.apply(change)
    unread = unread_form(host, parsed_settings(change.after, path)) if install else ""
    hook_change = _HookChange(host, path, change, install, unread, over)
    notes = hook_change.notes(model_notes)
    if not install:
        notes += [*_other_hooks(host, path, settings.data_dir), *_remains(settings)]
    if out.format == "json":
        out.json(
            hook_change.payload(notes)
            if model is None
            else hook_change.payload(notes) | {"model": model}
        )
    elif not change.diff:
        lines = notes if not install else [*model_notes, *filter(None, [unread])]
        write("\n".join((f"{path}: nothing to change", *lines)))
    else:
        write(change.diff if dry_run else "\n".join((hook_change.done(), *notes)))


@dataclass(frozen=True, slots=True)
class _HookChange:
    """Change of an agent's settings that installs or removes hooks."""

    host: Host
    path: Path
    change: SettingsChange
    install: bool
    unread: str
    """Reason why the agent cannot read the settings; empty if it can."""
    over: int | None
    """Size in bytes above which outputs are shortened."""

    def notes(self, model_notes: Sequence[str]) -> list[str]:
        """Return notes for the person, such as required steps."""
        from memoranda.hooks.installation import passing_place

        notes = [self.host.afterwards] if self.install and self.host.afterwards else []
        notes += model_notes
        notes += [f"{self.unread}: correct {self.path}"] if self.unread else []
        if self.install and (place := passing_place()):
            notes.append(
                f"Hooks run from {place}: the hooks stop recording if that location is removed"
            )
        return notes

    def payload(self, notes: Sequence[str]) -> dict[str, object]:
        """Return the change as JSON."""
        changed = self.change.before != self.change.after
        diff = self.change.diff
        return {"path": str(self.path), "changed": changed, "diff": diff, "notes": notes}

    def done(self) -> str:
        """Describe what was done."""
        from memoranda.hooks.hosts import CODEX

        records = "records every session, starting with the next one"
        done = records if self.install else "no longer records"
        done = "would record every session if it read this file" if self.unread else done
        done += ", once its hooks are trusted" if self.install and self.host is CODEX else ""
        done += f" and shortens outputs over {self.over:,} bytes" if self.over else ""
        return f"{self.path}: {self.host.title} {done}"


def _other_hooks(host: Host, path: Path, data_dir: Path) -> list[str]:
    """Return where else the agent has hooks, and how to remove them."""
    from memoranda.hooks.hosts import InstallScope
    from memoranda.hooks.status import hook_presences

    notes, here = [], Path.cwd()
    for found in hook_presences(data_dir, here, os.environ, trial=False):
        if found.host is not host or not found.installed or found.path == path.resolve():
            continue
        remove = f"memoranda uninstall {host.name}"
        if found.scope is InstallScope.PROJECT:
            folder = found.path.parents[1]
            enter = "" if folder == here.resolve() else f"cd {shlex.quote(str(folder))} && "
            remove = f"{enter}{remove} --scope project"
        notes.append(f"hooks remain in {found.path}: {remove}")
    return notes


def _remains(settings: Settings) -> list[str]:
    """Return what is left after removing hooks, and how to delete it."""
    folder = settings.data_dir
    notes = []
    if settings.database_url:
        notes.append("the data on the PostgreSQL server remains; its owner can drop the database")
    if folder.exists():
        quoted = shlex.quote(str(folder))
        notes.append(f"captured data and settings remain in {folder}")
        notes.append(f"to keep a copy first: memoranda backup ~/memoranda.db; then: rm -r {quoted}")
    notes.append("the program remains installed; to remove it: pip uninstall memoranda")
    return notes


def _model_set(model: str, settings: Settings, dry_run: bool) -> list[str]:
    """Store the model in the settings; return notes on changes and problems.

    The problems are those that may prevent the model from working.
    """
    from dataclasses import replace

    from memoranda.config import load_settings
    from memoranda.config_file import ConfigFile
    from memoranda.models.factory import language_model_problem

    file = ConfigFile(settings.data_dir)
    if model == NO_MODEL:
        text = file.without(MODEL)
    else:
        load_settings({"data_dir": settings.data_dir, MODEL: model})  # refuses an unknown model
        text = file.with_value(MODEL, model)
    if not dry_run:
        file.write(text)
    if model == NO_MODEL:
        notes = [f"{file.path}: no language model; rules are used instead"]
    else:
        notes = [f"{file.path}: {model} writes memory texts in the background"]
        trouble = language_model_problem(replace(settings, language_model=model))
        notes += [f"Only rules apply until this is fixed: {trouble}"] if trouble else []
    if settings.origins[MODEL] == "environment":
        notes.append("MEMORANDA_LANGUAGE_MODEL is set in the environment and takes precedence")
    return notes
