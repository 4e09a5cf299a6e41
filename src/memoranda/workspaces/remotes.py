"""Normal form of git remote URLs."""

from __future__ import annotations

import re

_URL = re.compile(r"^([\w+.-]+)://(?:[^@/]*@)?(\[[\w:.]+\]|[\w.-]+)(?::\d*)?/(.+)$")
_SCP = re.compile(r"^(?:[^@/\\:]+@)?(\[[\w:.]+\]|[\w.-]{2,}):(?!//|\\)(.+)$")
"""Address ``user@host:path``.

A single letter before the colon is a drive of Windows.
"""
_ACCOUNT = re.compile(r"^((?:github|gitlab|bitbucket)\.(?:com|org))-[\w-]+$")
"""Host alias in the ssh configuration that separates accounts of one host."""
_HOSTS = {
    "ssh.github.com": "github.com",
    "www.github.com": "github.com",
    "altssh.gitlab.com": "gitlab.com",
    "altssh.bitbucket.org": "bitbucket.org",
    "ssh.dev.azure.com": "dev.azure.com",
}
"""Hosts that serve where ssh is blocked, or under a second name."""


def normalised_remote(url: str | None) -> str | None:
    """Return host/owner/name of a remote, in lower case; None of None.

    Scheme, user, credentials, port, query and the ending ``.git`` are removed, so that each way to
    reach a repository has the same text. Another owner has another text.

    None for a folder, and where credentials cannot be separated from the path.
    """
    url = (url or "").strip()
    match = _URL.match(url)
    if match and match[1].lower() == "file":
        return None
    host, path = (match[2], match[3]) if match else _scp(url)
    if not path or "@" in path:
        return None
    host = _host(host.lower().strip("."))
    parts = [part for part in re.split("[?#]", path)[0].split("/") if part]
    if host == "dev.azure.com":
        parts = [part for part in parts if part not in ("_git", "v3")]
    whole = "/".join([host, *parts]).lower().removesuffix(".git")
    return whole if parts and "/" in whole.rstrip("/") else None


def owner_of(remote: str) -> str:
    """Return host and owner of a normalised remote: ``github.com/acme``."""
    return remote.rpartition("/")[0]


def name_of(remote: str) -> str:
    """Return the name of the repository of a normalised remote."""
    return remote.rpartition("/")[2]


def _scp(url: str) -> tuple[str, str]:
    match = _SCP.match(url)
    return (match[1], match[2]) if match else ("", "")


def _host(host: str) -> str:
    if account := _ACCOUNT.match(host):
        host = account[1]
    return _HOSTS.get(host, host)
