"""Gemini CLI: its hook payloads and the output of its tools."""
