"""Adapters that convert coding agents' hooks and transcripts to events."""
