"""The mirror: memories as files that people can read and edit."""
