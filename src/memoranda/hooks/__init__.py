"""Hooks of coding agents: installing and removing settings entries."""
