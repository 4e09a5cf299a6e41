"""The context of a session: the relevant memory, within a token budget."""
