"""Checkpoints: the state of a task at one moment, to return to."""
