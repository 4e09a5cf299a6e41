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

from memoranda.capture.exclusions import EXCLUDED_COMMANDS, EXCLUDED_PATHS
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
"""The settings that are never shown, each with the one that names whom it is for."""
KEYS_OF_PROVIDERS = {
    "openai": ("OPENAI_API_KEY",),
    "anthropic": ("ANTHROPIC_API_KEY",),
    "cohere": ("CO_API_KEY", "COHERE_API_KEY"),
}
"""Where programs of a provider look for its key, which serves when no other is given."""


@dataclass(frozen=True, slots=True)
class Settings:
    """Everything that can be set."""

    data_dir: Path
    team: str = LOCAL_TEAM
    tokenizer: str = "cl100k_base"
    context_budget: int = 2_000
    """Tokens of a context when none are asked for."""
    context_blocks: bool = True
    exclude_paths: tuple[str, ...] = EXCLUDED_PATHS
    exclude_commands: tuple[str, ...] = EXCLUDED_COMMANDS
    redact_patterns: tuple[str, ...] = ()
    """Further secrets to take out, as RE2 patterns."""
    database_url: str = ""
    """A PostgreSQL database in place of the file, as programs reach it."""
    read_url: str = ""
    """A streaming replica of it to read from."""
    owner_url: str = ""
    """The same database as its owner reaches it; only `memoranda db` uses it."""
    redis_url: str = ""
    """A Redis or Valkey server for working memory and cached searches, beside the store."""
    encryption_key_file: str = ""
    """The file with the key that the embedded store is encrypted with."""
    encryption_keyring: bool = False
    """Whether it is encrypted with a key in the operating system's keyring."""
    embedder: str = "local"
    """What turns texts into vectors: this machine, nothing, or a provider that is sent them."""
    embedding_model: str = ""
    """The model of a provider, when it is not the usual one."""
    embedding_url: str = ""
    """Where a provider is reached, when it is not the usual place."""
    embedding_key: str = field(default="", repr=False)
    """The key for a provider."""
    embedding_dimensions: int = 0
    """Numbers of a vector to ask a provider for; 0 for what the model gives."""
    embedding_threads: int = 2
    """Threads for the model on this machine."""
    reranker: str = "none"
    """What puts the best results of a search in order again: nothing, or a provider."""
    reranker_model: str = ""
    """The model of that provider, when it is not the usual one."""
    reranker_url: str = ""
    """Where that provider is reached, when it is not the usual place."""
    reranker_key: str = field(default="", repr=False)
    """The key for that provider."""
    language_model: str = ""
    """What puts things into words, as provider:model or claude-cli, codex-cli, gemini-cli."""
    language_base_url: str = ""
    """Where that provider is reached, when it is not the usual place."""
    language_api_key: str = field(default="", repr=False)
    """The key for that provider."""
    language_timeout_seconds: float = 60.0
    """How long an answer is waited for."""
    language_program: str = ""
    """Where the program of claude-cli, codex-cli or gemini-cli is, when it is not on PATH."""
    language_calls_a_day: int = 200
    """How often such a program is called in a day (UTC) by a team; 0: never."""
    language_tokens_a_day: int = 5_000_000
    """What those calls may read and write in a day together."""
    language_prices: Mapping[str, tuple[float, float]] = field(default_factory=dict)
    """Dollars for a million tokens in and out, by model, where the list of prices is not right."""
    compression_model: str = ""
    """A smaller model of the same provider for compression."""
    extraction_model: str = ""
    """A model of the same provider that looks for facts beforehand."""
    monthly_budget_dollars: float = 1_000.0
    """What language models may cost a team in a month; nothing is asked of them beyond it."""
    budget_alert_share: float = 0.75
    """The share of it that is told when it is passed."""
    recall_weights: Mapping[str, float] = field(default_factory=lambda: FACTORS)
    """How much of a score each factor makes out; those not named keep their usual weight."""
    fusion: str = Fusion.CALIBRATED
    """How what words and what meaning find become one order: calibrated, or reciprocal ranks."""
    compaction_enabled: bool = True
    """Whether a conversation that is due is compacted."""
    compaction_mode: str = CompactionMode.SLIDING_WINDOW
    """What is put into fewer words: all but the newest messages, or the whole."""
    compaction_window_percentage: float = 0.3
    """What the newest messages may take of the window; they stay as they are."""
    compaction_clip_chars: int = 2_000
    """How much of a message is read for a summary."""
    compaction_trigger_threshold: float = 0.8
    """What a conversation may take of the window before it is due."""
    context_window: int = 200_000
    """Tokens that the reader of a conversation can take."""
    live_over_bytes: int = 6_000
    """In live mode, outputs of tools with more bytes than this are shown in their short form."""
    compression_ratio: float = 0.0
    """Tokens of a stage for each token of its summary, 2 to 20; 0: as it adapts to the stage."""
    checkpoint_at_stages: bool = False
    """Whether a checkpoint is taken where a stage ends."""
    optimize_automatically: bool = False
    """Whether a crowded profile is made smaller as suggested, without asking a person."""
    telemetry: str = "none"
    """Who learns how long operations take: nobody, Prometheus, OpenTelemetry, or both by commas."""
    slow_operation_milliseconds: int = 2_000
    """What an operation may take at a server before it is told as slow; 0: none is."""
    intervention_window: int = 20
    """How many of a task's last steps say whether a supervisor should look at it."""
    intervention_failing: float = 0.5
    """The share of them that fails from which on one should."""
    intervention_repeats: int = 3
    """How often the same error comes, and nothing ends it, until one should."""
    intervention_severity: float = 5.0
    """How bad their errors are together, each 0 to 1, from which on one should."""
    issuer_keys_file: str = ""
    """The public keys (JWKS) of an outside issuer of tokens who may say who somebody is."""
    issuer: str = ""
    """What its tokens name as their issuer."""
    issuer_audience: str = "memoranda"
    """Whom its tokens must be meant for."""
    agent_id: str = ""
    """The agent that acts when a program or command names none; nobody means a person."""
    agent_instance: str = ""
    """Tells several instances of that agent apart that run at once."""
    url: str = ""
    """The server that commands ask in place of the store on this machine, such as
    http://127.0.0.1:7077."""
    token: str = field(default="", repr=False)
    """What proves to a server who asks."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """For each setting, where its value came from."""

    @property
    def database_path(self) -> Path:
        """The database file."""
        return self.data_dir / "memoranda.db"

    @property
    def spool_dir(self) -> Path:
        """Where hooks leave events."""
        return self.data_dir / "spool"

    @property
    def context_dir(self) -> Path:
        """Contexts rendered beforehand for session starts."""
        return self.data_dir / "context"

    @property
    def key_path(self) -> Path:
        """The key that turns secrets into fingerprints."""
        return self.data_dir / "key"

    def shown(self, name: str) -> Any:
        """Return a setting as it may be printed: addresses without their password, no key."""
        value = getattr(self, name)
        if name in KEYS:
            return "***" if value else ""
        return _PASSWORD.sub(_HIDDEN, value) if name.endswith("_url") else value


NAMES = tuple(f.name for f in fields(Settings) if f.name != "origins")


def load_settings(
    arguments: Mapping[str, Any] | None = None, environ: Mapping[str, str] | None = None
) -> Settings:
    """Gather settings from arguments, environment, file and defaults.

    Raises:
        InvalidInput: something is unknown or unacceptable; every problem is named at once. The
            data directory is an address.
    """
    environ = os.environ if environ is None else environ
    given = {name: value for name, value in (arguments or {}).items() if value is not None}
    chosen = given.get("data_dir")
    data_dir = Path(_folder(_home_filled_in(chosen) if chosen else default_data_dir(environ)))
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
                values[name] = _typed(name, raw)
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


def _folder(path: str) -> str:
    """Return the path of a folder, unless it is the address of a server or of a database."""
    if not _ADDRESS.match(path):
        return path
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
    """Return the key that the environment has for a provider, if it has one."""
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


def _typed(name: str, raw: Any) -> Any:
    """Return the value of a setting, which comes as a text or as TOML gives it."""
    if name not in NAMES:
        raise ValueError("no such setting; `memoranda config show` lists them")
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
    """Read "recency=0.3, stage=0", or a table."""
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
            f"{alone} may stand alone"
        )
    return str(raw)


def _prices(raw: Any) -> dict[str, tuple[float, float]]:
    """Read "small=0.15/0.6, large=2/8", or a table."""
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
"""How each setting is read; the others are texts."""

_MAY_BE_EMPTY = frozenset(
    {name for name in NAMES if name.endswith(("_url", "_file"))}
    | {"embedding_model", "reranker_model", "agent_id", "agent_instance", "issuer", *KEYS}
    | {"language_model", "language_program", "compression_model", "extraction_model", "url"}
)
