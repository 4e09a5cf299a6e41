"""Recall: search, progressive disclosure, and the context brief."""
