"""The mirror: memories as files that people read and edit; their edits come back."""
