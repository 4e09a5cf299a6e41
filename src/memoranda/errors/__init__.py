"""Errors: recorded failures, their resolutions and recurring patterns."""
