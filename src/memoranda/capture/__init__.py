"""Capture: events of coding agents, from the spool into the store."""
