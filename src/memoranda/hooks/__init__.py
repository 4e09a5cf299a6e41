"""Hooks of coding agents: the entries in their settings, installed and removed."""
