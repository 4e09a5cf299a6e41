"""Errors: recorded failures, what ended them and which of them recur."""
