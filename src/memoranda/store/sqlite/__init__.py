"""The embedded engine: one SQLite file, through apsw's bundled SQLite."""
