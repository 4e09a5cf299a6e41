"""The service contract in process, by JSON, and through every door.

The server is the application that `memoranda serve` runs, with its guards. One service and one
server are shared by a class of tests; each test has its own teams.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import ExitStack

import pytest
from anyio.from_thread import BlockingPortal, start_blocking_portal

from contract.door_services import ServiceTransport, Teams, served, service_on, token
from contract.mcp_transport import BEYOND, NO_TOOL, McpTransport
from contract.rest_transport import RestTransport
from contract.service_callers import Callers
from contract.service_contract import DoorContract, ServiceContract
from memoranda import Memoranda
from memoranda.api.client.address import parsed
from memoranda.api.client.http_transport import HttpTransport
from memoranda.api.client.remote import connected
from memoranda.api.client.transport import Transport
from memoranda.api.mcp.tools import ToolProfile, tools
from memoranda.api.service import Service
from memoranda.identity.principal import Principal
from serving import InProcess

pytestmark = pytest.mark.integration


@pytest.fixture(scope="class", params=["sqlite", "postgres"])
def engine(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture(scope="class")
def service(
    engine: str, request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Service]:
    with service_on(engine, request, tmp_path_factory.mktemp("store")) as opened:
        yield opened


@pytest.fixture(scope="class")
def server(service: Service) -> Iterator[InProcess]:
    with served(service) as running:
        yield running


@pytest.fixture(scope="module")
def portal() -> Iterator[BlockingPortal]:
    """Return the event loop of the asynchronous MCP client."""
    with start_blocking_portal() as running:
        yield running


@pytest.fixture
def teams() -> Teams:
    return Teams()


def opened(memory_of: Callable[[Principal], Memoranda], teams: Teams) -> Iterator[Callers]:
    """Yield a function that opens memories, and close them."""
    with ExitStack() as stack:

        def caller(principal: Principal) -> Memoranda:
            memory = memory_of(teams(principal))
            stack.callback(memory.close)
            return memory

        yield caller


def rpc(server: InProcess, principal: Principal) -> Transport:
    return HttpTransport(parsed(f"http://{server.host}"), token(server, principal))


class TestInProcess(ServiceContract):
    @pytest.fixture
    def callers(self, service: Service, teams: Teams) -> Callers:
        return lambda principal: service.memory(teams(principal))


class OnSqlite:
    """Tests of a door on one engine, because another door covers the other."""

    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> str:
        return "sqlite"


class OnPostgres:
    """The same for doors on the other engine."""

    @pytest.fixture(scope="class")
    @classmethod
    def engine(cls) -> str:
        return "postgres"


class TestByNameAndJson(OnSqlite, ServiceContract, DoorContract):
    @pytest.fixture
    def callers(self, service: Service, teams: Teams) -> Callers:
        return lambda principal: connected(Memoranda, ServiceTransport(service, teams(principal)))


class TestClientOverHttp(OnPostgres, ServiceContract, DoorContract):
    """JSON-RPC, by the client for Python."""

    @pytest.fixture
    def callers(self, server: InProcess, teams: Teams) -> Iterator[Callers]:
        def memory(principal: Principal) -> Memoranda:
            return Memoranda.open(f"http://{server.host}", token=token(server, principal))

        yield from opened(memory, teams)


class TestRest(OnSqlite, ServiceContract, DoorContract):
    @pytest.fixture
    def callers(self, server: InProcess, teams: Teams) -> Iterator[Callers]:
        def memory(principal: Principal) -> Memoranda:
            url = f"http://{server.host}"
            return connected(Memoranda, RestTransport(url, token(server, principal)))

        yield from opened(memory, teams)


class OverMcp:
    """Calls by tools of a revision of the Model Context Protocol."""

    REVISION = "2026-07-28"

    @pytest.fixture
    def callers(self, server: InProcess, teams: Teams, portal: BlockingPortal) -> Iterator[Callers]:
        def memory(principal: Principal) -> Memoranda:
            url, values = f"http://{server.host}/mcp?profile=full", token(server, principal)
            beside = rpc(server, principal)
            made = McpTransport(portal, url, values, self.REVISION, beside)
            return connected(Memoranda, made)

        yield from opened(memory, teams)


class TestModelContextProtocol(OverMcp, OnSqlite, ServiceContract, DoorContract):
    """All tools."""


class TestFormerModelContextProtocol(OverMcp, OnPostgres, DoorContract):
    """What identifies and limits callers; the tools are those of the class above."""

    REVISION = "legacy"


def test_operations_marked_beyond_tools_have_no_tool() -> None:
    calls = {call.operation: call for tool in tools(ToolProfile.FULL) for call in tool.calls}
    assert not NO_TOOL.keys() & calls.keys()
    for operation, places in BEYOND.items():
        assert not places & set(calls[operation].takes.values())
