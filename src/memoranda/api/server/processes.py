"""Supervisor of worker processes: restarts dead ones, ends them in time."""

from __future__ import annotations

import pickle
import socket
import time
from multiprocessing.connection import wait

import uvicorn
from uvicorn.supervisors.multiprocess import Multiprocess, Process

FAILED = 3
"""Exit code of a process that could not start; such a process is not restarted."""
LISTENS_EVERY = 0.2
"""Seconds between checks for a signal while checking a process."""


class Supervisor(Multiprocess):
    """Starts worker processes, restarts those that die, and ends them."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], grace: float) -> None:
        """Create the supervisor.

        ``grace`` is how many seconds a process may take to end by itself.
        """
        super().__init__(config, sockets)
        self._grace = grace

    def keep_subprocess_alive(self) -> None:
        """Restart processes that died or hang; end all if one cannot start."""
        for place, worker in enumerate(self.processes):
            if self.should_exit.is_set() or self.signal_queue:
                return
            if self._lives(worker):
                continue
            worker.kill()
            worker.join()
            if worker.exitcode == FAILED:
                self.should_exit.set()
                return
            self.processes[place] = Process(self.config, self.sockets)
            self.processes[place].start()

    def join_all(self) -> None:
        """Wait for the processes to end; kill those that exceed the grace period."""
        give_up = time.monotonic() + self._grace
        for worker in self.processes:
            worker.process.join(max(0.0, give_up - time.monotonic()))
            if worker.exitcode is None:
                worker.kill()
            worker.join()

    def _lives(self, worker: Process) -> bool:
        """Check whether a process is alive, unless a signal is pending.

        The signal takes precedence. Reading the pipe alone is not sufficient: this process has the
        other end open too, so the death of the worker causes no end of file.
        """
        give_up = time.monotonic() + self.config.timeout_worker_healthcheck
        try:
            worker.parent_conn.send(b"ping")
            while time.monotonic() < give_up and not self.signal_queue:
                ready = wait([worker.parent_conn, worker.process.sentinel], LISTENS_EVERY)
                if worker.parent_conn in ready:
                    worker.parent_conn.recv()
                    return True
                if ready:
                    return False
        except (OSError, EOFError, pickle.UnpicklingError):
            return False
        return bool(self.signal_queue)
