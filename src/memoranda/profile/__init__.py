"""The profile: memories that every context contains, within a limit."""
