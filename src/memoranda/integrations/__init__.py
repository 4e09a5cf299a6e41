"""Adapters for agents and frameworks that store their memory here.

Each module implements one third-party interface using only the public methods of `Memoranda`, so
that it works with a local memory and with one on a server. The package that an adapter needs is
installed by the extra named after it.
"""
