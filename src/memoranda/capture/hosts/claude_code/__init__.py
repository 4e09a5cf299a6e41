"""Claude Code: its hook payloads and its transcripts."""
