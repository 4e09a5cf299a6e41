"""Analysis of events without a model: failures, summaries, tags, files.

Also retry targets and constraints. All are pure functions of one event and its text, and take time
linear in the text's size.
"""
