"""Lessons: reusable knowledge extracted from finished tasks."""
