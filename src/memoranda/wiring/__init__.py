"""Where everything is put together; with `stores`, all that names an engine or a provider."""

from memoranda.wiring.rooms import Rooms as Rooms
