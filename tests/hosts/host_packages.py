"""Installs the hosts: pinned packages of npm and pip in a cache folder."""

from __future__ import annotations

import fcntl
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

PINNED = Path(__file__).parent / "packages"
OLDEST_NODE = 20
CLAUDE_BINARY = "node_modules/@anthropic-ai/claude-code/install.cjs"
"""Installs this platform's program; npm runs no install scripts here."""
AGENT_SDK = "claude-agent-sdk==0.2.188"
INSTALL_SECONDS = 900
NO_NETWORK = re.compile(
    r"\b(ENOTFOUND|EAI_AGAIN|ECONNREFUSED|ECONNRESET|ENETUNREACH|ETIMEDOUT|ERR_SOCKET_TIMEOUT)\b"
    r"|Failed to establish a new connection|Name or service not known"
)
"""Messages of npm and pip when the network is unreachable."""


class Unreachable(Exception):
    """Real hosts cannot be tested: no Node, npm or registry."""


def cache_folder() -> Path:
    """Return the folder of the pinned versions, below the user's cache."""
    pinned = (PINNED / "package-lock.json").read_bytes() + AGENT_SDK.encode()
    caches = os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache"
    return Path(caches) / "memoranda-test-hosts" / hashlib.sha256(pinned).hexdigest()[:16]


def host_programs() -> Path:
    """Return the folder of the hosts' programs; install missing ones.

    Raises:
        Unreachable: they cannot be installed here.
    """
    folder = cache_folder() / "npm"
    _require_node()
    with _one_process():
        if not folder.exists():
            with tempfile.TemporaryDirectory(dir=folder.parent, prefix="npm-") as made:
                _install(Path(made))
                Path(made).rename(folder)
                Path(made).mkdir()  # the context manager removes it
    return folder / "node_modules" / ".bin"


def agent_sdk_python() -> Path:
    """Return the Python of an environment with the Claude Agent SDK.

    A missing environment is created. The SDK is installed without its own program of 400 MB: it
    uses the pinned Claude Code.
    """
    folder = cache_folder() / "agent-sdk"
    python = folder / "bin" / "python"
    with _one_process():
        if not (folder / "made").exists():
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([sys.executable, "-m", "venv", folder], check=True)
            _run([str(python), "-m", "pip", "install", "--quiet", "--disable-pip-version-check",
                  "--no-binary", "claude-agent-sdk", AGENT_SDK], folder.parent)  # fmt: skip
            (folder / "made").touch()
    return python


@contextmanager
def _one_process() -> Iterator[None]:
    """Let one process install; those beside it find what it made."""
    cache_folder().mkdir(parents=True, exist_ok=True)
    with (cache_folder() / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        yield


def _require_node() -> None:
    for program in ("node", "npm"):
        if shutil.which(program) is None:
            raise Unreachable(f"there is no {program}")
    printed = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True)
    version = re.match(r"v(\d+)", printed.stdout)
    if version is None or int(version[1]) < OLDEST_NODE:
        raise Unreachable(f"node is {printed.stdout.strip()}, needed is {OLDEST_NODE}")


def _install(folder: Path) -> None:
    for name in ("package.json", "package-lock.json"):
        shutil.copy(PINNED / name, folder)
    _run(["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund"], folder)
    _run(["node", CLAUDE_BINARY], folder)


def _run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=INSTALL_SECONDS, check=False
    )
    if done.returncode and (found := NO_NETWORK.search(done.stderr)):
        raise Unreachable(f"{command[0]} reaches no registry ({found[0]})")
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)} failed:\n{done.stdout}\n{done.stderr}")
