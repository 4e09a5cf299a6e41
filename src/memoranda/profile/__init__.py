"""The profile: memories in every context, within a token limit."""
