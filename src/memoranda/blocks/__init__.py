"""Blocks: labelled texts of limited size, always in an agent's context."""
