"""Taking out what must never be kept: secrets, private spans, recalled text, excluded files."""
