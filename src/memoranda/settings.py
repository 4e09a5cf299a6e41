"""Settings, each declared once with its default and its parser."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, fields
from enum import StrEnum
from pathlib import Path
from typing import Any

from memoranda import setting_parsers as forms
from memoranda.scope import LOCAL_TEAM
from memoranda.search.model import FACTORS, Fusion

EXCLUDED_PATHS = (
    "**/.env",
    "**/.env.*",
    "**/*.pem",
    "**/*.p12",
    "**/*.pfx",
    "**/*.keystore",
    "**/id_rsa*",
    "**/id_ed25519*",
    "**/id_ecdsa*",
    "**/.ssh/**",
    "**/.gnupg/**",
    "**/.aws/credentials",
    "**/.netrc",
    "**/.pgpass",
    "**/.npmrc",
    "**/.pypirc",
    "**/.docker/config.json",
    "**/.kube/config",
)
"""Files whose content is never captured.

The event remains as an empty marker.
"""

EXCLUDED_COMMANDS = (r"^\s*(?:op|bw|pass|gopass|lpass|vault|security)\s", r"\bsecret-tool\b")
"""Commands (RE2 patterns) whose output is never captured: password managers."""


PASSWORD = re.compile(r"(//[^:/@\s]*:)\S*(@)|(password=)[^&\s]+")
HIDDEN = r"\1\3***\2"
EMBEDDERS = ("local", "multilingual", "none", "openai", "cohere", "compatible")
RERANKERS = ("none", "cohere", "compatible")
KEYS = {
    "embedding_key": "embedder",
    "reranker_key": "reranker",
    "language_api_key": "language_model",
    "token": "url",
}
"""Settings that are never shown, each with the setting for which it is the key."""


class CompactionMode(StrEnum):
    """Which messages a compaction summarises."""

    SLIDING_WINDOW = "sliding_window"
    """All messages except the newest ones."""
    WHOLE = "whole"
    """All messages."""


def setting(
    default: Any,
    form: Callable[[Any], Any] = forms.text,
    *,
    may_be_empty: bool = False,
    secret: bool = False,
) -> Any:
    """Declare a setting: its default, and the parser of its values."""
    form = forms.or_empty(form) if may_be_empty else form
    metadata = {"form": form}
    if isinstance(default, Mapping):
        return field(default_factory=lambda: default, metadata=metadata)
    return field(default=default, metadata=metadata, repr=not secret)


@dataclass(frozen=True, slots=True)
class Settings:
    """All settings."""

    data_dir: Path
    """Data directory: the store or, if the store is on a server, the spool and the settings."""
    team: str = setting(LOCAL_TEAM)
    """Team whose data is used."""
    tokenizer: str = setting("cl100k_base")
    """Tokenizer used to count tokens: the name of a tiktoken encoding."""
    context_budget: int = setting(2_000, forms.integer(100, 1_000_000, " tokens"))
    """Default token budget of a context."""
    context_blocks: bool = setting(True, forms.switch)
    """Whether contexts include the blocks."""
    default_block_limit: int = setting(5_000, forms.integer(1, 100_000, " characters"))
    """Default limit of a new block, in characters."""
    working_memory_ttl: int = setting(3_600, forms.integer(1, 30 * 86_400, " seconds"))
    """Default lifetime of an entry of working memory, in seconds."""
    episodic_memory_capacity: int = setting(0, forms.integer(0, 1_000_000, " memories"))
    """Maximum number of episodic memories of a workspace; 0: no limit. The least useful are
    archived.
    """
    semantic_memory_capacity: int = setting(0, forms.integer(0, 1_000_000, " memories"))
    """Maximum number of semantic memories of a workspace; 0: no limit. The least useful are
    archived.
    """
    exclude_paths: tuple[str, ...] = setting(EXCLUDED_PATHS, forms.lines)
    """Files whose content is never stored, as patterns."""
    exclude_commands: tuple[str, ...] = setting(EXCLUDED_COMMANDS, forms.lines)
    """Commands whose output is never stored, as RE2 patterns."""
    redact_patterns: tuple[str, ...] = setting((), forms.lines)
    """Additional secrets to redact, as RE2 patterns."""
    database_url: str = setting("", may_be_empty=True)
    """URL of a PostgreSQL database that is used instead of the database file."""
    read_url: str = setting("", may_be_empty=True)
    """URL of a streaming replica of the database to read from."""
    owner_url: str = setting("", may_be_empty=True)
    """URL with which the owner connects to the database; only `memoranda db` uses it."""
    redis_url: str = setting("", forms.redis_address, may_be_empty=True)
    """URL of a Redis or Valkey server for working memory."""
    encryption_key_file: str = setting("", forms.absolute, may_be_empty=True)
    """File that contains the encryption key of the embedded store."""
    encryption_keyring: bool = setting(False, forms.switch)
    """Whether the encryption key is stored in the operating system's keyring."""
    embedder: str = setting("local", forms.one_of(EMBEDDERS))
    """Embedder: on this machine, none, or a provider that receives the texts."""
    embedding_model: str = setting("", may_be_empty=True)
    """Embedding model of the provider, if not the default model."""
    embedding_url: str = setting("", forms.web_address, may_be_empty=True)
    """URL of the embedding provider, if not the default URL."""
    embedding_key: str = setting("", forms.secret, may_be_empty=True, secret=True)
    """API key of the embedding provider."""
    embedding_dimensions: int = setting(0, forms.integer(0, 16_000))
    """Number of dimensions to request for vectors; 0 for the model's default."""
    embedding_threads: int = setting(2, forms.integer(1, 64))
    """Number of threads for the embedding model on this machine."""
    reranker: str = setting("none", forms.one_of(RERANKERS))
    """Reranker of the best search results: none, or a provider."""
    reranker_model: str = setting("", may_be_empty=True)
    """Reranking model of the provider, if not the default model."""
    reranker_url: str = setting("", forms.web_address, may_be_empty=True)
    """URL of the provider, if not the default URL."""
    reranker_key: str = setting("", forms.secret, may_be_empty=True, secret=True)
    """API key of the provider."""
    language_model: str = setting("", forms.language_model, may_be_empty=True)
    """Language model: provider:model, claude-cli, codex-cli or gemini-cli."""
    language_base_url: str = setting("", forms.web_address, may_be_empty=True)
    """URL of the provider, if not the default URL."""
    language_api_key: str = setting("", forms.secret, may_be_empty=True, secret=True)
    """API key of the provider."""
    language_timeout_seconds: float = setting(60.0, forms.amount(1, 600, " seconds"))
    """Seconds to wait for an answer of the language model."""
    language_program: str = setting("", forms.absolute, may_be_empty=True)
    """Path of the claude-cli, codex-cli or gemini-cli program, if it is not on PATH."""
    language_calls_a_day: int = setting(200, forms.integer(0, 1_000_000, " calls"))
    """Maximum number of calls of agent programs by a team per day (UTC); 0: none."""
    language_tokens_a_day: int = setting(5_000_000, forms.integer(0, 1_000_000_000_000, " tokens"))
    """Maximum number of tokens that calls of agent programs read and write per day."""
    language_prices: Mapping[str, tuple[float, float]] = setting({}, forms.prices)
    """Dollars per million input and output tokens, by model; replaces the built-in price list."""
    compression_model: str = setting("", forms.model, may_be_empty=True)
    """Smaller model of the same provider for compression."""
    extraction_model: str = setting("", forms.model, may_be_empty=True)
    """Model of the same provider that extracts facts before compression."""
    monthly_budget_dollars: float = setting(1_000.0, forms.amount(0, 1_000_000_000, " dollars"))
    """Monthly cost limit of language models for a team, in dollars."""
    budget_alert_share: float = setting(0.75, forms.share(0.01, 1))
    """Share of the budget above which an alert is raised."""
    recall_weights: Mapping[str, float] = setting(FACTORS, forms.weights)
    """Weight of each factor in a score; factors that are not named keep their default."""
    criticality_multiplier: float = setting(2.0, forms.amount(1, 10, " times its weight"))
    """Factor by which the weight of a critical memory is multiplied in its part of a score."""
    fusion: str = setting(Fusion.CALIBRATED, forms.one_of(tuple(Fusion)))
    """Fusion of text and vector results: calibrated, or reciprocal ranks."""
    compaction_enabled: bool = setting(True, forms.switch)
    """Whether conversations are compacted when compaction is due."""
    compaction_mode: str = setting(
        CompactionMode.SLIDING_WINDOW, forms.one_of(tuple(CompactionMode))
    )
    """Which messages a compaction summarises: all but the newest, or all."""
    compaction_window_percentage: float = setting(0.3, forms.share(0, 0.7))
    """Maximum share of the context window for the newest messages, which are kept."""
    compaction_clip_chars: int = setting(2_000, forms.integer(100, 1_000_000, " characters"))
    """Maximum number of characters of a message that are read for a summary."""
    compaction_model: str = setting("", forms.model, may_be_empty=True)
    """Model of the same provider that summarises conversations; if empty, rules are used."""
    compaction_trigger_threshold: float = setting(0.8, forms.share(0.3, 1))
    """Share of the context window above which a conversation is compacted."""
    context_window: int = setting(200_000, forms.integer(1_000, 100_000_000, " tokens"))
    """Context window of a conversation's reader, in tokens."""
    live_over_bytes: int = setting(6_000, forms.integer(2_000, 1_000_000, " bytes"))
    """Number of bytes above which live mode shortens the output of a tool."""
    compression_ratio: float = setting(0.0, forms.ratio)
    """Number of tokens of a stage per token of its summary, 2 to 20; 0: adaptive."""
    task_compression_ratio: float = setting(5.0, forms.amount(1, 20, " tokens for one"))
    """Number of tokens of the stage summaries per token of the task's summary."""
    compression_quality_threshold: float = setting(0.95, forms.share(0, 1))
    """Share of critical facts in a summary below which a quality alert is raised."""
    stage_detection: bool = setting(True, forms.switch)
    """Whether stages are detected automatically; if false, only stages that were set or marked
    count.
    """
    stage_auto_transition: bool = setting(True, forms.switch)
    """Whether a detected change of stage takes effect; if false, it is only suggested."""
    stage_auto_compression: bool = setting(True, forms.switch)
    """Whether stages are summarised automatically; if false, only on request."""
    checkpoint_at_stages: bool = setting(False, forms.switch)
    """Whether a checkpoint is created at the end of a stage."""
    optimize_automatically: bool = setting(False, forms.switch)
    """Whether suggestions for a nearly full profile are applied automatically."""
    telemetry: str = setting("none", forms.telemetry)
    """Telemetry targets: none, prometheus, opentelemetry, or both, separated by a comma."""
    slow_operation_milliseconds: int = setting(2_000, forms.integer(0, 86_400_000, " milliseconds"))
    """Number of milliseconds above which a server reports a slow operation; 0: never."""
    intervention_window: int = setting(20, forms.integer(2, 1_000, " steps"))
    """Number of a task's last steps that are checked to decide on an intervention."""
    intervention_failing: float = setting(0.5, forms.share(0.01, 1))
    """Share of failing steps at which an intervention is raised."""
    intervention_repeats: int = setting(3, forms.integer(2, 1_000))
    """Number of repeats of the same unresolved error at which an intervention is raised."""
    intervention_severity: float = setting(5.0, forms.amount(0.1, 1_000, " together"))
    """Total severity of errors, each from 0 to 1, at which an intervention is raised."""
    error_severity_threshold: float = setting(0.0, forms.share(0, 1))
    """Severity at which a single error is a reason for an intervention; 0: only the total severity
    counts.
    """
    error_pattern_detection: bool = setting(True, forms.switch)
    """Whether recurring errors are grouped into patterns; if false, there are no patterns."""
    error_lookback_stages: int = setting(0, forms.integer(0, 1_000, " stages"))
    """Number of a task's last stages whose open errors affect ranking; 0: all stages."""
    issuer_keys_file: str = setting("", forms.absolute, may_be_empty=True)
    """File with the public keys (JWKS) of an external issuer of identity tokens."""
    issuer: str = setting("", may_be_empty=True)
    """Value of the claim `iss` in tokens of the external issuer."""
    issuer_audience: str = setting("memoranda")
    """Required value of the claim `aud` in tokens of the external issuer."""
    agent_id: str = setting("", forms.short(200), may_be_empty=True)
    """Agent that acts if a program or command specifies none; empty: a person."""
    agent_instance: str = setting("", forms.short(200), may_be_empty=True)
    """Identifier of an instance, if several instances of the agent run."""
    url: str = setting("", forms.server_address, may_be_empty=True)
    """URL of a server to use instead of the local store, such as http://127.0.0.1:7077."""
    token: str = setting("", forms.secret, may_be_empty=True, secret=True)
    """Token that proves the caller's identity to a server."""
    origins: Mapping[str, str] = field(default_factory=dict)
    """Source of each setting's value."""
    ignored: Mapping[str, str] = field(default_factory=dict)
    """Ignored variables without Memoranda's prefix, each with the reason."""

    @property
    def database_path(self) -> Path:
        """Path of the database file."""
        return self.data_dir / "memoranda.db"

    @property
    def spool_dir(self) -> Path:
        """Folder in which hooks store events."""
        return self.data_dir / "spool"

    @property
    def context_dir(self) -> Path:
        """Folder of contexts that are rendered in advance for session starts."""
        return self.data_dir / "context"

    @property
    def key_path(self) -> Path:
        """Path of the key with which secrets are converted to fingerprints."""
        return self.data_dir / "key"

    def shown(self, name: str) -> Any:
        """Return a setting in printable form: no passwords in URLs, no keys."""
        value = getattr(self, name)
        if name in KEYS:
            return "***" if value else ""
        return PASSWORD.sub(HIDDEN, value) if name.endswith("_url") else value


DECLARED = {item.name: item for item in fields(Settings) if item.name not in ("origins", "ignored")}
NAMES = tuple(DECLARED)


def parse_setting(name: str, raw: Any) -> Any:
    """Parse a setting from text or TOML; a ValueError states what is wrong."""
    if name not in DECLARED:
        raise ValueError("unknown setting; `memoranda config show` lists the settings")
    read: Callable[[Any], Any] = DECLARED[name].metadata.get("form", Path)
    return read(raw)
