"""Removal of secrets, private spans, recalled text and excluded files."""
