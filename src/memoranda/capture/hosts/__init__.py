"""Adapters of coding agents: their hooks and transcripts read into events."""
