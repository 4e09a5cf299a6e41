"""Feedback: what a person's message says about the agent's work."""
