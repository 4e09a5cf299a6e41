"""Analysis of events without a model: failures, summaries, tags, files.

It also finds targets and constraints. Pure functions over one event and its text, linear in its
size.
"""
