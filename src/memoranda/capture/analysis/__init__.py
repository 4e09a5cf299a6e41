"""Reading what happened, without a model: failures, summaries, tags, files, targets, constraints.

Pure functions over one event and its text, linear in its size.
"""
