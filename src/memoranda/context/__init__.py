"""The context of a session: what a next session needs, within a budget."""
