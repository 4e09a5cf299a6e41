"""Feedback: a person's opinion on the agent's work."""
