"""Analysis of events without a model: failures, summaries, tags, files.

The module also finds retry targets and constraints. All functions are pure functions of one event
and its text, and take time linear in the length of the text.
"""
