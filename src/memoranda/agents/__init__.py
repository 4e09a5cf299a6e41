"""Agents: the identities that act in a workspace."""
