"""The engine for servers: PostgreSQL 15 or newer, and what speaks its language."""
