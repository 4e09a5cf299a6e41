"""The documented form that any agent can write."""
