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
    "gh": "github.com",
    "github": "github.com",
    "gitlab": "gitlab.com",
    "bitbucket": "bitbucket.org",
}
"""Canonical host by alternative name, such as one for blocked ssh."""
_BARE = re.compile(r"^(?:github\.com|gitlab\.com|bitbucket\.org)/", re.IGNORECASE)
"""Address without a scheme, for well-known hosts."""
_MIRRORED = re.compile(r"^https?://[^/]+/(?=https?://)", re.IGNORECASE)
"""Prefix of a mirror, followed by the original address."""
_AZURE = re.compile(r"^(?:vs-ssh|(?P<owner>[\w-]+))\.visualstudio\.com$")
"""Former hosts of Azure, with the owner in the name or, by ssh, in the path."""

_GERRIT = re.compile(r"\bgerrit\b|\breviews?\b|\.googlesource\.com$")
"""Hosts of Gerrit, which serves ``/a/NAME`` to signed-in users and ``/NAME`` to all others.

https://gerrit-review.googlesource.com/Documentation/user-upload.html
"""
_AZURE_PARTS = frozenset({"_git", "v3", "defaultcollection", "_ssh"})


def normalised_remote(url: str | None) -> str | None:
    """Return host/owner/name of a remote in lower case, or None.

    Scheme, user, credentials, port, query and the suffix ``.git`` are removed, so that all
    addresses of a repository have the same form. Different owners have different forms.

    None for a folder or None, and if credentials cannot be separated from the path.
    """
    url = _MIRRORED.sub("", (url or "").strip())
    url = f"https://{url}" if _BARE.match(url) else url
    match = _URL.match(url)
    if match and match[1].lower() == "file":
        return None
    host, path = (match[2], match[3]) if match else _scp(url)
    if not path or "@" in path:
        return None
    host = _host(host.lower().strip("."))
    parts = [part for part in re.split("[?#]", path)[0].split("/") if part]
    if azure := _AZURE.match(host):
        host = "dev.azure.com"
        parts = [*filter(None, [azure["owner"]]), *parts]
    if host == "dev.azure.com":
        parts = [part for part in parts if part.lower() not in _AZURE_PARTS]
        parts = [*parts, parts[-1]] if len(parts) == 2 else parts  # a project's own repository
    elif _has_prefix(host, parts):
        parts = parts[1:]
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


def _has_prefix(host: str, parts: list[str]) -> bool:
    """Return whether the first part belongs to the server: Bitbucket's or Gerrit's."""
    if parts[:1] == ["a"]:
        return len(parts) > 1 and bool(_GERRIT.search(host))
    return parts[:1] == ["scm"] and len(parts) == 3


def _host(host: str) -> str:
    if account := _ACCOUNT.match(host):
        host = account[1]
    return _HOSTS.get(host, host)
