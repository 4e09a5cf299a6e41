"""Blocks: labelled texts of limited size that an agent always has in context."""
