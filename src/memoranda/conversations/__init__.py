"""Conversations: the messages of a task, and summaries of older ones."""
