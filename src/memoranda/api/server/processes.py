"""Keeping several processes that serve alive, and ending them in time."""

from __future__ import annotations

import pickle
import socket
import time
from multiprocessing.connection import wait

import uvicorn
from uvicorn.supervisors.multiprocess import Multiprocess, Process

from memoranda.api.server.main import FAILED

LISTENS_EVERY = 0.2
"""Seconds between looks whether a signal came while a process is asked how it is."""


class Supervisor(Multiprocess):
    """Starts processes, starts them anew when they die, and ends them."""

    def __init__(self, config: uvicorn.Config, sockets: list[socket.socket], grace: float) -> None:
        """Make it; ``grace`` is how many seconds a process may take to end by itself."""
        super().__init__(config, sockets)
        self._grace = grace

    def keep_subprocess_alive(self) -> None:
        """Start those anew that died or hang; end all when one cannot start at all."""
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
        """Wait for those that were told to end; kill who does not in time."""
        give_up = time.monotonic() + self._grace
        for worker in self.processes:
            worker.process.join(max(0.0, give_up - time.monotonic()))
            if worker.exitcode is None:
                worker.kill()
            worker.join()

    def _lives(self, worker: Process) -> bool:
        """Ask one how it is; until a signal waits, which comes first.

        The pipe alone does not tell: this process holds its other end too, so that a death is
        no end of file.
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
