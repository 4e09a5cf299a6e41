"""Gemini CLI: its hook payloads, chat files and tool outputs."""
