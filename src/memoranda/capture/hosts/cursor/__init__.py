"""Cursor: its hook payloads and its transcripts."""
