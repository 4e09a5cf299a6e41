"""What a statement contains: names, facts, keywords and its type."""
