"""The context of a session: relevant memories within a token budget."""
