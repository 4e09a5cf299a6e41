"""The same behaviour in this process, by name and JSON, and by the client over HTTP."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import pytest
from service_doors import HttpDoor, ServiceTransport, served, service_on, token

from memoranda import Memoranda
from memoranda.client.remote import connected
from memoranda.service import Service
from memoranda.testing.service_callers import Callers
from memoranda.testing.service_contract import DoorContract, ServiceContract
from memoranda.values.principal import Principal

pytestmark = pytest.mark.integration


@pytest.fixture(params=["sqlite", "postgres"])
def service(request: pytest.FixtureRequest, tmp_path: Path) -> Iterator[Service]:
    with service_on(request.param, request, tmp_path) as opened:
        yield opened


@pytest.fixture(scope="module")
def http() -> Iterator[tuple[HttpDoor, str]]:
    """A door that is served, and its address."""
    door = HttpDoor()
    with served(door) as url:
        yield door, url


class TestInProcess(ServiceContract):
    @pytest.fixture
    def callers(self, service: Service) -> Callers:  # type: ignore[override]
        return service.memory


class TestByNameAndJson(ServiceContract, DoorContract):
    @pytest.fixture
    def callers(self, service: Service) -> Callers:  # type: ignore[override]
        return lambda principal: connected(Memoranda, ServiceTransport(service, principal))


class TestClientOverHttp(ServiceContract, DoorContract):
    @pytest.fixture
    def callers(self, service: Service, http: tuple[HttpDoor, str]) -> Iterator[Callers]:
        door, url = http
        opened: list[Memoranda] = []

        def caller(principal: Principal) -> Memoranda:
            opened.append(Memoranda.open(url, token=token(principal)))
            return opened[-1]

        with door.opened_to(service):
            yield caller
            for memory in opened:
                memory.close()
