"""Errors: recorded failures, what resolved them and which recur."""
