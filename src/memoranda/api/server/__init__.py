"""The server process: sockets, authentication, load limits and shutdown."""
