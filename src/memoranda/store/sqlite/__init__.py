"""The embedded engine: one SQLite file, through apsw and the SQLite that it brings."""
