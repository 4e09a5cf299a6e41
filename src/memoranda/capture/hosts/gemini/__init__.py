"""Gemini CLI: its hook payloads, its chat files and the output of its tools."""
