"""Codex: its hook payloads, its rollouts and their variants."""
