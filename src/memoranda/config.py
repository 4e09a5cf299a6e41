"""Settings: the only reader of the environment and configuration file.

The order of precedence is: arguments, ``MEMORANDA_<NAME>`` in the environment, ``config.toml`` in
the data directory, defaults. Only values that differ from a default are written. Alternative names
from the designs (`setting_aliases`) are accepted as well, with lower precedence within the same
source. A variable without the prefix may belong to another program, so invalid ones are ignored and
listed.
"""

from __future__ import annotations

import os
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any, TypeAlias

from memoranda import hook_event
from memoranda.exceptions import InvalidInput, StorageUnusable
from memoranda.setting_aliases import (
    SECTION,
    from_section,
    from_variables,
    may_be_of_others,
    provider_of,
)
from memoranda.setting_parsers import LANGUAGE_PROGRAMS, with_home
from memoranda.settings import HIDDEN, KEYS, NAMES, PASSWORD, Settings, parse_setting

SCHEMES = ("http://", "https://", "unix:")
"""Prefixes of server addresses."""

__all__ = [
    "CONFIG_FILE",
    "KEYS",
    "LANGUAGE_PROGRAMS",
    "NAMES",
    "PREFIX",
    "Settings",
    "data_folder",
    "is_address",
    "load_settings",
    "parse_setting",
]  # fmt: skip

PREFIX = "MEMORANDA_"
DATA_DIR = "MEMORANDA_DATA_DIR"
CONFIG_FILE = "config.toml"
SWITCHES = frozenset(PREFIX + name for name in ("DISABLED", "DEBUG", "PLUGIN"))
"""Variables that the hook reads, but that are not settings."""
LIKE = 0.85
"""Minimum similarity of an unknown variable name to the name that is suggested instead."""
ENVIRONMENT = "environment "
"""Prefix of the origin of a value that comes from a variable with an alternative name."""
# two letters or more, because a Windows drive has one letter
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")
_Layer: TypeAlias = Iterator[tuple[str, str, Any, str]]
"""Tuples of origin, setting, value and reason for rejection (empty if accepted)."""
KEYS_OF_PROVIDERS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "cohere": ("CO_API_KEY", "COHERE_API_KEY"),
}
"""Environment variables in which a provider's own programs look for its key.

These variables are used if no other key is set.
"""


def load_settings(
    arguments: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Load settings from arguments, environment, file and defaults.

    Raises:
        InvalidInput: a setting with the prefix is unknown or invalid, or the data directory is a
            URL; all problems are reported together.
        StorageUnusable: the file cannot be read.
    """
    environ = os.environ if environ is None else environ
    arguments = {name: value for name, value in (arguments or {}).items() if value is not None}
    data_dir = data_folder(arguments.get("data_dir"), environ)
    layers = _layers(arguments, environ, _from_file(data_dir / CONFIG_FILE))
    values, origins, problems = _read(layers)
    if ours := [f"{origin}: {problem}" for origin, problem in problems if not _foreign(origin)]:
        raise InvalidInput("invalid settings: " + "; ".join(ours))
    ignored = {origin.removeprefix(ENVIRONMENT): problem for origin, problem in problems}
    ignored |= _unknown_variables(environ)
    if implied := provider_of(values):
        values["language_model"], origins["language_model"] = implied, "the name of its model"
    for name, provider in KEYS.items():
        if not values.get(name) and (key := _key_of(values.get(provider, ""), environ)):
            values[name], origins[name] = key, "environment"
    return Settings(**(values | {"data_dir": data_dir, "origins": origins, "ignored": ignored}))


def data_folder(chosen: str | Path | None, environ: Mapping[str, str]) -> Path:
    """Return the absolute path of the data directory; refuse a URL.

    A path in an argument may be relative to the current folder. A path in the environment variable
    must be absolute, because hooks run in the folder of each session.
    """
    named = chosen or environ.get(DATA_DIR)
    path = with_home(named) if named else hook_event.data_dir(environ)
    if _ADDRESS.match(path):
        raise InvalidInput(
            f"the data directory must be a folder, not a URL ({PASSWORD.sub(HIDDEN, path)}): "
            "set a server with --url or MEMORANDA_URL, a database with MEMORANDA_DATABASE_URL"
        )
    if not chosen and not os.path.isabs(path):  # noqa: PTH117 - as in the hook
        raise InvalidInput(
            f"{DATA_DIR} must be an absolute path, because hooks run in many folders: {path}"
        )
    return Path(path).absolute()


def _layers(
    arguments: Mapping[str, Any], environ: Mapping[str, str], file: Mapping[str, Any]
) -> _Layer:
    """Yield the values of all sources, in order of increasing precedence."""
    plain = {name: raw for name, raw in file.items() if name != SECTION}
    variables = {name: environ[PREFIX + name.upper()] for name in NAMES
                 if PREFIX + name.upper() in environ}  # fmt: skip
    on_server = any("database_url" in layer for layer in (arguments, variables, plain))
    for key, name, raw, objection in from_section(file.get(SECTION, {}), on_server=on_server):
        yield f"{CONFIG_FILE} [{SECTION}] {key}".rstrip(), name, raw, objection
    yield from _named(CONFIG_FILE, plain)
    for variable, name, raw, objection in from_variables(environ, PREFIX):
        yield ENVIRONMENT + variable, name, raw, objection
    yield from _named("environment", variables)
    yield from _named("argument", arguments)


def _read(layers: _Layer) -> tuple[dict[str, Any], dict[str, str], list[tuple[str, str]]]:
    """Return the values, the origin of each value, and the problems by origin."""
    values: dict[str, Any] = {}
    origins: dict[str, str] = dict.fromkeys(NAMES, "default")
    problems: list[tuple[str, str]] = []
    for origin, name, raw, objection in layers:
        try:
            if objection:
                raise ValueError(objection)
            if name:
                values[name], origins[name] = parse_setting(name, raw), origin
        except (TypeError, ValueError, OverflowError) as error:
            problems.append((origin, f"{name}: {error}" if name else str(error)))
    return values, origins, problems


def _unknown_variables(environ: Mapping[str, str]) -> dict[str, str]:
    """Return unused variables with Memoranda's prefix, each with the reason."""
    names = {PREFIX + name.upper() for name in NAMES}
    found = [name for name in environ if name.startswith(PREFIX) and name not in names]
    unknown = [name for name in found if name not in SWITCHES and not _of_design(name)]
    if not unknown:
        return {}
    from difflib import get_close_matches

    near = {name: get_close_matches(name, names, 1, LIKE) for name in unknown}
    meant = {name: f"; did you mean {found[0]}?" if found else "" for name, found in near.items()}
    return {name: f"there is no such setting{meant[name]}" for name in sorted(unknown)}


def _of_design(variable: str) -> bool:
    return may_be_of_others(variable.removeprefix(PREFIX))


def _foreign(origin: str) -> bool:
    return may_be_of_others(origin.removeprefix(ENVIRONMENT))


def _named(origin: str, layer: Mapping[str, Any]) -> _Layer:
    return ((origin, name, raw, "") for name, raw in layer.items())


def _key_of(provider: str, environ: Mapping[str, str]) -> str:
    """Return a provider's API key from the environment, if there is one."""
    variables = KEYS_OF_PROVIDERS.get(provider.partition(":")[0], ())
    return next((key for name in variables if (key := environ.get(name, "").strip())), "")


def _from_file(path: Path) -> dict[str, Any]:
    try:
        data = path.read_bytes() if path.is_file() else b""
    except OSError as error:
        raise StorageUnusable(f"cannot read {path}: {error.strerror}") from error
    if not data:
        return {}
    import tomllib

    try:
        return tomllib.loads(data.decode("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from error


def is_address(place: object) -> bool:
    """Return whether a text is a server address and not a folder."""
    return isinstance(place, str) and place.lower().startswith(SCHEMES)
