"""Have a command forked that a shell calls: SOCKET WORDS… (`forked_processes.shell_commands`)."""

from __future__ import annotations

import json
import os
import signal
import socket
import sys
from typing import NoReturn


def main(place: str, *words: str) -> NoReturn:
    """End as the command does."""
    if not all(map(_is_open, range(3))):
        _start(words)
    end, status = os.pipe()
    place_now = os.getcwd()  # noqa: PTH109 - to load pathlib takes as long as all the rest
    request = json.dumps([["-m", *words], dict(os.environ), place_now, False])
    with socket.socket(socket.AF_UNIX, socket.SOCK_SEQPACKET) as line:
        line.connect(place)
        socket.send_fds(line, [request.encode()], [0, 1, 2, status])
    os.close(status)
    number = os.read(end, 16)
    if not number.strip().isdigit():
        _start(words)
    code = int(os.read(end, 16) or 1)
    if code < 0:
        if -code not in (signal.SIGKILL, signal.SIGSTOP):
            signal.signal(-code, signal.SIG_DFL)
        os.kill(os.getpid(), -code)
    os._exit(code)


def _is_open(stream: int) -> bool:
    try:
        os.fstat(stream)
    except OSError:
        return False
    return True


def _start(words: tuple[str, ...]) -> NoReturn:
    os.execv(sys.executable, [sys.executable, "-m", "memoranda", *words])


if __name__ == "__main__":
    main(*sys.argv[1:])
