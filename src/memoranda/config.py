"""Settings: the only place that reads the environment and the configuration file.

An argument goes before ``MEMORANDA_<NAME>`` in the environment, that before ``config.toml`` in
the data directory, that before the default. Only what differs from a default is ever written.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from pathlib import Path
from typing import Any

from memoranda.capture.default_exclusions import EXCLUDED_COMMANDS, EXCLUDED_PATHS
from memoranda.conversations.model import CompactionMode
from memoranda.exceptions import InvalidInput
from memoranda.scope import LOCAL_TEAM
from memoranda.search.model import FACTORS, Fusion

PREFIX = "MEMORANDA_"
_PASSWORD = re.compile(r"(//[^:/@\s]*:)\S*(@)|(password=)[^&\s]+")
_HIDDEN = r"\1\3***\2"
_WEB_ADDRESS = re.compile(r"https?://[^\s/?#@]+(?:/[^\s?#]*)?")
_ADDRESS = re.compile(r"[A-Za-z][A-Za-z0-9+.-]+:/")  # a drive of Windows has one letter
_VISIBLE = re.compile(r"[!-~]+")
CONFIG_FILE = "config.toml"
REDIS = ("redis://", "rediss://", "unix://")
EMBEDDERS = ("local", "none", "openai", "cohere", "compatible")
RERANKERS = ("none", "cohere", "compatible")
LANGUAGE_PROGRAMS = {"claude-cli": "claude", "codex-cli": "codex", "gemini-cli": "gemini"}
"""The providers that are coding agents of this machine, called with the login of their user."""
LANGUAGE_PROVIDERS = ("openai", "anthropic", "compatible", "ollama", *LANGUAGE_PROGRAMS)
TELEMETRY = ("none", "prometheus", "opentelemetry")
KEYS = {
    "embedding_key": "embedder",
    "reranker_key": "reranker",
    "language_api_key": "language_model",
    "token": "url",
}
"""Settings that are never shown, each with the setting it is a key for."""
KEYS_OF_PROVIDERS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "cohere": ("CO_API_KEY", "COHERE_API_KEY"),
}
"""Where programs of a provider look for its key, which serves when no other is given."""


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    data_dir: Path
    team: str = LOCAL_TEAM
    tokenizer: str = "cl100k_base"
    context_budget: int = 2_000
    """Default token budget of a context."""
    context_blocks: bool = True
    exclude_paths: tuple[str, ...] = EXCLUDED_PATHS
    exclude_commands: tuple[str, ...] = EXCLUDED_COMMANDS
    redact_patterns: tuple[str, ...] = ()
    """Additional secrets to redact, as RE2 patterns."""
    database_url: str = ""
    """PostgreSQL database in place of the file, as programs reach it."""
    read_url: str = ""
    """Streaming replica of the database to read from."""
    owner_url: str = ""
    """Same database as reached by its owner; only `memoranda db` uses it."""
    redis_url: str = ""
    """Redis or Valkey server for working memory and cached searches."""
    encryption_key_file: str = ""
    """File with the encryption key of the embedded store."""
    encryption_keyring: bool = False
    """Whether its key is in the operating system's keyring."""
    embedder: str = "local"
    """Embedder: this machine, none, or a provider that receives the texts."""
    embedding_model: str = ""
    """Model of the provider, when it is not the default."""
    embedding_url: str = ""
    """Address of the provider, when it is not the default."""
    embedding_key: str = field(default="", repr=False)
    """API key of the provider."""
    embedding_dimensions: int = 0
    """Dimensions of a vector to request; 0 for the model's default."""
    embedding_threads: int = 2
    """Threads for the model on this machine."""
    reranker: str = "none"
    """Reranker of the best search results: none, or a provider."""
    reranker_model: str = ""
    """Model of that provider, when it is not the default."""
    reranker_url: str = ""
    """Address of that provider, when it is not the default."""
    reranker_key: str = field(default="", repr=False)
    """API key of that provider."""
    language_model: str = ""
    """Language model: provider:model, claude-cli, codex-cli or gemini-cli."""
    language_base_url: str = ""
    """Address of that provider, when it is not the default."""
    language_api_key: str = field(default="", repr=False)
    """API key of that provider."""
    language_timeout_seconds: float = 60.0
    """Seconds to wait for an answer."""
    language_program: str = ""
    """Path of the claude-cli, codex-cli or gemini-cli program."""
    language_calls_a_day: int = 200
    """Maximum calls of such a program in a day (UTC) by a team; 0: none."""
    language_tokens_a_day: int = 5_000_000
    """Maximum tokens that those calls read and write together in a day."""
    language_prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Prices in dollars per million tokens in and out, by model."""
    compression_model: str = ""
    """Smaller model of the same provider for compression."""
    extraction_model: str = ""
    """Model of the same provider that extracts facts first."""
    monthly_budget_dollars: float = 1_000.0
    """Monthly cost limit of language models for a team, in dollars."""
    budget_alert_share: float = 0.75
    """Share of the budget that raises an alert when exceeded."""
    recall_weights: Mapping[str, float] = field(default_factory=lambda: FACTORS)
    """Weight of each factor in a score; those not named keep the default."""
    fusion: str = Fusion.CALIBRATED
    """Fusion of text and vector results: calibrated, or reciprocal ranks."""
    compaction_enabled: bool = True
    """Whether a conversation that is due is compacted."""
    compaction_mode: str = CompactionMode.SLIDING_WINDOW
    """Extent of a compaction: all but the newest messages, or the whole."""
    compaction_window_percentage: float = 0.3
    """Maximum share of the window of the newest messages, which are kept."""
    compaction_clip_chars: int = 2_000
    """Maximum characters of a message read for a summary."""
    compaction_trigger_threshold: float = 0.8
    """Share of the window above which a conversation is compacted."""
    context_window: int = 200_000
    """Context window of a conversation's reader, in tokens."""
    live_over_bytes: int = 6_000
    """Bytes above which live mode shortens the output of a tool."""
    compression_ratio: float = 0.0
    """Tokens of a stage for each token of its summary, 2 to 20; 0: adaptive."""
    checkpoint_at_stages: bool = False
    """Whether a checkpoint is taken at the end of a stage."""
    optimize_automatically: bool = False
    """Whether a nearly full profile is reduced as suggested, without a person."""
    telemetry: str = "none"
    """Targets of timings: none, Prometheus, OpenTelemetry, or both by commas."""
    slow_operation_milliseconds: int = 2_000
    """Milliseconds above which a server reports a slow operation; 0: never."""
    intervention_window: int = 20
    """Number of a task's last steps that decide on an intervention."""
    intervention_failing: float = 0.5
    """Share of failing steps above which to intervene."""
    intervention_repeats: int = 3
    """Repeats of the same unresolved error until an intervention."""
    intervention_severity: float = 5.0
    """Total severity of errors, each 0 to 1, above which to intervene."""
    issuer_keys_file: str = ""
    """Public keys (JWKS) of an external issuer of identity tokens."""
    issuer: str = ""
    """Issuer that its tokens name."""
    issuer_audience: str = "memoranda"
    """Audience that its tokens must name."""
    agent_id: str = ""
    """Agent that acts when a program or command names none; empty: a person."""
    agent_instance: str = ""
    """Identifier of one of several concurrent instances of that agent."""
    url: str = ""
    """Server to use instead of the local store, such as http://127.0.0.1:7077."""
    token: str = field(default="", repr=False)
    """Token that proves the caller's identity to a server."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Source of each setting's value."""

    @property
    def database_path(self) -> Path:
        """Path of the database file."""
        return self.data_dir / "memoranda.db"

    @property
    def spool_dir(self) -> Path:
        """Folder where hooks leave events."""
        return self.data_dir / "spool"

    @property
    def context_dir(self) -> Path:
        """Folder of contexts rendered in advance for session starts."""
        return self.data_dir / "context"

    @property
    def key_path(self) -> Path:
        """File of the key that turns secrets into fingerprints."""
        return self.data_dir / "key"

    def shown(self, name: str) -> Any:
        """Return a setting in printable form: no passwords in addresses, no keys."""
        value = getattr(self, name)
        if name in KEYS:
            return "***" if value else ""
        return _PASSWORD.sub(_HIDDEN, value) if name.endswith("_url") else value


NAMES = tuple(f.name for f in fields(Settings) if f.name != "origins")


def load_settings(
    arguments: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Load settings from arguments, environment, file and defaults.

    Raises:
        InvalidInput: something is unknown or unacceptable; every problem is named at once. The data
            directory is an address.
    """
    environ = os.environ if environ is None else environ
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    data_dir = data_folder(given.get("data_dir"), environ)
    layers = [
        ("argument", given),
        ("environment", _from_environment(environ)),
        (CONFIG_FILE, _from_file(data_dir / CONFIG_FILE)),
    ]
    values: dict[str, Any] = {}
    origins: dict[str, str] = dict.fromkeys(NAMES, "default")
    problems: list[str] = []
    for origin, layer in reversed(layers):
        for name, raw in layer.items():
            try:
                values[name] = parse_setting(name, raw)
                origins[name] = origin
            except (TypeError, ValueError, OverflowError) as error:
                problems.append(f"{origin}: {name}: {error}")
    if problems:
        raise InvalidInput("settings not acceptable: " + "; ".join(problems))
    for name, provider in KEYS.items():
        if not values.get(name) and (key := _key_of(values.get(provider, ""), environ)):
            values[name], origins[name] = key, "environment"
    return Settings(**(values | {"data_dir": data_dir, "origins": origins}))


def default_data_dir(environ: Mapping[str, str]) -> str:
    """Return where data goes on this platform. The hook computes the same without this module."""
    if chosen := environ.get("MEMORANDA_DATA_DIR"):
        return _home_filled_in(chosen)
    home = environ.get("HOME") or environ.get("USERPROFILE") or "."
    if sys.platform == "darwin":
        return f"{home}/Library/Application Support/memoranda"
    if sys.platform == "win32":
        return (environ.get("LOCALAPPDATA") or f"{home}/AppData/Local") + "/memoranda"
    return (environ.get("XDG_DATA_HOME") or f"{home}/.local/share") + "/memoranda"


def data_folder(chosen: str | Path | None, environ: Mapping[str, str]) -> Path:
    """Return the data directory, unless it is the address of a server or database."""
    path = _home_filled_in(chosen) if chosen else default_data_dir(environ)
    if not _ADDRESS.match(path):
        return Path(path)
    raise InvalidInput(
        f"the data directory must be a folder, not an address ({_PASSWORD.sub(_HIDDEN, path)}): "
        "name a server with --url or MEMORANDA_URL, a database with MEMORANDA_DATABASE_URL"
    )


def _home_filled_in(path: str | Path) -> str:
    # Like the hook: a "~" of nobody stays as it is, instead of being an error.
    return os.path.expanduser(path)  # noqa: PTH111


def _from_environment(environ: Mapping[str, str]) -> dict[str, str]:
    variables = {name: PREFIX + name.upper() for name in NAMES}
    return {name: environ[key] for name, key in variables.items() if key in environ}


def _key_of(provider: str, environ: Mapping[str, str]) -> str:
    """Return the API key of a provider from the environment, if there is one."""
    variables = KEYS_OF_PROVIDERS.get(provider.partition(":")[0], ())
    return next((key for name in variables if (key := environ.get(name, "").strip())), "")


def _from_file(path: Path) -> dict[str, Any]:
    if not path.is_file():
        return {}
    import tomllib

    try:
        return tomllib.loads(path.read_text("utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise InvalidInput(f"{path} is not valid TOML: {error}") from error


def parse_setting(name: str, raw: Any) -> Any:
    """Return the value of a setting from text or TOML; ValueError says what is wrong."""
    if name not in NAMES:
        raise ValueError("unknown setting; `memoranda config show` lists them")
    if name in _MAY_BE_EMPTY and raw == "":
        return raw
    read: Callable[[Any], Any] = _READERS.get(name, _text)
    return read(raw)


def _text(raw: Any) -> str:
    if not isinstance(raw, str) or not raw:
        raise ValueError("must be a text")
    return raw


def _lines(raw: Any) -> tuple[str, ...]:
    lines = raw.split("\n") if isinstance(raw, str) else map(str, raw)
    return tuple(line for line in lines if line)  # an empty pattern would fit everything


def _whole(lowest: int, highest: int, unit: str = "") -> Callable[[Any], int]:
    def read(raw: Any) -> int:
        number = int(raw)
        if isinstance(raw, bool) or not lowest <= number <= highest:
            raise ValueError(f"must lie between {lowest:,} and {highest:,}{unit}")
        return number

    return read


def _share(lowest: float, highest: float) -> Callable[[Any], float]:
    return _amount(lowest, highest, ", such as 0.3 for 30 %")


def _amount(lowest: float, highest: float, unit: str) -> Callable[[Any], float]:
    def read(raw: Any) -> float:
        number = float(raw)
        if isinstance(raw, bool) or not lowest <= number <= highest:
            raise ValueError(f"must lie between {lowest:g} and {highest:,g}{unit}")
        return number

    return read


def _ratio(raw: Any) -> float:
    ratio = float(raw)
    if isinstance(raw, bool) or not (ratio == 0 or 2 <= ratio <= 20):
        raise ValueError("must lie between 2 and 20 tokens for one, or be 0 to adapt")
    return ratio


def _switch(raw: Any) -> bool:
    said = str(raw).lower()
    if said not in ("true", "1", "false", "0", ""):
        raise ValueError("must be true or false")
    return said in ("true", "1")


def _absolute(raw: Any) -> str:
    path = _home_filled_in(raw)
    if not Path(path).is_absolute():
        raise ValueError("must be an absolute path, the same for every program")
    return path


def _redis_address(raw: Any) -> str:
    if not _text(raw).startswith(REDIS):
        raise ValueError(f"must begin with one of {', '.join(REDIS)}")
    return str(raw)


def _web_address(raw: Any) -> str:
    if not _WEB_ADDRESS.fullmatch(_text(raw)):
        raise ValueError("must look like https://models.example/v1")
    return str(raw)


def _server_address(raw: Any) -> str:
    if not (_WEB_ADDRESS.fullmatch(_text(raw)) or str(raw).startswith("unix:/")):
        raise ValueError("must look like https://memory.example or unix:/run/memoranda.sock")
    return str(raw)


def _one_of(names: tuple[str, ...]) -> Callable[[Any], str]:
    def read(raw: Any) -> str:
        if raw not in names:
            raise ValueError(f"must be one of {', '.join(names)}")
        return str(raw)

    return read


def _weights(raw: Any) -> dict[str, float]:
    """Parse "recency=0.3, stage=0", or a table."""
    pairs = raw.items() if isinstance(raw, Mapping) else map(_pair, _text(raw).split(","))
    given = {str(name): float(weight) for name, weight in pairs}
    if unknown := given.keys() - FACTORS.keys():
        raise ValueError(f"no factor {', '.join(sorted(unknown))}; there are {', '.join(FACTORS)}")
    weights = {**FACTORS, **given}
    if not all(0 <= weight <= 1 for weight in weights.values()) or not weights["similarity"]:
        raise ValueError("must lie between 0 and 1, that of similarity above 0")
    return weights


def _pair(text: str) -> tuple[str, str]:
    name, equals, weight = text.partition("=")
    if not equals:
        raise ValueError("must look like recency=0.3, stage=0.1")
    return name.strip(), weight


def _model(raw: Any) -> str:
    provider, _, model = _text(raw).partition(":")
    named = _VISIBLE.fullmatch(model) or raw in LANGUAGE_PROGRAMS
    if provider not in LANGUAGE_PROVIDERS or not named:
        known, alone = ", ".join(LANGUAGE_PROVIDERS), ", ".join(LANGUAGE_PROGRAMS)
        raise ValueError(
            f"must look like openai:gpt-5-mini, with one of {known} before the colon; "
            f"{alone} need no model"
        )
    return str(raw)


def _prices(raw: Any) -> dict[str, tuple[float, float]]:
    """Parse "small=0.15/0.6, large=2/8", or a table."""
    if not isinstance(raw, Mapping):
        raw = dict(part.rpartition("=")[::2] for part in _text(raw).split(","))
    return {str(model).strip(): _price(str(told)) for model, told in raw.items()}


def _price(text: str) -> tuple[float, float]:
    taken, slash, given = text.partition("/")
    price = (float(taken), float(given)) if slash else (-1.0, -1.0)
    if not all(0 <= dollars <= 1_000_000 for dollars in price):
        raise ValueError("must look like small=0.15/0.6: dollars for a million tokens in/out")
    return price


def _telemetry(raw: Any) -> str:
    names = list(dict.fromkeys(name.strip() for name in _text(raw).split(",")))
    if not set(names) <= set(TELEMETRY) or ("none" in names and len(names) > 1):
        raise ValueError("must be none, prometheus, opentelemetry, or both with a comma")
    return ",".join(names)


def _secret(raw: Any) -> str:
    if not _VISIBLE.fullmatch(_text(raw)):
        raise ValueError("must be a text of visible ASCII characters")
    return str(raw)


_READERS: dict[str, Callable[[Any], Any]] = {
    "data_dir": Path,
    "context_budget": _whole(100, 1_000_000, " tokens"),
    "context_blocks": _switch,
    "exclude_paths": _lines,
    "exclude_commands": _lines,
    "redact_patterns": _lines,
    "redis_url": _redis_address,
    "encryption_key_file": _absolute,
    "encryption_keyring": _switch,
    "issuer_keys_file": _absolute,
    "embedder": _one_of(EMBEDDERS),
    "embedding_url": _web_address,
    "embedding_key": _secret,
    "embedding_dimensions": _whole(0, 16_000),
    "embedding_threads": _whole(1, 64),
    "recall_weights": _weights,
    "fusion": _one_of(tuple(Fusion)),
    "compaction_enabled": _switch,
    "compression_ratio": _ratio,
    "checkpoint_at_stages": _switch,
    "optimize_automatically": _switch,
    "compaction_mode": _one_of(tuple(CompactionMode)),
    "compaction_window_percentage": _share(0, 0.7),
    "compaction_clip_chars": _whole(100, 1_000_000, " characters"),
    "compaction_trigger_threshold": _share(0.3, 1),
    "context_window": _whole(1_000, 100_000_000, " tokens"),
    "live_over_bytes": _whole(2_000, 1_000_000, " bytes"),
    "reranker": _one_of(RERANKERS),
    "reranker_url": _web_address,
    "reranker_key": _secret,
    "telemetry": _telemetry,
    "slow_operation_milliseconds": _whole(0, 86_400_000, " milliseconds"),
    "language_model": _model,
    "language_base_url": _web_address,
    "language_api_key": _secret,
    "language_timeout_seconds": _amount(1, 600, " seconds"),
    "language_program": _absolute,
    "language_calls_a_day": _whole(0, 1_000_000, " calls"),
    "language_tokens_a_day": _whole(0, 1_000_000_000_000, " tokens"),
    "language_prices": _prices,
    "monthly_budget_dollars": _amount(0, 1_000_000_000, " dollars"),
    "budget_alert_share": _share(0.01, 1),
    "intervention_window": _whole(2, 1_000, " steps"),
    "intervention_failing": _share(0.01, 1),
    "intervention_repeats": _whole(2, 1_000),
    "url": _server_address,
    "token": _secret,
    "intervention_severity": _amount(0.1, 1_000, " together"),
}
"""Parsers of settings; the others are texts."""

_MAY_BE_EMPTY = frozenset(
    {name for name in NAMES if name.endswith(("_url", "_file"))}
    | {"embedding_model", "reranker_model", "agent_id", "agent_instance", "issuer", *KEYS}
    | {"language_model", "language_program", "compression_model", "extraction_model", "url"}
)
