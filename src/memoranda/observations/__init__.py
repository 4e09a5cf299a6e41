"""Observations: what happened, append-only, numbered within a task."""
