"""Lessons: what a finished task teaches."""
