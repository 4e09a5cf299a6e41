"""Workspaces: which project a folder belongs to, and manual changes."""
