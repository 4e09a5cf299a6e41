"""Stages: the kind of work in a part of a task."""
