"""Text analysis that all nouns share."""
