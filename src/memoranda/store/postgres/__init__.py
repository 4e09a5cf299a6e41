"""The engine for PostgreSQL 15 or newer and compatible servers."""
