"""The embedded engine: one SQLite file, with apsw's bundled SQLite."""
