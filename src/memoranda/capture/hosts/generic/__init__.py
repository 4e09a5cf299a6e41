"""Generic host: the documented format that any agent can write."""
