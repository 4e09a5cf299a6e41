"""The mirror: memories as files that people read and edit."""
