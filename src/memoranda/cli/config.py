"""Commands that show and change settings."""

from __future__ import annotations

import os
from difflib import get_close_matches
from typing import TYPE_CHECKING, Any

import click

from memoranda.cli.options import stated
from memoranda.cli.output import Output, command, command_here, remark, write
from memoranda.exceptions import Forbidden, InvalidInput

if TYPE_CHECKING:
    from memoranda.config import Settings
    from memoranda.config_file import ConfigFile

BUDGETS = ("monthly_budget_dollars", "budget_alert_share")
"""Settings that `memoranda budget set` replaces for a team."""


@click.group()
def config_command() -> None:
    """Show and change settings, and where each value comes from."""


@config_command.command("show", epilog="Example: memoranda config show --format json")
@command
def config_show(out: Output, data_dir: str | None) -> None:
    """Show every setting with its value, origin and environment variable."""
    from memoranda.config import CONFIG_FILE, NAMES, PREFIX, load_settings

    settings = load_settings({"data_dir": data_dir})
    payload: dict[str, dict[str, Any]] = {
        name: {
            "value": settings.shown(name),
            "origin": settings.origins[name],
            "variable": PREFIX + name.upper(),
        }
        for name in NAMES
    }
    note = _with_budget(settings, payload)
    rows = [
        (name, item["origin"], _shown(item["value"]), item["variable"])
        for name, item in payload.items()
    ]
    out.rows(payload, ("setting", "origin", "value", "variable"), rows)
    if out.format != "json":
        file = settings.data_dir / CONFIG_FILE
        write(f"\nfile: {file}{'' if file.exists() else ' (does not exist yet)'}")
    for variable, reason in settings.ignored.items():
        remark(f"note: {variable} in the environment is ignored: {reason}")
    if note:
        remark(note)


def _with_budget(settings: Settings, payload: dict[str, dict[str, Any]]) -> str:
    """Replace the budget settings with the team's own budget.

    Return a note if the team's budget was not read.

    The budget is read from a store on this machine only: a server that does not respond must not
    prevent the settings from being shown.
    """
    from memoranda import Memoranda
    from memoranda.costs.model import DOLLAR
    from memoranda.exceptions import MemorandaError

    if settings.url or settings.database_url:
        return "note: `budget set` replaces the budget; `memoranda budget show` reads the store"
    if not settings.database_path.exists():
        return ""
    try:
        with Memoranda.open(settings=settings) as memory:
            status = memory.costs.budget()
    except MemorandaError as error:
        return f"note: the team's own budget cannot be read: {error}"
    if status.own_limit:
        own = {"value": status.limit / DOLLAR, "origin": "budget set"}
        payload["monthly_budget_dollars"] |= own
    if status.own_alert_share:
        payload["budget_alert_share"] |= {"value": status.alert_share, "origin": "budget set"}
    return ""


@config_command.command("set", epilog="Example: memoranda config set context_budget 3000")
@click.argument("name")
@click.argument("values", nargs=-1, required=True)
@command_here
def config_set(out: Output, data_dir: str | None, name: str, values: tuple[str, ...]) -> None:
    """Set a setting in the configuration file of the data directory.

    A list takes one VALUE for each entry. To set a key, use - and pass the key on standard input,
    so that it does not appear in your shell history. Comments and other settings remain unchanged.
    Restart a running server to apply the change.
    """
    _require_person(data_dir)
    file = _file(data_dir)
    value = _accepted(name, values)
    changed = file.set(name, value)
    _report(out, file, name, value, changed)


@config_command.command("unset", epilog="Example: memoranda config unset context_budget")
@click.argument("name")
@command_here
def config_unset(out: Output, data_dir: str | None, name: str) -> None:
    """Remove a setting from the configuration file; its default applies."""
    import tomllib

    from memoranda.config import NAMES

    _require_person(data_dir)
    file = _file(data_dir)
    if name not in NAMES and name not in tomllib.loads(file.read()):
        raise InvalidInput(_unknown(name))
    _report(out, file, name, None, file.unset(name))


def _require_person(data_dir: str | None) -> None:
    """Refuse changes of settings if the environment identifies an agent.

    If ``agent_id`` is set in the file instead, changes are allowed: a person may set it there, and
    can later change it and the rest of the file.

    Raises:
        Forbidden: the environment names an agent.
    """
    from memoranda.config import CONFIG_FILE, load_settings

    try:
        settings = load_settings({"data_dir": data_dir})
    except InvalidInput:  # the file may contain the invalid setting that this command removes
        return
    if settings.agent_id and settings.origins["agent_id"] != CONFIG_FILE:
        agent = settings.agent_id
        raise Forbidden(f"only a user may change settings, not the agent {agent!r}")


def _file(data_dir: str | None) -> ConfigFile:
    """Return the configuration file of the data directory, without reading it."""
    from memoranda.config import data_folder
    from memoranda.config_file import ConfigFile

    return ConfigFile(data_folder(data_dir, os.environ))


def _accepted(name: str, values: tuple[str, ...]) -> Any:
    """Return a validated setting in the format of the file.

    Raises:
        InvalidInput: there is no such setting, or the value is not acceptable.
    """
    from memoranda.config import NAMES, parse_setting

    if name not in NAMES:
        raise InvalidInput(_unknown(name))
    if name == "data_dir":
        raise InvalidInput(
            "data_dir cannot be set in the configuration file of that directory; use --data-dir or"
            " MEMORANDA_DATA_DIR"
        )
    text = "\n".join(stated(item).rstrip("\r\n") for item in values)
    try:
        value = parse_setting(name, text)
    except (TypeError, ValueError, OverflowError) as error:
        raise InvalidInput(f"{name}: {error}") from None
    if len(values) > 1 and not isinstance(value, tuple):
        raise InvalidInput(f"{name} takes one value; quote a value with spaces")
    return text if isinstance(value, dict) else value


def _unknown(name: str) -> str:
    from memoranda.config import NAMES

    near = get_close_matches(name.lower(), NAMES, n=1)
    hint = f"Did you mean {near[0]}?" if near else "`memoranda config show` lists the settings."
    return f"unknown setting {name}. {hint}"


def _report(out: Output, file: ConfigFile, name: str, value: Any, changed: bool) -> None:
    from memoranda.config import PREFIX, Settings

    variable = PREFIX + name.upper()
    shown = value  # shown without passwords and keys
    if value is not None:
        shown = Settings(file.path.parent, **{name: value}).shown(name)
    text = f"{name} = {_shown(shown)}" if value is not None else f"{name} is not set"
    lines = [f"{file.path}: {text}" if changed else f"{file.path}: {text}; nothing to change"]
    overridden = variable in os.environ
    if overridden:
        lines.append(f"note: {variable} is set in the environment and takes precedence")
    if name in BUDGETS:
        lines.append("note: a budget from `memoranda budget set` takes precedence")
    payload = {
        "file": str(file.path), "setting": name, "value": shown, "changed": changed,
        "overridden": overridden,
    }  # fmt: skip
    out.text(payload, "\n".join(lines))


def _shown(value: Any) -> Any:
    if isinstance(value, bool):
        return str(value).lower()  # in the format of `config set` and the file
    return "; ".join(value) if isinstance(value, tuple) else value
