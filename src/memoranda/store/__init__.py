"""The store: one interface over SQLite, PostgreSQL and Redis."""
