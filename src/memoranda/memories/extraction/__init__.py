"""Extraction of names, facts, keywords and the type of a statement."""
