"""Alternative names of settings: a ``[memory]`` section and variables.

Each key sets one of Memoranda's settings, or is rejected with the reason.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

SECTION = "memory"
"""Table in the configuration file that contains these keys."""

RENAMED = {
    "embedding_model": "embedder",
    "embedding_model_name": "embedding_model",
    "embedding_dimensions": "embedding_dimensions",
    "working_memory_ttl": "working_memory_ttl",
    "episodic_memory_capacity": "episodic_memory_capacity",
    "semantic_memory_capacity": "semantic_memory_capacity",
    "compression_model": "compression_model",
    "extraction_model": "extraction_model",
    "stage_compression_ratio_target": "compression_ratio",
    "task_compression_ratio_target": "task_compression_ratio",
    "compression_quality_threshold": "compression_quality_threshold",
    "criticality_boost_multiplier": "criticality_multiplier",
    "monthly_token_budget_usd": "monthly_budget_dollars",
    "error_pattern_detection_enabled": "error_pattern_detection",
    "error_history_lookback_stages": "error_lookback_stages",
    "error_severity_threshold": "error_severity_threshold",
    "stage_detection_enabled": "stage_detection",
    "stage_auto_transition": "stage_auto_transition",
    "stage_completion_auto_compress": "stage_auto_compression",
}
"""Settings by key in the section."""
WEIGHTS = {"stage_relevance_weight": "stage", "error_correction_weight": "error_correction"}
"""Factors in ``recall_weights`` by key in the section."""
REFUSED = {
    "retrieval_precision_target": (
        "precision is measured, not set: each search reports the precision of its rated hits;"
        " remove this line"
    )
}
PERCENT = "alert_threshold_pct"
"""Key in the section for ``budget_alert_share``, in percent."""
_SPECIAL = ("vector_store", "test_time_scaling_enabled", PERCENT)
_PROVIDERS = {
    "gpt": "openai",
    "o1": "openai",
    "o3": "openai",
    "o4": "openai",
    "claude": "anthropic",
}
"""Prefixes of model names that only one provider uses."""

VARIABLES = {
    "AGENT_ID": "agent_id",
    "AGENT_INSTANCE_ID": "agent_instance",
    "COMPACTION_ENABLED": "compaction_enabled",
    "COMPACTION_MODEL": "compaction_model",
    "COMPACTION_MODE": "compaction_mode",
    "COMPACTION_WINDOW_PERCENTAGE": "compaction_window_percentage",
    "COMPACTION_CLIP_CHARS": "compaction_clip_chars",
    "COMPACTION_TRIGGER_THRESHOLD": "compaction_trigger_threshold",
    "DEFAULT_BLOCK_LIMIT": "default_block_limit",
}
"""Settings by environment variable; each variable is read with and without the prefix."""
AMBIGUOUS = ("AGENT_ID", "AGENT_INSTANCE_ID", "COMPACTION_ENABLED", "COMPACTION_MODE")
"""Variables that other programs also set, such as ``AGENT_ID`` by build agents.

Without the prefix, they are read only if a variable that only Memoranda uses is set; otherwise, an
id set by another program would attribute a person's statements to an agent.
"""
AMBIGUITY = "other programs also set this variable; it is read only with the prefix MEMORANDA_"
"""Reason why such a variable is ignored."""
ALWAYS_ON = {
    "MEMORY_CHARACTER_LIMITS": "blocks always have a limit; to raise the limit, use"
    " DEFAULT_BLOCK_LIMIT",
    "MEMORY_SHARED_BLOCKS": "sharing cannot be disabled; a block is shared only if it is attached"
    " to an agent",
    "MEMORY_HYBRID_SEARCH": "to search by text only, use --mode words or set embedder to none",
}
"""Reasons why a feature must remain enabled, by environment variable."""


def from_section(table: Any, *, on_server: bool) -> Iterator[tuple[str, str, Any, str]]:
    """Yield key, setting, value and rejection of each key in the section.

    Args:
        on_server: whether the store is a PostgreSQL database.
    """
    if not isinstance(table, Mapping):
        yield "", SECTION, None, "must be a table of settings"
        return
    scaled = not _is(table.get("test_time_scaling_enabled", True), "false", "0")
    for key, raw in table.items():
        if key in WEIGHTS or (key in ("compression_model", "extraction_model") and not scaled):
            continue
        setting = "budget_alert_share" if key == PERCENT else RENAMED.get(key, "")
        if objection := _objection(key, raw, on_server):
            yield key, setting, None, objection
        elif key == PERCENT:
            yield key, setting, float(raw) / 100, ""
        elif setting:
            yield key, setting, raw, ""
    if chosen := {WEIGHTS[key]: table[key] for key in WEIGHTS if key in table}:
        yield ", ".join(key for key in WEIGHTS if key in table), "recall_weights", chosen, ""


def provider_of(values: Mapping[str, Any]) -> str:
    """Return the language model that the smaller models imply; "" if none.

    A model without a provider gets the provider that its name implies, such as OpenAI for
    ``gpt-4o-mini``.
    """
    if values.get("language_model"):
        return ""
    for setting in ("compression_model", "compaction_model", "extraction_model"):
        name = str(values.get(setting) or "")
        for beginning, provider in _PROVIDERS.items():
            if name.startswith(f"{beginning}-") or name == beginning:
                return f"{provider}:{name}"
    return ""


def from_variables(environ: Mapping[str, str], prefix: str) -> Iterator[tuple[str, str, Any, str]]:
    """Yield variable, setting, value and rejection of each variable set.

    The variable with the prefix comes last, so that it takes precedence.
    """
    own = (name for name in (*VARIABLES, *ALWAYS_ON) if name not in AMBIGUOUS)
    doubt = "" if any(environ.get(name) for name in own) else AMBIGUITY
    for start in ("", prefix):
        for variable, setting in VARIABLES.items():
            if value := environ.get(start + variable):
                objection = doubt if not start and variable in AMBIGUOUS else ""
                yield start + variable, setting, value, objection
        for variable, reason in ALWAYS_ON.items():
            value = environ.get(start + variable)
            if value and not _is(value, "true", "1"):
                yield start + variable, "", None, reason


def may_be_of_others(variable: str) -> bool:
    """Return whether a variable without the prefix may be another program's."""
    return variable in VARIABLES or variable in ALWAYS_ON


def _objection(key: str, raw: Any, on_server: bool) -> str:
    if key in REFUSED:
        return REFUSED[key]
    if key == "vector_store":
        engine = "pgvector" if on_server else "sqlite"
        needs = "" if on_server else "; pgvector needs database_url"
        return "" if raw == engine else f"vectors are kept in the store, here {engine}{needs}"
    if key == "test_time_scaling_enabled" and not _is(raw, "true", "1", "false", "0"):
        return "must be true or false"
    if key == PERCENT and not _is_percentage(raw):
        return "must be between 1 and 100 percent"
    is_special = key in RENAMED or key in _SPECIAL
    return "" if is_special else "no such key; `memoranda config show` lists the settings"


def _is_percentage(raw: Any) -> bool:
    return isinstance(raw, int | float) and not isinstance(raw, bool) and 1 <= raw <= 100


def _is(raw: Any, *texts: str) -> bool:
    return str(raw).lower() in texts
