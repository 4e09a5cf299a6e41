"""Observations: recorded events, append-only, numbered within a task."""
