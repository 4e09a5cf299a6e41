"""Importers of other systems' memories, read from their files."""
