"""Hooks of coding agents: settings entries, installed and removed."""
