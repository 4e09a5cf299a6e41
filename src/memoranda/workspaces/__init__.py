"""Workspaces: which project a folder is, and changes of that by hand."""
