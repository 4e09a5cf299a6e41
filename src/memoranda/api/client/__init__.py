"""Client: the memory object, backed by a server."""
