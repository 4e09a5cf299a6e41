"""Stages: the kind of work that a part of a task is."""
