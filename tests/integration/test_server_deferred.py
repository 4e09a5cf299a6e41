"""A door is built at its first request, once; failures are reported."""

from __future__ import annotations

import threading
import time
from collections.abc import AsyncIterator, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import asynccontextmanager
from pathlib import Path
from typing import ClassVar

import pytest
from happenings import run
from starlette.responses import PlainTextResponse
from starlette.types import Receive, Scope, Send

from memoranda.api.server.app import Interfaces
from memoranda.api.server.lazy_app import LazyApp
from memoranda.api.service import Service
from memoranda.config import load_settings
from memoranda.exceptions import StorageUnusable
from serving import InProcess

pytestmark = pytest.mark.integration

LOADED = """
import sys
from memoranda.config import load_settings
from memoranda.api.server.mounts import doors
from memoranda.api.service import Service
service = Service(load_settings({"data_dir": sys.argv[1]}, {}))
doors(service)
print(sorted({"mcp", "pydantic_core", "onnxruntime", "numpy"} & set(sys.modules)))
"""


class Slow:
    """A door that reports whether it is open."""

    made: ClassVar[list[Slow]] = []

    def __init__(self) -> None:
        self.open = False
        time.sleep(0.05)
        self.made.append(self)

    @asynccontextmanager
    async def running(self) -> AsyncIterator[None]:
        self.open = True
        yield
        self.open = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        await PlainTextResponse(f"open: {self.open}")(scope, receive, send)


@pytest.fixture
def service(tmp_path: Path) -> Iterator[Service]:
    opened = Service(load_settings({"data_dir": tmp_path / "data", "embedder": "none"}, {}))
    yield opened
    opened.close()


def served(service: Service, door: LazyApp) -> InProcess:
    return InProcess(service, Interfaces(mounts={"/late": door}, running=[door.running]))


def test_many_who_knock_first_at_once_wait_for_one_door(service: Service) -> None:
    Slow.made.clear()
    server = served(service, LazyApp(Slow))
    assert not Slow.made
    with ThreadPoolExecutor(8) as threads:
        answers = list(threads.map(lambda _: server.send("GET", "/late"), range(8)))
    assert {(one.status, one.body) for one in answers} == {(200, b"open: True")}
    (door,) = Slow.made
    server.close()
    assert not door.open


def test_an_interface_that_cannot_be_loaded_is_reported_each_time(service: Service) -> None:
    def fail() -> Slow:
        raise StorageUnusable(f"no door in {threading.current_thread().name}")

    server = served(service, LazyApp(fail))
    for _ in range(2):
        assert server.send("GET", "/late").code == StorageUnusable.code
    server.close()


def test_nobody_knocked(service: Service) -> None:
    Slow.made.clear()
    server = served(service, LazyApp(Slow))
    server.close()
    assert not Slow.made


def test_what_few_ask_for_is_not_loaded_before_a_server_is_ready(tmp_path: Path) -> None:
    assert run(LOADED, tmp_path / "data").split() == ["[]"]
