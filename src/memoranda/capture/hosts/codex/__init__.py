"""Codex: its hook payloads and its transcripts (rollouts) in all versions."""
