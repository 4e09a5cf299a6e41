"""A server as people and programs use it: started, asked, killed, stopped, by the command line."""

from __future__ import annotations

import json
import os
import re
import signal
import socket
import struct
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

import pytest
from commands import SOURCES, ask, forked

import forked_processes
from forked_processes import Forked
from serving import Served, head

pytestmark = pytest.mark.e2e

LONG, BATCH = "A long answer. " * 20_000, 20
"""More than the machine takes of an answer that nobody reads."""


def environment(data_dir: Path) -> dict[str, str]:
    plain = {name: value for name, value in os.environ.items() if "MEMORANDA" not in name}
    home = {"HOME": str(data_dir.parent), "PYTHONPATH": SOURCES}
    return plain | home | {"MEMORANDA_EMBEDDER": "none"}


@contextmanager
def serving(data_dir: Path, *words: str) -> Iterator[tuple[Forked, dict[str, Any]]]:
    """Run ``memoranda serve``; yield it with what it says when it is ready."""
    command = ["--data-dir", str(data_dir), *words, "--format", "json"]
    process = forked_processes.serve(command, environment(data_dir), stderr=None)
    try:
        line = process.stdout.readline()
        assert line, process.communicate()[1]
        yield process, json.loads(line)
    finally:
        process.kill()
        process.communicate()


def ready(url: str, token: str = "") -> tuple[int, dict[str, Any]]:
    connection = HTTPConnection(url.removeprefix("http://"), timeout=10)
    headers = {"Authorization": f"Bearer {token}"} if token else {}
    try:
        connection.request("GET", "/readyz", headers=headers)
        answer = connection.getresponse()
        return answer.status, json.loads(answer.read())
    finally:
        connection.close()


def test_a_server_reports_its_address_and_ends_at_a_signal(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    with serving(data_dir, "--port", "0") as (process, result):
        token_file = Path(result["token_file"])
        assert token_file.stat().st_mode & 0o777 == 0o600
        assert ready(result["url"]) == (200, {"status": "ok"})
        status, known = ready(result["url"], token_file.read_text().strip())
        assert (status, known["process"]) == (200, process.pid)
        assert ready(result["url"], "wrong")[0] == 401
        began = time.monotonic()
        process.send_signal(signal.SIGTERM)
        out, err = process.communicate(timeout=20)
        assert (process.returncode, out, err) == (0, "", "")
        assert time.monotonic() - began < 10
    log = tmp_path / "log"
    with serving(data_dir, "--port", "0", "--log-file", str(log)) as (process, again):
        assert ready(again["url"], token_file.read_text().strip())[0] == 200
        lines = [json.loads(line) for line in log.read_text().splitlines()]
        assert {(one["event"], one["door"]) for one in lines} == {("request", "health")}
        assert {one["process"] for one in lines} == {process.pid}


def test_a_person_sees_the_next_step_and_the_end(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    words = ["--port", "0", "--data-dir", str(data_dir)]
    process = forked_processes.serve(words, environment(data_dir), stderr=None)
    lines = [process.stdout.readline() for _ in range(8)]
    assert lines[0].startswith("serving  http://127.0.0.1:")
    assert re.fullmatch(r"token +\S+/token\n", lines[1])
    assert re.fullmatch(r"open: +http://127\.0\.0\.1:\d+/sign-in\?code=memo_[\w.-]+\n", lines[7])
    curl = lines[3].partition("try:")[2].strip()
    done = subprocess.run(["sh", "-c", curl], capture_output=True, text=True, timeout=30)
    assert json.loads(done.stdout)["status"] == "ok"
    process.send_signal(signal.SIGINT)
    out, err = process.communicate(timeout=20)
    assert (process.returncode, err) == (0, "")
    assert out == "stopped; all data is stored\n"


def test_a_port_in_use_is_reported_with_a_remedy(tmp_path: Path) -> None:
    with socket.socket() as other:
        other.bind(("127.0.0.1", 0))
        other.listen()
        port = str(other.getsockname()[1])
        result = forked(tmp_path / "data", "serve", "--port", port)
    assert result.code == 4
    assert f"port {port}" in result.err
    assert "--port 0" in result.err


@pytest.mark.parametrize(
    ("words", "code", "expected"),
    [
        ("--host 0.0.0.0", 5, "--public"),
        ("--host 0.0.0.0 --public", 5, "keys or tokens"),
        ("--host 192.0.2.1 --public", 5, "keys or tokens"),
        ("--unix nowhere/x", 2, "cannot listen"),
        ("--port 70000", 2, "70000"),
        ("--workers 0", 2, "workers"),
    ],
)
def test_what_cannot_or_must_not_be_served_is_refused(
    tmp_path: Path, words: str, code: int, expected: str
) -> None:
    result = forked(tmp_path / "data", "serve", *words.split())
    assert result.code == code
    assert expected in result.err


def test_a_socket_in_the_file_system_is_for_its_owner(tmp_path: Path) -> None:
    path = tmp_path / "s"
    with serving(tmp_path / "data", "--unix", str(path)) as (process, result):
        assert result["url"] == f"unix:{path}"
        assert path.stat().st_mode & 0o777 == 0o600
        with socket.socket(socket.AF_UNIX) as line:
            line.connect(str(path))
            line.sendall(b"GET /readyz HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\n\r\n")
            assert line.recv(1_000).startswith(b"HTTP/1.1 200")
        done = forked(tmp_path / "data", "serve", "--unix", str(path))
        assert (done.code, "another server" in done.err) == (4, True)
        process.send_signal(signal.SIGTERM)
        assert process.wait(20) == 0
        assert not path.exists()
    with serving(tmp_path / "data", "--unix", str(path)) as (process, _):
        process.kill()
        process.wait(20)
        assert path.exists()
    with serving(tmp_path / "data", "--unix", str(path)) as (_, result):
        assert result["process"]


def test_an_unusable_store_is_reported_at_once(tmp_path: Path) -> None:
    (tmp_path / "data").write_text("a file")
    result = forked(tmp_path / "data", "serve", "--port", "0")
    assert result.code == 13
    assert "Traceback" not in result.err
    result = forked(tmp_path / "data", "serve", "--port", "0", "--workers", "2")
    assert result.code == 13


def test_what_was_acknowledged_survives_a_kill_and_the_port_is_free_again(tmp_path: Path) -> None:
    data_dir = tmp_path / "data"
    server = Served(data_dir)
    kept = [server.call("remember", statement=f"Fact {n} holds.")["id"] for n in range(5)]
    server.kill()
    again = Served(data_dir, port=server.port)
    try:
        assert again.token == server.token
        for id in kept:
            assert again.call("memories.show", id=id)["memory"]["id"] == id
    finally:
        assert again.stop() == 0


def test_two_servers_of_one_data_directory_see_the_same(tmp_path: Path) -> None:
    first, second = Served(tmp_path / "data"), Served(tmp_path / "data")
    try:
        assert first.port != second.port
        for number, (one, other) in enumerate([(first, second), (second, first)] * 3):
            made = one.call("remember", statement=f"Rule {number}: the lamp is green.")
            found = other.call("memories.show", id=made["id"])
            assert found["memory"]["content"] == made["content"]
        assert len(first.call("search", query="lamp")["hits"]) == 6
        assert len(second.call("search", query="lamp")["hits"]) == 6
    finally:
        codes = (first.stop(), second.stop())
    assert codes == (0, 0)
    assert {one["verdict"] for one in ask(tmp_path / "data", "doctor")} == {"ok"}


def test_several_processes_share_a_port_and_one_that_dies_is_replaced(tmp_path: Path) -> None:
    server = Served(tmp_path / "data", workers=2)
    url = f"http://127.0.0.1:{server.port}"
    seen = _until_two(url, server.token)
    _call_and_go(server.port, server.token)
    assert _until_two(url, server.token) == seen
    os.kill(min(seen), signal.SIGKILL)
    made = _patiently(server, "remember", statement="The lamp is green.")
    deadline = time.monotonic() + 30
    while len(_until_two(url, server.token) - seen) != 1:
        assert time.monotonic() < deadline
    assert server.call("memories.show", id=made["id"])["memory"]["id"] == made["id"]
    os.kill(_hanging(server), signal.SIGKILL)  # during a health check
    began = time.monotonic()
    assert server.stop() == 0
    assert time.monotonic() - began < 10


def _patiently(server: Served, name: str, **params: Any) -> Any:
    """A call that a process that was just killed may have taken."""
    for _ in range(20):
        try:
            return server.call(name, **params)
        except OSError:
            time.sleep(0.1)
    raise AssertionError("nobody answers")


def _until_two(url: str, token: str) -> set[int]:
    return _processes(url, token, 2)


def _processes(url: str, token: str, count: int) -> set[int]:
    """The processes that answer, once all were seen."""
    seen: set[int] = set()
    deadline = time.monotonic() + 30
    while len(seen) < count:
        assert time.monotonic() < deadline
        try:
            status, answer = ready(url, token)
        except OSError:
            continue
        if status == 200:  # one that just began, or is overloaded, says that it is not ready
            seen.add(answer["process"])
    return seen


def test_workers_whose_parent_was_killed_free_the_port_and_one_that_hangs_is_ended(
    tmp_path: Path,
) -> None:
    server = Served(tmp_path / "data", workers=2)
    server.kill_parent()
    again = Served(tmp_path / "data", port=server.port, workers=2)
    assert again.call("remember", statement="The lamp is green.")["id"]
    hanging = _hanging(again)
    began = time.monotonic()
    assert again.stop() == 0
    assert time.monotonic() - began < 20
    with pytest.raises(ProcessLookupError):
        os.kill(hanging, 0)


def _hanging(server: Served) -> int:
    """Have one of two processes stop, so that who keeps watch waits for its word; return it."""
    one = min(_until_two(f"http://127.0.0.1:{server.port}", server.token))
    os.kill(one, signal.SIGSTOP)
    time.sleep(1.5)  # it is asked how it is twice a second
    return one


def test_callers_that_are_gone_amid_an_answer_do_not_end_a_server(tmp_path: Path) -> None:
    server = Served(tmp_path / "data")
    url = f"http://127.0.0.1:{server.port}"
    there = _processes(url, server.token, 1)
    _call_and_go(server.port, server.token)
    assert _processes(url, server.token, 1) == there
    assert server.stop() == 0


def _call_and_go(port: int, token: str) -> None:
    """Reset lines amid an answer. Who writes on one is sent SIGPIPE, by which a command ends."""
    seen = _rpc_call(port, token, "observe", content=LONG)["result"]["id"]
    body = json.dumps([_rpc_body("observations.show", id=seen)] * BATCH).encode()
    for half_closed in (False, True) * 2:
        _cut_off(port, token, body, half_closed)


def _rpc_body(method: str, **params: Any) -> dict[str, Any]:
    return {"jsonrpc": "2.0", "id": 1, "method": method, "params": params}


def _rpc_call(port: int, token: str, method: str, **params: Any) -> Any:
    line = HTTPConnection("127.0.0.1", port, timeout=30)
    known = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    try:
        line.request("POST", "/rpc", json.dumps(_rpc_body(method, **params)), known)
        return json.loads(line.getresponse().read())
    finally:
        line.close()


def _cut_off(port: int, token: str, body: bytes, half_closed: bool) -> None:
    """Ask, read the beginning of the answer, and have the line reset; ``half_closed``: after saying
    that nothing more will be sent, as callers do that close a line."""
    with socket.socket() as line:
        line.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4_096)
        line.connect(("127.0.0.1", port))
        known = {"Authorization": f"Bearer {token}", "Content_Type": "application/json"}
        about = {"Host": f"127.0.0.1:{port}", "Content_Length": str(len(body))}
        line.sendall(head("POST", "/rpc", **known, **about) + body)
        assert line.recv(1_000).startswith(b"HTTP/1.1 200")
        if half_closed:
            line.shutdown(socket.SHUT_WR)
            time.sleep(0.05)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
