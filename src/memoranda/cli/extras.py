"""Packages that only some commands need, and the extras that contain them."""

from __future__ import annotations

from memoranda.exceptions import InvalidInput

_EXTRAS = {
    "server": "cryptography jinja2 jwt prometheus_client starlette uvicorn",
    "postgres": "psycopg psycopg_pool",
    "redis": "redis",
    "remote": "httpx",
    "mcp": "anyio mcp",
    "tui": "textual",
    "opentelemetry": "opentelemetry",
}
"""Top-level modules of each extra."""


def missing_extra(error: ModuleNotFoundError) -> InvalidInput | None:
    """Return the error for a missing extra; None for other modules."""
    module = (error.name or "").partition(".")[0]
    for extra, modules in _EXTRAS.items():
        if module in modules.split():
            return InvalidInput(f"this command needs an extra: pip install 'memoranda[{extra}]'")
    return None
