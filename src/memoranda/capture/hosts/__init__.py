"""Coding agents whose hooks and transcripts are read into events."""
