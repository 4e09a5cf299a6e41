"""Default lists of paths and commands that are never captured."""

from __future__ import annotations

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

EXCLUDED_COMMANDS = (
    r"^\s*(?:op|bw|pass|gopass|lpass|vault|security)\s",
    r"\bsecret-tool\b",
)
"""Commands (RE2) whose output is never captured: password managers."""
