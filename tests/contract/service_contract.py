"""Contract of a service, whichever door it is called through.

A door's tests inherit it and define how a caller gets in:

    class TestMyDoor(ServiceContract, DoorContract):
        @pytest.fixture
        def callers(self, service):
            yield lambda principal: connected(Memoranda, MyTransport(service, principal))

The fixture provides an empty service to each test, as a function from a principal to a `Memoranda`.
A door needs only a transport (`memoranda.api.client.transport.Transport`): `connected` makes the
object around it. `DoorContract` is for doors that identify callers themselves, which the facade in
one's own process does not.
"""

from __future__ import annotations

from contract.service_capture import CaptureServiceContract
from contract.service_documents import DocumentServiceContract
from contract.service_doors import DoorContract as DoorContract
from contract.service_holding import HoldingServiceContract
from contract.service_memories import MemoryServiceContract


class ServiceContract(
    MemoryServiceContract,
    CaptureServiceContract,
    HoldingServiceContract,
    DocumentServiceContract,
):
    """All parts of the contract."""
