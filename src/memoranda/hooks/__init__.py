"""Hooks of coding agents: installation and removal of settings entries."""
