"""Checkpoints: snapshots of a task's state, with rollback."""
